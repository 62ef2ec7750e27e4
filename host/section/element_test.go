package section_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

// picture is XML of which some elements are sections and others stand in leaves.
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

// A path goes on into the leaves of XML: it leads to those that have what it names just
// there, and "!" gives no more of them than that. a//b are all b in a.
func TestPathsIntoLeavesOfXML(t *testing.T) {
	const one, two, three, four = `<x:path d="1"/>`, `<path d="2"/>`, `<path d="3"><path/></path>`, `<path d="4"></path >`
	d := open(t, picture("xml"), section.Settings{})
	for _, c := range []struct {
		rule, path string
		offers     string // of an index, or the section that answers
		whole      string // what "!" gives
	}{
		{"a section and an element in a leaf", "svg/g/path", "svg/g/x:path svg/g=b", one + "\n" + four + "\n"},
		{"not one that stands deeper", "svg/g/g/path", "svg/g/g", ""},
		{"two levels into a leaf", "svg/g/g/g/path", "svg/g/g", ""},
		{"wherever they stand", "svg//path", "svg/g/x:path svg/g/g svg/g=b", one + "\n" + two + "\n" + three + "\n" + four + "\n"},
		{"below the whole", "//path", "svg/g/x:path svg/g/g svg/g=b", one + "\n" + two + "\n" + three + "\n" + four + "\n"},
		{"below some of them", "svg//g/path", "svg/g/x:path svg/g=b", one + "\n" + four + "\n"},
		{"a fold of such a set", "//path/@1..2", "svg/g/g svg/g=b", ""},
		{"what nothing is called", "svg//nothing", "", ""},
	} {
		a := d.Read(ref, c.path)
		got := strings.Join(a.Meta.Offers, " ")
		if a.Meta.Kind == flow.AnswerLeaf {
			got = a.Meta.Section
		}
		if a.IsError != (c.offers == "") || !a.IsError && got != c.offers {
			t.Errorf("%s: %q leads to %q, want %q\n%s", c.rule, c.path, got, c.offers, a.Text)
		}
		if all := d.Read(ref, c.path+"!"); c.whole != "" && string(all.Text) != c.whole {
			t.Errorf("%s: all of %q is\n%s", c.rule, c.path, all.Text)
		}
	}
	if a := open(t, picture("html"), section.Settings{}).Read(ref, "//path"); !a.IsError && len(a.Meta.Offers) > 1 {
		t.Errorf("tags of HTML need not balance: %s", a.Text)
	}
}

// Leaves and sections stand in the order of the text in a set, and a fold of elements
// says what they are called where their titles do not.
func TestASetIsInTheOrderOfTheText(t *testing.T) {
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

// A group of elements with one tag is no element: a path to them leads to them alone,
// which "!" can then give.
func TestASetHasNoGroupOfItsMembers(t *testing.T) {
	text := []byte("<a><b>1</b><c/><b>2</b></a>")
	b := &treeBuilder{text: text, tree: abi.Tree{Type: "xml"}}
	top := b.add(-1, abi.SectionExact, 0, len(text), "a", "")
	group := b.add(top, abi.SectionGroup, 0, 0, "@b", "2 b")
	b.add(group, abi.SectionExact, 3, 11, "b", "1")
	b.add(group, abi.SectionExact, 15, 23, "b-2", "2")
	b.add(top, abi.SectionExact, 11, 15, "c", "")
	d := open(t, content{text: text, tree: b.tree}, section.Settings{})
	if a := d.Read(ref, "a/b-1"); !a.IsError {
		t.Errorf("a number that no sibling has: %s", a.Text)
	}
	if a := d.Read(ref, "a/@b!"); string(a.Text) != "<b>1</b>\n<b>2</b>\n" || a.Meta.Kind != flow.AnswerSearch || a.Meta.Bytes != nil {
		t.Errorf("all of a group between which others stand: %s %s", a.Meta.Kind, a.Text)
	}
	if a := d.Read(ref, "a/@b!9-17"); string(a.Text) != "<b>2</b>" {
		t.Errorf("bytes of it: %s", a.Text)
	}
	if a := d.Read(ref, "//a/b!"); string(a.Text) != "<b>1</b>\n<b>2</b>\n" {
		t.Errorf("%s", a.Text)
	}
}

// Who searches for a tag gets all elements that have it as one set, if they are too many
// to be listed; equal siblings are all called so, and a fold says what it is of.
func TestASearchForATag(t *testing.T) {
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
			t.Errorf("%q is of another kind\n%s", line, a.Text)
		}
	}
	if want := `91 sections match "type" in `; !strings.HasPrefix(string(a.Text), want) { // "types" too
		t.Errorf("want %q\n%s", want, a.Text)
	}
	if a := open(t, registry(90, false), section.Settings{LeafSize: 64}).Read(ref, "?member"); !strings.Contains(string(a.Text), "[registry/types//member] all 60 member (1.2K)") {
		t.Errorf("in leaves: %s", a.Text)
	}
	few := open(t, registry(9, true), section.Settings{LeafSize: 64}).Read(ref, "?member")
	if fmt.Sprint(few.Meta.Offers) != "[registry/types/type=Foo1/member registry/types/type-2/member registry/types/type-3/member registry/types/type=Foo5/member registry/types/type=Foo7/member registry/types/type-5/member]" {
		t.Errorf("few are listed: %s", few.Text)
	}
}
