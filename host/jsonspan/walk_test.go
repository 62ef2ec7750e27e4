package jsonspan

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestChildren(t *testing.T) {
	tests := []struct {
		rule, text string
		start      int
		want       []string
	}{
		{"object in order, duplicates shown", `{ "b" : 1 , "a":[2,{}], "b":"x" }`, 0, []string{`"b"=1`, `"a"=[2,{}]`, `"b"="x"`}},
		{"array", `[ 1 ,"two", [3] ]`, 0, []string{`=1`, `="two"`, `=[3]`}},
		{"inner container", `{"a":[7,8]}`, 5, []string{`=7`, `=8`}},
		{"empty object", `{ }`, 0, nil},
		{"empty array", `[]`, 0, nil},
		{"scalar", `"x"`, 0, nil},
		{"outside", `[]`, 9, nil},
		{"fault after the first child", `[1,]`, 0, []string{"=1"}},
		{"missing comma", `[1 2`, 0, []string{"=1", "=2"}},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			var got []string
			b := []byte(tt.text)
			Children(b, tt.start, func(m Member) bool {
				got = append(got, string(b[m.KeyStart:m.KeyEnd])+"="+string(b[m.Start:m.End]))
				return true
			})
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Fatalf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestChildrenStops(t *testing.T) {
	n := 0
	Children([]byte(`[1,2,3]`), 0, func(Member) bool { n++; return n < 2 })
	if n != 2 {
		t.Fatalf("yield was called %d times, want 2", n)
	}
}

// The examples of RFC 6901 section 5, and our rule for duplicates.
func TestLookup(t *testing.T) {
	const doc = ` {"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,
		"d":"first","d":"second","n":{"m":{"\u0061":[[9]]}},"01":[1]}`
	tests := []struct{ pointer, want string }{
		{"/foo", `["bar","baz"]`},
		{"/foo/0", `"bar"`},
		{"/", `0`},
		{"/a~1b", `1`},
		{"/c%d", `2`},
		{"/e^f", `3`},
		{"/g|h", `4`},
		{`/i\j`, `5`},
		{`/k"l`, `6`},
		{"/ ", `7`},
		{"/m~0n", `8`},
		{"/d", `"first"`},
		{"/n/m/a/0/0", `9`},
		{"/01/0", `1`},
		{"/foo/2", ""},
		{"/foo/-", ""},
		{"/foo/00", ""},
		{"/foo/-0", ""},
		{"/foo/+1", ""},
		{"/foo/0/0", ""},
		{"/nope", ""},
		{"foo", ""},
	}
	b := []byte(doc)
	for _, tt := range tests {
		t.Run(tt.pointer, func(t *testing.T) {
			m, ok := Lookup(b, tt.pointer)
			if ok != (tt.want != "") || ok && string(b[m.Start:m.End]) != tt.want {
				t.Fatalf("Lookup(%q) = %q, %v; want %q", tt.pointer, b[m.Start:m.End], ok, tt.want)
			}
		})
	}
	if m, ok := Lookup(b, ""); !ok || m.Start != 1 || m.End != len(b) {
		t.Errorf("Lookup of the whole = %+v, %v", m, ok)
	}
	if _, ok := Lookup([]byte(`{"a":`), "/a"); ok {
		t.Error("Lookup found something in half a document")
	}
}

// FuzzChildren checks that the children of a valid container are valid values in order,
// and as many as encoding/json decodes in an array.
func FuzzChildren(f *testing.F) {
	f.Add([]byte(`{"a":1, "b" : [1,{"c":2}] }`))
	f.Add([]byte(`[1, [2], {"x":"\"]"} ]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		Children(b, 0, func(Member) bool { return true }) // must not panic on anything
		Lookup(b, "/a/0/b")
		if Valid(b) != nil {
			return
		}
		n, last := 0, 0
		start := SkipBlank(b, 0)
		Children(b, start, func(m Member) bool {
			if m.Start < last || m.End <= m.Start || Valid(b[m.Start:m.End]) != nil {
				t.Fatalf("child %d of %q is %q", n, b, b[m.Start:m.End])
			}
			if KindAt(b, start) == Object && KindAt(b, m.KeyStart) != String {
				t.Fatalf("key %d of %q is %q", n, b, b[m.KeyStart:m.KeyEnd])
			}
			n, last = n+1, m.End
			return true
		})
		var array []json.RawMessage
		if KindAt(b, start) == Array && json.Unmarshal(b, &array) == nil && len(array) != n {
			t.Fatalf("%d children of %q, want %d", n, b, len(array))
		}
	})
}
