package jsonplace

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	const text = `{"a": [1, {"b.c": "x\"]} FIVE"}, [true]], "d": {"e": null, "": -2.5e3}, "*":0}`
	for _, c := range []struct{ mark, want string }{
		{`"a"`, "a"},
		{`1,`, "a[0]"},
		{`{"b.c`, "a[1]"},
		{`"b.c`, `a[1]["b.c"]`},
		{`FIVE`, `a[1]["b.c"]`},
		{`true`, "a[2][0]"},
		{`null`, "d.e"},
		{`-2.5`, `d[""]`},
		{`0}`, `["*"]`},
	} {
		if got := Of([]byte(text), []int{strings.Index(text, c.mark)})[0]; got != c.want {
			t.Errorf("%s: %s, want %s", c.mark, got, c.want)
		}
	}
}

func TestManyOffsetsInOnePass(t *testing.T) {
	text := []byte(`[{"k":1},{"k":2},{"k":3}]`)
	got := strings.Join(Of(text, []int{1, 6, 14, 22, 22, 400}), " ")
	if got != "[0] [0].k [1].k [2].k [2].k " {
		t.Errorf("%q", got)
	}
}

// A value that is too deep has no path, and costs no memory.
func TestDepth(t *testing.T) {
	text := []byte(strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20))
	if got := Of(text, []int{3, 1 << 20}); got[0] != "[0][0][0]" || got[1] != "" {
		t.Errorf("%q", got)
	}
}

// One pass over all offsets agrees with a pass for each offset.
func FuzzOf(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"c"}]}`), 9)
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		if at < 0 || at > len(text) || !json.Valid(text) {
			return
		}
		if both := Of(text, []int{at / 2, at}); both[0] != Of(text, []int{at / 2})[0] || both[1] != Of(text, []int{at})[0] {
			t.Errorf("%q at %d: %q", text, at, both)
		}
	})
}
