package table

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
)

// titles are those of all rows.
func titles(tb *Table) (out []string) {
	for row := range tb.Len() {
		out = append(out, string(tb.AppendTitle(nil, row, tb.AppendID(nil, row))))
	}
	return out
}

// TestRowsWithoutNameAreToldApart shows what stands in the title of an element
// that has no name.
func TestRowsWithoutNameAreToldApart(t *testing.T) {
	for rule, c := range map[string]struct{ text, want string }{
		"short texts that differ": {
			`[{"v":"1.0","city":"Oslo","n":1},{"v":"1.0","city":"Rome","n":2}]`, "Oslo|Rome"},
		"numbers with their name where texts are equal": {
			`[{"v":"1.0","n":1},{"v":"1.0","n":20}]`, "n 1|n 20"},
		"texts of an object in it": {
			`[{"is":true,"at":{"city":"Oslo"}},{"is":true,"at":{"city":"Rome"}}]`, "Oslo|Rome"},
		"the kind, then how the longest text begins": {
			`[{"sort":"code","outputs":[],"source":["import os, sys, numpy as np, pandas as pd\n","x = 1"]},` +
				`{"sort":"text","outputs":[],"source":["A heading that goes on and on for very long\n"]},` +
				`{"sort":"code","outputs":[],"source":["x = compute_a_thing(of_these, and_of_these)"]}]`,
			"code, import os, sys, numpy as np, pandas as pd|text, A heading that goes on and on for very long|" +
				"code, x = compute_a_thing(of_these, and_of_these)"},
		"a path from where they part": {
			`[{"class":"org.example.bench.Join.first"},{"class":"org.example.bench.Join.second"}]`, "first|second"},
		"a value that is what all begin with as a whole": {
			`[{"class":"org.example."},{"class":"org.example.a"},{"class":"org.example.b"}]`, "org.example.|a|b"},
		"but a time as a whole": {
			`[{"at":"2026-11-21T08:00:00Z"},{"at":"2026-11-21T08:00:01Z"}]`, "2026-11-21T08:00:00Z|2026-11-21T08:00:01Z"},
		"what all are of tells nothing": {
			`[{"type":"Feature","id":11,"of":{"name":"Nord"}},{"type":"Feature","id":12,"of":{"name":"Est"}}]`, "11, Nord|12, Est"},
		"a kind does not tell which": {
			`[{"type":"a","for":"Oslo"},{"type":"b","for":"Rome"},{"type":"a","for":"Bern"}]`, "a, Oslo|b, Rome|a, Bern"},
		"a hash is for no reader": {
			`[{"id":"9b2d4f60-7c1e-4a3b-8d5f-1e2c3b4a5d60","sha":"3f5a9c0e7b1d","city":"Oslo"},` +
				`{"id":"1c3e5a70-2b4d-4f6a-9c8e-7d6f5e4c3b21","sha":"a81f0c2e9d47","city":"Rome"}]`, "Oslo|Rome"},
		"unless there is nothing else": {
			`[{"_id":"9b2d4f60-7c1e-4a3b-8d5f-1e2c3b4a5d60"},{"_id":"1c3e5a70-2b4d-4f6a-9c8e-7d6f5e4c3b21"}]`,
			"9b2d4f60-7c1e-4a3b-8d5f-1e2c3b4a5d60|1c3e5a70-2b4d-4f6a-9c8e-7d6f5e4c3b21"},
		"their start if they are equal": {
			`[{"v":1},{"v":1}]`, `{"v":1}|{"v":1}`},
	} {
		t.Run(rule, func(t *testing.T) {
			if got := strings.Join(titles(read(t, c.text, 24)), "|"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestLargeTablesAreToldApartLikeSmallOnes: their cells are known by column, not
// by row.
func TestLargeTablesAreToldApartLikeSmallOnes(t *testing.T) {
	var lists [][]any
	for i := range 60 {
		lists = append(lists, []any{i % 7, i, 60 - i})
	}
	text := rows(`{"v":"same","day":"day %d","at":{"city":"city %d"},"n":%d}`, lists...)
	small, large := titles(read(t, text, 100)), titles(read(t, text, 24))
	for i := range small {
		if want := fmt.Sprintf("city %d, day %d", i, i%7); small[i] != want || large[i] != want {
			t.Fatalf("row %d: got %q and %q, want %q", i, small[i], large[i], want)
		}
	}
}

// TestOpaqueTexts shows which values no reader chooses by.
func TestOpaqueTexts(t *testing.T) {
	for s, want := range map[string]bool{
		"c954ed42-fa39-442c-ba00-50969a2cc816":                     true,
		"WyIxa2dlbm9tZXMiLCJnZW5jb2RlX3YyNGxpZnQzNyIsIjE0MDUwOTE3": true,
		"8e3b2f1c": true,
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4": true,
		"ENST00000466430.5":                        false,
		"2026-11-21T08:00:00.000Z":                 false,
		"node_modules/@babel/helper-validator":     false,
		"StringUtilsJoinBenchmark2":                false,
		"utf8mb4":                                  false,
		"x86_64-v2":                                false,
		"1 a 2 b 3 c 4 d":                          false,
		"":                                         false,
	} {
		if got := isOpaque([]byte(s)); got != want {
			t.Errorf("%q: opaque %v, want %v", s, got, want)
		}
	}
}

// FuzzTitles asks for the titles of any array: they are short, valid and of one line.
func FuzzTitles(f *testing.F) {
	f.Add(`[{"a":"x/y/z/1/2/3/","b":[]},{"a":"x/y/z/1/2/3/4","b":["",1]},{"a":{"b":"\\ud800"}},[],"",1]`)
	f.Add(`[{"type":"a","o":{"k":"1"}},{"type":"a","o":{"k":"2"}},{"o":3}]`)
	f.Add(`{"lib/a/":{},"lib/b":{},"lib/":{},"":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		s := jsonscan.New([]byte(text), jsonscan.Options{Leaf: 1 << 20, Record: 1 << 20, Nodes: 1 << 16, Depth: 64})
		if _, ok := s.Scan(0); !ok || s.Len() == 0 || !s.Split(0) {
			t.Skip()
		}
		for _, maxLines := range []int{1, 24} {
			tb := NewReader(s, []byte(text), maxLines, "").Children(0, false)
			tb.Group(Auto, false)
			for _, title := range titles(tb) {
				if len(title) > maxTitle || !utf8.ValidString(title) || strings.ContainsAny(title, "\n\r") {
					t.Errorf("title %q", title)
				}
			}
		}
	})
}
