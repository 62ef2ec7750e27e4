package csv

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

func TestEndsWithCR(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                 false,
		"a,b\n1,2\n":                       false,
		"a,b\r\n1,2\r\n":                   false,
		"a,b\r1,2\r":                       true,
		"a,b\r1,\"2\n3\"\r4,5\r":           true,
		"a,b\r1,2\n3,4\n5,6\n":             false,
		"a\rb,c\n1,2\n":                    false,
		"a\rb,c\r\n1,2\r\n":                false,
		"a,b\n1,2\r3,4\r5,6\r":             true,
		strings.Repeat("a,", 1<<16) + "\r": false,
	} {
		if got := endsWithCR([]byte(text), 0); got != want {
			t.Errorf("%.40q: %t", text, got)
		}
	}
}

// Records that end with CR have the spans, names and schema of those that end with LF.
func TestLineEndsOfOldSpreadsheets(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range 300 {
		records := []string{"id,kind,\"note\nof it\",size"}
		for n := range 3 + rnd.IntN(80) {
			note := []string{"", "a b", "\"x, y\"", "\"one\ntwo\""}[rnd.IntN(4)]
			records = append(records, fmt.Sprintf("%d,k%d,%s,%d", n, rnd.IntN(3), note, rnd.IntN(100)))
		}
		lf := []byte(strings.Join(records, "\n") + "\n")
		cr := []byte(strings.Join(records, "\r") + "\r")
		if rnd.IntN(2) == 0 {
			cr = bytes.ReplaceAll(cr, []byte("\n"), []byte("\r"))
		}
		want, ok := Scan(lf, part.Clues{})
		got, also := Scan(cr, part.Clues{})
		if !ok || !also {
			t.Fatalf("text %d: %t with LF, %t with CR: %q", i, ok, also, cr)
		}
		if got.Lines[0] != want.Lines[0] || got.Count != want.Count || !slices.Equal(got.Parts, want.Parts) || !slices.Equal(parttest.List(got), parttest.List(want)) {
			t.Fatalf("text %d:\n%q\nwant\n%q", i, parttest.List(got), parttest.List(want))
		}
		parttest.Check(t, cr, got, nil)
	}
}
