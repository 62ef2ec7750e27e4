package main

import (
	"encoding/json"
	"fmt"
	"testing"
)

// The reported sizes are those of the documents.
func TestDocumentsHaveTheReportedSize(t *testing.T) {
	for _, pretty := range []bool{true, false} {
		for _, n := range []int{1, 10_000, 1_000_000} {
			t.Run(fmt.Sprintf("%d bytes, pretty %t", n, pretty), func(t *testing.T) {
				text := document(n, pretty)
				var items []json.RawMessage
				if err := json.Unmarshal([]byte(text), &items); err != nil {
					t.Fatal(err)
				}
				longest := 0
				for _, item := range items {
					longest = max(longest, len(item))
				}
				if most := n + longest + len(", \n  ]"); len(text) < n || len(text) > most {
					t.Errorf("%d bytes of %d elements, want %d to %d", len(text), len(items), n, most)
				}
			})
		}
	}
}
