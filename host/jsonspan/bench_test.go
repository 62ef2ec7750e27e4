package jsonspan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func benchInputs(tb testing.TB) map[string][]byte {
	tb.Helper()
	var rows bytes.Buffer
	rows.WriteString(`[`)
	for i := range 1200 {
		if i > 0 {
			rows.WriteByte(',')
		}
		fmt.Fprintf(&rows, `{"id":%d,"name":"row %d","active":true,"score":%d.25,"tags":["alpha","beta"],"note":"line one\nline two"}`, i, i, i)
	}
	rows.WriteString(`]`)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, rows.Bytes(), "", "  "); err != nil {
		tb.Fatal(err)
	}
	return map[string][]byte{
		"rows":       rows.Bytes(),
		"pretty":     pretty.Bytes(),
		"longString": []byte(`{"text":"` + strings.Repeat("the quick brown fox jumps ", 5041) + `"}`),
		"lines":      []byte(`{"text":"` + strings.Repeat(`a line of text of 60 characters, as tools like to answer\n`, 2260) + `"}`),
		"prose":      []byte(`{"text":"` + strings.Repeat(`The quick brown fox says \"jump\" to the lazy dog;\nnobody moves, and 7 of 9 lines later it ends.\n`, 1350) + `"}`),
		"escapes":    []byte(`{"text":"` + strings.Repeat(`{\"id\":12,\"n\":\"a name\"}\n`, 4700) + `"}`),
		"cyrillic":   []byte(`{"text":"` + strings.Repeat("съешь ещё этих мягких французских булок ", 1700) + `"}`),
	}
}

func BenchmarkValid(b *testing.B) {
	for name, in := range benchInputs(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if err := Valid(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkScanUnique(b *testing.B) {
	in := benchInputs(b)["rows"]
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := Scan(in, 0, Rules{MaxDepth: 128, UniqueKeys: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodingJSONValid(b *testing.B) {
	in := benchInputs(b)["rows"]
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		json.Valid(in)
	}
}
