package section_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

// picture returns XML in which some elements are sections and others are in leaves.
func picture(kind string) content {
	const text = `<svg><g><x:path d="1"/><g><path d="2"/><g><path d="3"><path/></path></g></g></g><g id="b"><!--<path/>--><path d="4"></path ></g></svg>`
	b := &treeBuilder{text: []byte(text), tree: abi.Tree{Type: kind}}
	at := func(parent int, id, from, to string) int {
		start := strings.Index(text, from)
		return b.add(parent, abi.SectionExact, start, start+strings.Index(text[start:], to)+len(to), id, id)
	}
	svg := at(-1, "svg", "<svg>", "</svg>")
	g := at(svg, "g", "<g>", "</g></g></g>")
	at(g, "x:path", "<x:path", "/>")
	at(g, "g", `<g><path d="2"`, "</g></g>")
	at(svg, "g=b", `<g id="b">`, "</path ></g>")
	return content{name: "picture", text: b.text, tree: b.tree}
}

// TestElementsInLeaves checks paths that continue into leaves of XML: they lead to the
// leaves with such elements, and with "!" to the elements. a//b is all b in a.
func TestElementsInLeaves(t *testing.T) {
	const one, two, three, four = `<x:path d="1"/>`, `<path d="2"/>`, `<path d="3"><path/></path>`, `<path d="4"></path >`
	d := open(t, picture("xml"), section.Settings{})
	for _, c := range []struct {
		rule, path string
		offers     string // of an index, or the section of a leaf
		whole      string // the answer with "!"
	}{
		{"section and element in a leaf", "svg/g/path", "svg/g/x:path svg/g=b", one + "\n" + four + "\n"},
		{"one element in a leaf", "svg/g/g/path", "svg/g/g!3-16", two},
		{"two levels into a leaf", "svg/g/g/g/path", "svg/g/g!19-45", three},
		{"elements at any level", "svg//path", "svg/g/x:path svg/g/g svg/g=b", one + "\n" + two + "\n" + three + "\n" + four + "\n"},
		{"elements at any level of the content", "//path", "svg/g/x:path svg/g/g svg/g=b", one + "\n" + two + "\n" + three + "\n" + four + "\n"},
		{"elements directly below elements at any level", "svg//g/path", "svg/g/x:path svg/g=b", one + "\n" + four + "\n"},
		{"fold of a set", "//path/@1..2", "svg/g/g svg/g=b", ""},
		{"unknown tag", "svg//nothing", "", ""},
		{"position among the siblings with the tag", "svg/g[2]/path[1]", "!", four},
		{"position with a hyphen", "svg/g-2/path", "svg/g=b!24-44", four},
		{"value of an attribute", "svg/g[@id='b']/path", "svg/g=b!24-44", four},
		{"value of an attribute at any level", `//path[@d="2"]`, "!", two},
		{"value that no attribute has", "svg/g[@id='c']", "", ""},
		{"last position", "svg/g[last()]", "svg/g=b", `<g id="b"><!--<path/>--><path d="4"></path ></g>`},
		{"position in the whole content", "//g[2]", "svg/g=b", `<g id="b"><!--<path/>--><path d="4"></path ></g>`},
		{"position without the parents", "g[2]", "svg/g=b", `<g id="b"><!--<path/>--><path d="4"></path ></g>`},
		{"position of an element in a leaf", "svg/g[1]/g[1]/g[1]/path[1]/path[1]", "!", `<path/>`},
		{"position 0", "svg/g[0]", "", ""},
		{"position of elements in a leaf, at any level", "//path[1]", "svg/g/x:path svg/g/g!3-16 svg/g=b!24-44", ""},
		{"position after the last", "svg/g[3]", "", ""},
	} {
		a := d.Read(ref, c.path)
		got := strings.Join(a.Meta.Offers, " ")
		if a.Meta.Kind == flow.AnswerLeaf {
			got = a.Meta.Section
		}
		if c.offers == "!" && string(a.Text) == c.whole { // the element, not its leaf
			continue
		}
		if a.IsError != (c.offers == "") || !a.IsError && got != c.offers {
			t.Errorf("%s: %q leads to %q, want %q\n%s", c.rule, c.path, got, c.offers, a.Text)
		}
		if all := d.Read(ref, c.path+"!"); c.whole != "" && string(all.Text) != c.whole {
			t.Errorf("%s: Read(%q!) =\n%s", c.rule, c.path, all.Text)
		}
	}
	if a := open(t, picture("html"), section.Settings{}).Read(ref, "//path"); !a.IsError && len(a.Meta.Offers) > 1 {
		t.Errorf("tags of HTML, which need not balance: %s", a.Text)
	}
}

// TestOrderOfSet checks that a set has leaves and sections in the order of the text, and
// that a fold of elements names their tag if their titles do not.
func TestOrderOfSet(t *testing.T) {
	text := []byte("<a><i><t>1</t></i><i><t>2</t></i><i><t>3</t></i></a>")
	b := &treeBuilder{text: text, tree: abi.Tree{Type: "xml"}}
	top := b.add(-1, abi.SectionExact, 0, len(text), "a", "")
	b.add(top, abi.SectionExact, 3, 18, "i=one", "t=1")
	two := b.add(top, abi.SectionExact, 18, 33, "i=two", "t=2")
	b.add(two, abi.SectionExact, 21, 29, "t", "2")
	b.add(top, abi.SectionExact, 33, 48, "i=three", "t=3")
	d := open(t, content{text: text, tree: b.tree}, section.Settings{LeafSize: 8, MaxLines: 2})
	if a := d.Read(ref, "a/i/t!"); string(a.Text) != "<t>1</t>\n<t>2</t>\n<t>3</t>\n" {
		t.Errorf("%s", a.Text)
	}
	if a := d.Read(ref, "a/i/t"); !strings.Contains(string(a.Text), "[a/i/t/@0..1] 2 parts: one, 2 (") {
		t.Errorf("%s", a.Text)
	}
	if a := d.Read(ref, "a/i"); !strings.Contains(string(a.Text), " 2 i: one, two (") {
		t.Errorf("%s", a.Text)
	}
}

// TestGroupOfElements checks that a path to all elements with a tag does not match the
// group of them.
func TestGroupOfElements(t *testing.T) {
	text := []byte("<a><b>1</b><c/><b>2</b></a>")
	b := &treeBuilder{text: text, tree: abi.Tree{Type: "xml"}}
	top := b.add(-1, abi.SectionExact, 0, len(text), "a", "")
	group := b.add(top, abi.SectionGroup, 0, 0, "@b", "2 b")
	b.add(group, abi.SectionExact, 3, 11, "b", "1")
	b.add(group, abi.SectionExact, 15, 23, "b-2", "2")
	b.add(top, abi.SectionExact, 11, 15, "c", "")
	d := open(t, content{text: text, tree: b.tree}, section.Settings{})
	if a := d.Read(ref, "a/b-1"); string(a.Text) != "<b>1</b>" {
		t.Errorf("number that is no id: %s", a.Text)
	}
	if a := d.Read(ref, "a/b-3"); !a.IsError {
		t.Errorf("unknown number of a sibling: %s", a.Text)
	}
	if a := d.Read(ref, "a/@b!"); string(a.Text) != "<b>1</b>\n<b>2</b>\n" || a.Meta.Kind != flow.AnswerSearch || a.Meta.Bytes != nil {
		t.Errorf("group with other parts between its members: %s %s", a.Meta.Kind, a.Text)
	}
	if a := d.Read(ref, "a/@b!9-17"); string(a.Text) != "<b>2</b>" {
		t.Errorf("range of the group: %s", a.Text)
	}
	if a := d.Read(ref, "//a/b!"); string(a.Text) != "<b>1</b>\n<b>2</b>\n" {
		t.Errorf("%s", a.Text)
	}
}

// TestSearchForTag checks that a search for a tag offers all elements with the tag as one
// set if there are too many to be listed, and that folds of hits name the tag.
func TestSearchForTag(t *testing.T) {
	d := open(t, registry(90, true), section.Settings{LeafSize: 64})
	a := d.Read(ref, "?member")
	lines := strings.Split(string(a.Text), "\n")
	if len(lines) < 3 || lines[1] != "[registry/types//member] all 60 member (1.2K)" {
		t.Errorf("%s", a.Text)
	}
	if all := d.Read(ref, "registry/types//member!"); strings.Count(string(all.Text), "<member>") != 60 {
		t.Errorf("%s", all.Text)
	}
	a = d.Read(ref, "?type")
	for _, line := range strings.Split(strings.TrimSpace(string(a.Text)), "\n")[1:] {
		if strings.Contains(line, "..") && !strings.Contains(line, " type: ") {
			t.Errorf("line %q does not name the tag\n%s", line, a.Text)
		}
	}
	if want := `91 sections match "type" in `; !strings.HasPrefix(string(a.Text), want) { // "types" too
		t.Errorf("want %q\n%s", want, a.Text)
	}
	if a := open(t, registry(90, false), section.Settings{LeafSize: 64}).Read(ref, "?member"); !strings.Contains(string(a.Text), "[registry/types//member] all 60 member (1.2K)") {
		t.Errorf("elements in leaves: %s", a.Text)
	}
	few := open(t, registry(9, true), section.Settings{LeafSize: 64}).Read(ref, "?member")
	if fmt.Sprint(few.Meta.Offers) != "[registry/types/type=Foo1/member registry/types/type-2/member registry/types/type-3/member registry/types/type=Foo5/member registry/types/type=Foo7/member registry/types/type-5/member]" {
		t.Errorf("few elements are not listed: %s", few.Text)
	}
}
