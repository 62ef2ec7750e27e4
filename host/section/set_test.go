package section_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

// registry returns XML with many elements with the same tag. If split, their children are
// sections, else they are leaves.
func registry(types int, split bool) content {
	b := &treeBuilder{tree: abi.Tree{Type: "xml"}, text: []byte("<registry><types>")}
	top := b.add(-1, abi.SectionExact, 0, 0, "registry", "registry")
	list := b.add(top, abi.SectionExact, 10, 0, "types", "types")
	for n := range types {
		start := len(b.text)
		id := "type"
		if n%2 == 1 {
			id = fmt.Sprintf("type=Foo%d", n)
		} else if n > 0 {
			id = fmt.Sprintf("type-%d", n/2+1)
		}
		b.text = fmt.Appendf(b.text, "<type name='Foo%d'>", n)
		at := len(b.text)
		b.text = append(b.text, "<kind>k</kind>"...)
		end := len(b.text)
		if n%3 > 0 {
			b.text = fmt.Appendf(b.text, "<member>m%d</member>", n)
		}
		to := len(b.text)
		b.text = append(b.text, "</type>"...)
		i := b.add(list, abi.SectionExact, start, len(b.text), id, fmt.Sprintf("Foo%d", n))
		if split {
			b.add(i, abi.SectionExact, at, end, "kind", "k")
		}
		if split && n%3 > 0 {
			b.add(i, abi.SectionExact, end, to, "member", fmt.Sprintf("m%d", n))
		}
	}
	b.text = append(b.text, "</types>"...)
	b.tree.Sections[list].End = len(b.text)
	b.text = append(b.text, "</registry>"...)
	b.tree.Sections[top].End = len(b.text)
	return content{name: "registry", text: b.text, tree: b.tree}
}

// TestSetOfPath checks that a path that matches several parts returns an index of them. Each
// segment may match several parts, which may be numbered or named by a value.
func TestSetOfPath(t *testing.T) {
	for _, c := range []struct {
		rule, path, first, offers string
		of                        content
	}{
		{"members of all types", "registry/types/type/member", "4 sections match", "registry/types/type=Foo1/member registry/types/type-2/member registry/types/type-3/member registry/types/type=Foo5/member", registry(6, true)},
		{"child of one type", "registry/types/type=Foo5/kind", "<kind>", "", registry(6, true)},
		{"title", "registry/types/Foo1/kind", "<kind>", "", registry(6, true)},
		{"one match", "registry/types/type/member", "<member>m1", "", registry(2, true)},
		{"leaf beside a section", "registry/types/type/member", "2 sections match", "registry/types/type=Foo1/member registry/types/type-2", registry(3, true).cut(2)},
		{"elements in leaves", "registry/types/type/member", "4 sections match", "registry/types/type=Foo1 registry/types/type-2 registry/types/type-3 registry/types/type=Foo5", registry(6, false)},
		{"attributes in leaves", "registry/types/type/name", "6 sections match", "", registry(6, false)},
		{"value of an attribute", "registry/types/type/Foo1", "no section", "", registry(6, false)},
		{"equal siblings anywhere", "type/member", "2 sections match", "registry/types/type-2/member registry/types/type-3/member", registry(6, true)},
		{"name without its parents", "types/type/member", "4 sections match", "", registry(6, true)},
	} {
		d := open(t, c.of, section.Settings{LeafSize: 64})
		a := d.Read(ref, c.path)
		if !bytes.HasPrefix(a.Text, []byte(c.first)) || c.offers != "" && strings.Join(a.Meta.Offers, " ") != c.offers {
			t.Errorf("%s: %q\n%s", c.rule, a.Meta.Offers, a.Text)
		}
	}
}

// cut removes the last n sections of a content.
func (c content) cut(n int) content {
	c.tree.Sections = c.tree.Sections[:len(c.tree.Sections)-n]
	return c
}

// TestFoldsOfSet checks that a large set is folded by position below its path, and that any
// such range can be read.
func TestFoldsOfSet(t *testing.T) {
	if testing.Short() {
		t.Skip("has one goroutine, and takes long with the race detector")
	}
	c := registry(900, true)
	d := open(t, c, section.Settings{LeafSize: 64})
	const path = "registry/types/type/member"
	seen := 0
	var crawl func(id string)
	crawl = func(id string) {
		a := d.Read(ref, id)
		switch {
		case a.IsError:
			t.Fatalf("%q: %s", id, a.Text)
		case a.Meta.Kind == flow.AnswerLeaf:
			seen += bytes.Count(a.Text, []byte("<member>"))
		case len(a.Meta.Offers) > 24 || len(a.Text) > 4096:
			t.Errorf("%q: %d lines, %d bytes", id, len(a.Meta.Offers), len(a.Text))
		}
		for _, o := range a.Meta.Offers {
			crawl(o)
		}
	}
	crawl(path)
	if seen != 600 {
		t.Errorf("the set has %d members, want 600", seen)
	}
	for id, want := range map[string]string{
		path + "/@3..4":       "[registry/types/type=Foo5/member] m5 ",
		"/" + path + "/@0..1": "[registry/types/type=Foo1/member] m1 ",
		path + "/@0..999":     "no section ",
		path + "?m1399":       "no section matches ",
		path + "?m898":        "<member>m898</member>",
	} {
		if a := d.Read(ref, id); !bytes.HasPrefix(a.Text, []byte(want)) {
			t.Errorf("%q: %.200s", id, a.Text)
		}
	}
}

// TestWholeSet checks that "!" after a path that matches several parts returns the bytes of
// all of them, in pieces if they exceed the limit.
func TestWholeSet(t *testing.T) {
	d := open(t, registry(6, true), section.Settings{LeafSize: 64})
	a := d.Read(ref, "registry/types/type/member!")
	if string(a.Text) != "<member>m1</member>\n<member>m2</member>\n<member>m4</member>\n<member>m5</member>\n" ||
		a.Meta.Kind != flow.AnswerSearch || a.Meta.Bytes != nil {
		t.Errorf("%s %v: %s", a.Meta.Kind, a.Meta.Bytes, a.Text)
	}
	d = open(t, registry(900, true), section.Settings{LeafSize: 64, MaxWholeBytes: 3000})
	a = d.Read(ref, "registry/types/type/member!")
	var all []byte
	for _, o := range a.Meta.Offers {
		all = append(all, d.Read(ref, o).Text...)
	}
	if len(a.Meta.Offers) < 4 || bytes.Count(all, []byte("<member>")) != 600 {
		t.Errorf("%d pieces with %d members: %.200s", len(a.Meta.Offers), bytes.Count(all, []byte("<member>")), a.Text)
	}
}

// TestOfferedIDIsNotSet checks that an offered id names one part, also if equal siblings
// have the same name with a number.
func TestOfferedIDIsNotSet(t *testing.T) {
	d := open(t, registry(6, true), section.Settings{LeafSize: 64})
	for id, text := range map[string]string{
		"registry/types/type/kind": "<kind>k</kind>", "registry/types/type/kind!": "<kind>k</kind>", "[registry/types/type/kind]": "<kind>k</kind>",
		"registry/types/type!": "<type name='Foo0'><kind>k</kind></type>", "registry/types/type?kind": "<kind>k</kind>", "registry/types/type=Foo3!": "<type name='Foo3'><kind>k</kind></type>",
	} {
		if a := d.Read(ref, id); string(a.Text) != text {
			t.Errorf("%s: %.200q, want %q", id, a.Text, text)
		}
	}
}

// TestPiecesOfSet checks that the pieces of a set consist of whole parts.
func TestPiecesOfSet(t *testing.T) {
	b := &treeBuilder{tree: abi.Tree{Type: "xml"}}
	for i := range 60 {
		from := len(b.text)
		b.text = fmt.Appendf(b.text, "<dep>\n  %s\n</dep>", strings.Repeat("n ", 50+i))
		b.add(-1, abi.SectionExact, from, len(b.text), fmt.Sprintf("dep-%d", i+1), "dep")
	}
	d := open(t, content{text: b.text, tree: b.tree}, section.Settings{MaxWholeBytes: 3000})
	a := d.Read(ref, "dep!")
	var all []byte
	for _, o := range a.Meta.Offers {
		piece := d.Read(ref, o).Text
		if all = append(all, piece...); len(piece) > 3000 || !bytes.HasPrefix(piece, []byte("<dep>")) || !bytes.HasSuffix(piece, []byte("</dep>\n")) {
			t.Errorf("%s has %d bytes: %.30q", o, len(piece), piece)
		}
	}
	if n := len(a.Meta.Offers); n < 3 || n > 24 || bytes.Count(all, []byte("<dep>")) != 60 {
		t.Errorf("%d pieces: %s", n, a.Text)
	}
}

// TestSetWithoutItems checks that a path may skip the elements of a JSON array and the items
// of a YAML list.
func TestSetWithoutItems(t *testing.T) {
	json := []byte(`{"items":[{"id":1,"name":"a","in":[{"x":1},{"x":2}]},{"id":2},{"id":3,"name":"c","in":[{"x":3}]}]}`)
	yaml := []byte("spec:\n  containers:\n  - image: one\n    name: a\n  - name: b\n  - image: three\n")
	y := &treeBuilder{text: yaml, tree: abi.Tree{Type: "yaml"}}
	spec := y.add(-1, abi.SectionExact, 0, len(yaml), "spec", "spec")
	list := y.add(spec, abi.SectionExact, 6, len(yaml), "containers", "containers")
	for n, item := range []string{"  - image: one\n    name: a\n", "  - name: b\n", "  - image: three\n"} {
		at := bytes.Index(yaml, []byte(item))
		y.add(list, abi.SectionExact, at, at+len(item), fmt.Sprint(n), "")
	}
	for _, c := range []struct{ rule, path, want string }{
		{"member of each element", "items/name", "items/0/name items/2/name"},
		{"member of nested elements", "items/in/x", "items/0/in/0/x items/0/in/1/x items/2/in/0/x"},
		{"member of one element", "items/2/in/x", ""},
	} {
		for rule, tree := range map[string]abi.Tree{"without sections": {Type: "json-object"}, "with sections": splitJSON(json, 10, false)} {
			d := open(t, content{text: json, tree: tree}, section.Settings{})
			a := d.Read(ref, c.path)
			if strings.Join(a.Meta.Offers, " ") != c.want || c.want == "" && string(a.Text) != "3" {
				t.Errorf("%s, %s: %s", c.rule, rule, a.Text)
			}
		}
	}
	d := open(t, content{text: yaml, tree: y.tree}, section.Settings{LeafSize: 64})
	if a := d.Read(ref, "spec/containers/image"); strings.Join(a.Meta.Offers, " ") != "spec/containers/0 spec/containers/2" {
		t.Errorf("YAML: %s", a.Text)
	}
}

// TestLimitsOfSet checks that a path that matches too many parts, or is too long, has an
// answer within the limits.
func TestLimitsOfSet(t *testing.T) {
	if testing.Short() {
		t.Skip("has one goroutine, and takes long with the race detector")
	}
	var b bytes.Buffer
	b.WriteString(`{"a":[`)
	for n := range 6000 {
		fmt.Fprintf(&b, `{"b c?":%d},`, n)
	}
	b.WriteString(`0]}`)
	d := open(t, content{text: b.Bytes(), tree: abi.Tree{Type: "json-object"}}, section.Settings{})
	a := d.Read(ref, "a/b c%3F")
	if !bytes.HasPrefix(a.Text, []byte("4096 or more sections match")) || len(a.Meta.Offers) > 24 || len(a.Text) > 4096 {
		t.Errorf("%d lines, %d bytes: %.100s", len(a.Meta.Offers), len(a.Text), a.Text)
	}
	for _, o := range a.Meta.Offers {
		if got := d.Read(ref, o); got.IsError || !bytes.Contains(a.Text, []byte("["+o+"]")) {
			t.Fatalf("%q: %.100s", o, got.Text)
		}
	}
	long := strings.Repeat("a/", 5000) + "@0..1"
	if a := d.Read(ref, long); !a.IsError {
		t.Errorf("%.100s", a.Text)
	}
}
