package section_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/section"
)

// deepJSON is a document of objects in objects like a schema: each key has some words
// beside a few small values, and one of them goes on, depth levels down.
func deepJSON(r *rand.Rand, depth int) string {
	var b strings.Builder
	var object func(depth int)
	object = func(depth int) {
		fmt.Fprintf(&b, `{"description": %q`, strings.Repeat("words ", r.IntN(100)))
		for i := range 1 + r.IntN(3) {
			fmt.Fprintf(&b, `, "side%dOf%d": %q`, i, r.IntN(1000), strings.Repeat("more ", r.IntN(200)))
		}
		if depth > 0 {
			fmt.Fprintf(&b, `, "property%dOf%d": `, r.IntN(1000), depth)
			object(depth - 1)
		}
		b.WriteString(`, "type": "object"}`)
	}
	b.WriteString("{")
	for i := range 60 {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `"definition%d": `, i)
		object(depth)
	}
	b.WriteString("}")
	return b.String()
}

// However deep a value lies, it takes few calls to get there: no more than 8, the goal,
// for 30 levels with some hundred bytes to more than a leaf beside what goes on.
func TestDeepValuesTakeFewCalls(t *testing.T) {
	text := []byte(deepJSON(rand.New(rand.NewPCG(1, 2)), 30))
	d, err := section.New(text, splitJSON(text, 3000, false), section.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	var walk func(id string, calls int)
	walk = func(id string, calls int) {
		a := d.Read("", id)
		most = max(most, calls)
		for _, offer := range a.Meta.Offers {
			walk(offer, calls+1)
		}
	}
	walk("", 0)
	if most > 8 {
		t.Errorf("%d bytes: %d calls to the deepest leaf, want 8 at most", len(text), most)
	}
}

// A path that is too long for a line begins at the bytes of a Section in its middle. It
// still ends with the keys that lead to the part, goes on below it, and is found again.
func TestLongPathsBeginInTheMiddle(t *testing.T) {
	text := []byte(deepJSON(rand.New(rand.NewPCG(3, 4)), 20))
	d, err := section.New(text, splitJSON(text, 500, false), section.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	long := 0
	var walk func(id string)
	walk = func(id string) {
		a := d.Read("", id)
		if a.IsError || a.Meta.Section != id {
			t.Fatalf("%q is answered as %q: %.80s", id, a.Meta.Section, a.Text)
		}
		if strings.HasPrefix(id, "~B") {
			long++
			if _, path, ok := strings.Cut(id, "/"); !ok || len(path)-len(path[strings.LastIndexByte(path, '/')+1:]) > 120 {
				t.Fatalf("%q: want bytes and a path of 120 bytes at most before the last name", id)
			}
		}
		for _, offer := range a.Meta.Offers {
			walk(offer)
		}
	}
	walk("")
	if long == 0 {
		t.Error("no path was too long")
	}
}
