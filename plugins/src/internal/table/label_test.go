package table

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	jsonscan "github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// titles returns the titles of all rows.
func titles(tb *Table) (out []string) {
	for row := range tb.Len() {
		out = append(out, string(tb.AppendTitle(nil, row, tb.AppendID(nil, row))))
	}
	return out
}

// The title of an element without a name shows the fields that distinguish it.
func TestTitleOfElementWithoutName(t *testing.T) {
	for rule, c := range map[string]struct{ text, want string }{
		"short texts that differ": {
			`[{"v":"1.0","city":"Oslo","n":1},{"v":"1.0","city":"Rome","n":2}]`, "Oslo|Rome"},
		"numbers with their names if texts are equal": {
			`[{"v":"1.0","n":1},{"v":"1.0","n":20}]`, "n 1|n 20"},
		"texts of an inner object": {
			`[{"is":true,"at":{"city":"Oslo"}},{"is":true,"at":{"city":"Rome"}}]`, "Oslo|Rome"},
		"kind, then the start of a long text": {
			`[{"sort":"code","outputs":[],"source":["import os, sys, numpy as np, pandas as pd\n","x = 1"]},` +
				`{"sort":"text","outputs":[],"source":["A heading that goes on and on for very long\n"]},` +
				`{"sort":"code","outputs":[],"source":["x = compute_a_thing(of_these, and_of_these)"]}]`,
			"code, import os, sys, numpy as np, pandas as pd|text, A heading that goes on and on for very long|" +
				"code, x = compute_a_thing(of_these, and_of_these)"},
		"path without the common start": {
			`[{"class":"org.example.bench.Join.first"},{"class":"org.example.bench.Join.second"}]`, "first|second"},
		"value that is the common start": {
			`[{"class":"org.example."},{"class":"org.example.a"},{"class":"org.example.b"}]`, "org.example.|a|b"},
		"times are not shortened": {
			`[{"at":"2026-11-21T08:00:00Z"},{"at":"2026-11-21T08:00:01Z"}]`, "2026-11-21T08:00:00Z|2026-11-21T08:00:01Z"},
		"constant fields are omitted": {
			`[{"type":"Feature","id":11,"of":{"name":"Nord"}},{"type":"Feature","id":12,"of":{"name":"Est"}}]`, "11, Nord|12, Est"},
		"kind and a distinguishing field": {
			`[{"type":"a","for":"Oslo"},{"type":"b","for":"Rome"},{"type":"a","for":"Bern"}]`, "a, Oslo|b, Rome|a, Bern"},
		"opaque values are omitted": {
			`[{"id":"9b2d4f60-7c1e-4a3b-8d5f-1e2c3b4a5d60","sha":"3f5a9c0e7b1d","city":"Oslo"},` +
				`{"id":"1c3e5a70-2b4d-4f6a-9c8e-7d6f5e4c3b21","sha":"a81f0c2e9d47","city":"Rome"}]`, "Oslo|Rome"},
		"opaque values if there is nothing else": {
			`[{"_id":"9b2d4f60-7c1e-4a3b-8d5f-1e2c3b4a5d60"},{"_id":"1c3e5a70-2b4d-4f6a-9c8e-7d6f5e4c3b21"}]`,
			"9b2d4f60-7c1e-4a3b-8d5f-1e2c3b4a5d60|1c3e5a70-2b4d-4f6a-9c8e-7d6f5e4c3b21"},
		"start of equal values": {
			`[{"v":1},{"v":1}]`, `{"v":1}|{"v":1}`},
	} {
		t.Run(rule, func(t *testing.T) {
			if got := strings.Join(titles(read(t, c.text, 24)), "|"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Large and small tables, which are read differently, have the same titles.
func TestTitlesOfLargeAndSmallTables(t *testing.T) {
	var lists [][]any
	for i := range 60 {
		lists = append(lists, []any{i % 7, i, 60 - i})
	}
	text := array(`{"v":"same","day":"day %d","at":{"city":"city %d"},"n":%d}`, lists...)
	small, large := titles(read(t, text, 100)), titles(read(t, text, 24))
	for i := range small {
		if want := fmt.Sprintf("city %d, day %d", i, i%7); small[i] != want || large[i] != want {
			t.Fatalf("row %d: got %q and %q, want %q", i, small[i], large[i], want)
		}
	}
}

// FuzzTitles checks that titles are short, valid UTF-8 and one line.
func FuzzTitles(f *testing.F) {
	f.Add(`[{"a":"x/y/z/1/2/3/","b":[]},{"a":"x/y/z/1/2/3/4","b":["",1]},{"a":{"b":"\\ud800"}},[],"",1]`)
	f.Add(`[{"type":"a","o":{"k":"1"}},{"type":"a","o":{"k":"2"}},{"o":3}]`)
	f.Add(`{"lib/a/":{},"lib/b":{},"lib/":{},"":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		s := jsonscan.New([]byte(text), jsonscan.Options{Leaf: 1 << 20, Record: 1 << 20, Nodes: 1 << 16, Depth: 64})
		if _, ok := s.Scan(0); !ok || s.Len() == 0 || !s.IsSplit(0) {
			t.Skip()
		}
		for _, maxLines := range []int{1, 24} {
			tb := NewReader(s, []byte(text), maxLines, "").Children(0, false)
			tb.Group(Auto, false)
			for _, title := range titles(tb) {
				if len(title) > 80 || !utf8.ValidString(title) || strings.ContainsAny(title, "\n\r") {
					t.Errorf("title %q", title)
				}
			}
		}
	})
}
