package jsonedit

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

func TestPatchObject(t *testing.T) {
	for _, tc := range []struct {
		rule, src string
		drop      string // keys, one letter each
		add       []Field
		want      string
	}{
		{"nothing to do", `{ "a" : 1 }`, "", nil, `{ "a" : 1 }`},
		{"first member", `{"a":1,"b":2}`, "a", nil, `{"b":2}`},
		{"last member", `{"a":1, "b":2}`, "b", nil, `{"a":1}`},
		{"between two", `{"a":1,"b":2,"c":3}`, "b", nil, `{"a":1,"c":3}`},
		{"two in a row at the front", `{"a":1,"b":2,"c":3}`, "ab", nil, `{"c":3}`},
		{"two in a row at the end", `{"a":1,"b":2,"c":3}`, "bc", nil, `{"a":1}`},
		{"every other one", `{"a":1,"b":2,"c":3,"d":4}`, "ac", nil, `{"b":2,"d":4}`},
		{"all", `{ "a":1, "b":2 }`, "ab", nil, `{  }`},
		{"both of a duplicate", `{"a":1,"b":2,"a":3}`, "a", nil, `{"b":2}`},
		{"added after the last", `{"a":1 }`, "", []Field{Raw("z", []byte("9"))}, `{"a":1,"z":9 }`},
		{"added to the empty object", `{}`, "", []Field{Raw("y", []byte("8")), Raw("z", []byte("9"))}, `{"y":8,"z":9}`},
		{"added in place of all", `{"a":1}`, "a", []Field{Raw("z", []byte("9"))}, `{"z":9}`},
		{"added in place of the last", `{"a":1,"b":2}`, "b", []Field{Raw("z", []byte("9"))}, `{"a":1,"z":9}`},
		{"big numbers and escapes stay", `{"a":9007199254740993,"\u0062":"\u003c\/"}`, "a", nil, `{"\u0062":"\u003c\/"}`},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			p := Patch{Source: []byte(tc.src)}
			p.EditObject(0, func(key []byte) bool { return bytes.Contains([]byte(tc.drop), key[1:len(key)-1]) && tc.drop != "" }, tc.add...)
			if got := string(p.Apply()); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestPatchArray(t *testing.T) {
	for _, tc := range []struct{ rule, src, drop, want string }{
		{"before all", `[ 1, 2]`, "", `["x", 1, 2]`},
		{"before the remaining ones", `[1,2,3,4]`, "13", `["x",2,4]`},
		{"in place of all", `[ 1,2 ]`, "12", `["x"  ]`},
		{"into the empty array", `[]`, "", `["x"]`},
	} {
		p := Patch{Source: []byte(tc.src)}
		p.EditArray(0, func(m jsonspan.Member) bool { return bytes.Contains([]byte(tc.drop), p.Source[m.Start:m.End]) }, []byte(`"x"`))
		if got := string(p.Apply()); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.rule, got, tc.want)
		}
	}
}

// An edit inside a replaced value is ignored, in any order of the edits.
func TestPatchInsideReplacedValue(t *testing.T) {
	const src = `[{"a":1},{"b":2},3]`
	outer := func(p *Patch) {
		p.EditArray(0, func(m jsonspan.Member) bool { return jsonspan.KindAt(p.Source, m.Start) == jsonspan.Object }, []byte("0"))
	}
	inner := func(p *Patch) {
		p.Replace(jsonspan.Member{Start: 6, End: 7}, []byte("9"))
		p.Replace(jsonspan.Member{Start: 1, End: 8}, []byte("8"))
		p.EditObject(9, nil, Raw("z", []byte("7")))
	}
	for order, edits := range map[string][]func(*Patch){"inner first": {inner, outer}, "outer first": {outer, inner}} {
		p := Patch{Source: []byte(src)}
		for _, edit := range edits {
			edit(&p)
		}
		if got := string(p.Apply()); got != `[0,3]` {
			t.Errorf("%s: got %s", order, got)
		}
	}
}

// An edit of one member leaves all others unchanged.
func FuzzPatchObject(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":[{"c":2}],"a":null}`), uint64(5), true)
	f.Add([]byte(` { "x" : "\u0061" } `), uint64(1), false)
	f.Fuzz(func(t *testing.T, src []byte, which uint64, add bool) {
		if jsonspan.Valid(src) != nil || jsonspan.KindAt(src, jsonspan.SkipBlank(src, 0)) != jsonspan.Object {
			t.Skip()
		}
		var want []json.RawMessage
		i := 0
		drops := make([]bool, 0, 8)
		Members(src, func(key []byte, m jsonspan.Member) bool {
			drop := which>>(i%64)&1 == 1
			drops = append(drops, drop)
			if !drop {
				want = append(want, key, src[m.Start:m.End])
			}
			i++
			return true
		})
		var fields []Field
		if add {
			fields = []Field{Raw("added", []byte(`true`))}
			want = append(want, []byte(`"added"`), []byte(`true`))
		}
		p, at := Patch{Source: src}, -1
		p.EditObject(jsonspan.SkipBlank(src, 0), func([]byte) bool { at++; return drops[at] }, fields...)
		out := p.Apply()
		if err := jsonspan.Valid(out); err != nil {
			t.Fatalf("%s -> %s: %v", src, out, err)
		}
		var got []json.RawMessage
		Members(out, func(key []byte, m jsonspan.Member) bool {
			got = append(got, key, out[m.Start:m.End])
			return true
		})
		if len(got) != len(want) {
			t.Fatalf("%s -> %s: %d members, want %d", src, out, len(got)/2, len(want)/2)
		}
		for i := range got {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("%s -> %s: got %s, want %s", src, out, got[i], want[i])
			}
		}
	})
}
