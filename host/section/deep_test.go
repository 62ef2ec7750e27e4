package section_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/section"
)

// deepJSON returns nested objects like those of a schema: at each of depth levels, an
// object has some words, a few small values, and the next object.
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

// TestCallsToDeepValue checks that a value at level 30 takes at most 8 calls, for
// any size of the values beside the path.
func TestCallsToDeepValue(t *testing.T) {
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
		t.Errorf("%d bytes: %d calls to the deepest leaf, want at most 8", len(text), most)
	}
}

// TestLongPaths checks that a path that is too long for a line begins with the span of a
// Section in its middle, ends with the keys that lead to the part, and can be read.
func TestLongPaths(t *testing.T) {
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
			t.Fatalf("Read(%q) is about %q: %.80s", id, a.Meta.Section, a.Text)
		}
		if strings.HasPrefix(id, "~B") {
			long++
			if _, path, ok := strings.Cut(id, "/"); !ok || len(path)-len(path[strings.LastIndexByte(path, '/')+1:]) > 120 {
				t.Fatalf("%q: want a span, and a path of at most 120 bytes before the last name", id)
			}
		}
		for _, offer := range a.Meta.Offers {
			walk(offer)
		}
	}
	walk("")
	if long == 0 {
		t.Error("no path is too long for a line")
	}
}
