package section_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section"
)

// A name that no array has is searched for in each array once: reading the object for each
// of them would take minutes.
func TestUnknownNameInManyArrays(t *testing.T) {
	text := []byte("{" + strings.Repeat(`"k": ["a"], `, 100_000) + `"z": 1}`)
	d := open(t, content{text: text, tree: abi.Tree{Type: "json-object"}}, section.Settings{})
	if a := d.Read(ref, "nokey"); !a.IsError {
		t.Errorf("%.80s", a.Text)
	}
}

// Each step of a path may read an array first, to count its elements or to find a name. In
// values inside each other that is limited: it would take minutes.
func TestStepsThatReadFirst(t *testing.T) {
	if testing.Short() {
		t.Skip("has no concurrent callers, and takes long with the race detector")
	}
	const depth = 100_000
	for _, c := range []struct{ open, end, step string }{
		{"[1, ", "]", "[-1]"},
		{`[{"name": "x"}, `, "]", "/nobody"},
		{`[{"name": "n", "n": `, "}]", "/n"},
		{`{"*": 1, "k": `, "}", "/*"},
		{`{"k": 1, "k": `, "}", ".k"},
		{`{"k.k": 1, "k": `, "}", ".k"},
	} {
		text := []byte(strings.Repeat(c.open, depth) + "0" + strings.Repeat(c.end, depth))
		d := open(t, content{text: text, tree: abi.Tree{Type: "json"}}, section.Settings{})
		for _, path := range []string{strings.Repeat(c.step, 2048/len(c.step)), "$" + strings.Repeat(c.step, 2048/len(c.step))} {
			if a := d.Read(ref, path); len(a.Text) > 10_000 {
				t.Errorf("%.40s returned %d bytes", path, len(a.Text))
			}
		}
	}
	var many bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&many, `{"b": %d, "c": [%d]}, `, i, i)
	}
	list := []byte(`{"a": [` + many.String() + `0]}`)
	all := open(t, content{text: list, tree: splitJSON(list, 5, false)}, section.Settings{})
	for _, path := range []string{"$.a[*].b", "a[*].c[-1]", "a[*].c[0]"} {
		if a := all.Read(ref, path); a.IsError || len(a.Text) > 10_000 {
			t.Errorf("%s returned %d bytes: %.100s", path, len(a.Text), a.Text)
		}
	}
	xml := []byte(strings.Repeat("<a><b/>", depth) + strings.Repeat("</a>", depth))
	d := open(t, content{text: xml, tree: abi.Tree{Type: "xml"}}, section.Settings{})
	for _, step := range []string{"/a", "/a[last()]", "/a[@k='v']", "/a[b='']", "/a[1]"} {
		if a := d.Read(ref, strings.Repeat(step, 400)); len(a.Text) > 10_000 {
			t.Errorf("%s returned %d bytes", step, len(a.Text))
		}
	}
}
