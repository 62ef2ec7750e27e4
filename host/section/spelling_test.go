package section_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section"
)

// leaves returns a content with one section for each line. A line with a leading
// blank is below the last line without one.
func leaves(kind string, lines ...string) content {
	b := &treeBuilder{tree: abi.Tree{Type: kind}}
	b.text = []byte(strings.Join(lines, "\n") + "\n")
	at, top := 0, -1
	for _, line := range lines {
		id, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		parent := -1
		if line[0] == ' ' {
			parent = top
		}
		i := b.add(parent, abi.SectionExact, at, at+len(line)+1, abi.Segment(id), line)
		if at += len(line) + 1; parent < 0 {
			top = i
		} else {
			b.tree.Sections[top].End = at
		}
	}
	return content{name: kind, text: b.text, tree: b.tree}
}

// TestSpellings checks the spellings of a path that models use instead of an offered
// id.
func TestSpellings(t *testing.T) {
	json := []byte(`{"list": [{"name": "a"}, {"name": "b", "x/y": {"p.q": 1}}], "a b": {"c": true}}`)
	markdown := []byte("# Guide\nintro\n## Proxy Settings\nport\n## Input/Output\n### stdin/stdout\nstreams\n")
	code := leaves("rust", "Cart struct", " add fn add", "Store struct", "Set.Add fn (s *Set) Add()")
	flows := content{text: []byte(`{"list": [{"id": "flow1", "nodes": [{"id": "f1"}, {"name": "f2"}]}, {"id": "flow2", "nodes": [{"id": "f1", "n": 1}, {"key": "k"}, {"key": "k"}]}]}`), tree: abi.Tree{Type: "json-object"}}
	split := content{text: json, tree: splitJSON(json, 5, false)}
	whole := content{text: json, tree: abi.Tree{Type: "json-object"}}
	guide := content{text: markdown, tree: splitMarkdown(markdown, 10)}
	for _, c := range []struct {
		rule string
		content
		path, want string
	}{
		{"slashes", split, "list/1/name", `"b"`},
		{"leading slash", split, "/list/1/name", `"b"`},
		{"trailing slash", split, "list/1/name/", `"b"`},
		{"surrounding white space", split, " list/1/name\n", `"b"`},
		{"brackets of a copied line", split, "[list/1/name] (3B)", `"b"`},
		{"dots", split, "list.1.name", `"b"`},
		{"index in brackets", split, "list[1].name", `"b"`},
		{"key in brackets", split, "list[1]['name']", `"b"`},
		{"JSON path", split, "$.list[1].name", `"b"`},
		{"JSON path with quotes", split, `$['list'][1]["name"]`, `"b"`},
		{"JSON path with a slash in a key", split, "$.list[1]['x/y']['p.q']", "1"},
		{"last elements of all lists", content{text: []byte(`[[1, 2], [3, 4], [5]]`), tree: abi.Tree{Type: "json-array"}}, "[*][-1]!", "2\n4\n5\n"},
		{"name with a slash", split, "list/1/x/y/p.q", "1"},
		{"name with a slash in a value without sections", whole, "list/1/x/y/p.q", "1"},
		{"name with a slash after a dot", whole, "list[1].x/y", `{"p.q": 1}`},
		{"JSON pointer", split, "#/list/1/name", `"b"`},
		{"JSON pointer with an escape", split, "#/list/1/x~1y/p.q", "1"},
		{"escaped slash in a key", split, "list/1/x%2Fy/p.q", "1"},
		{"blank in a key", split, "a b/c", "true"},
		{"escaped blank in a key", split, "a%20b/c", "true"},
		{"brackets at the beginning", split, "['list'][0].name", `"a"`},

		{"dots below the last section", whole, "list[1].name", `"b"`},
		{"JSON path below the last section", whole, "$.list[1]['name']", `"b"`},
		{"JSON pointer below the last section", whole, "#/list/1/x~1y", `{"p.q": 1}`},
		{"index at the beginning", content{text: []byte(`[{"name": "a"}, {"name": "b"}]`)}, "[1].name", `"b"`},

		{"slugs", guide, "guide/proxy-settings", "## Proxy Settings\nport\n"},
		{"headings", guide, "Guide/Proxy Settings", "## Proxy Settings\nport\n"},
		{"slugs with dots", guide, "guide.proxy-settings", "## Proxy Settings\nport\n"},
		{"slug without its parents", guide, "proxy-settings", "## Proxy Settings\nport\n"},
		{"heading without its parents", guide, "Proxy Settings", "## Proxy Settings\nport\n"},
		{"heading in another case", guide, "proxy settings", "## Proxy Settings\nport\n"},
		{"heading with a slash", guide, "stdin/stdout", "### stdin/stdout\nstreams\n"},

		{"two colons", code, "Cart::add", " add fn add\n"},
		{"number sign", code, "Cart#add", " add fn add\n"},
		{"name without its parents", code, "add", " add fn add\n"},
		{"method of an id with a dot, two colons", code, "Set::Add", "Set.Add fn (s *Set) Add()\n"},
		{"method of an id with a dot, a slash", code, "Set/Add", "Set.Add fn (s *Set) Add()\n"},
		{"call", code, "Set.Add(x)", "Set.Add fn (s *Set) Add()\n"},
		{"declaration", code, "struct Cart", "Cart struct\n add fn add\n"},
		{"declaration of a method", code, "func (s *Set) Add()", "Set.Add fn (s *Set) Add()\n"},

		{"element by its id", flows, "list/flow2/nodes/f1/n", "1"},
		{"element by its name", flows, "list/flow1/nodes/f2", `{"name": "f2"}`},
		{"element of an array whose key is skipped", flows, "list.flow2.f1", `{"id": "f1", "n": 1}`},
	} {
		a := open(t, c.content, section.Settings{LeafSize: 64}).Read(ref, c.path)
		if a.IsError || string(a.Text) != c.want {
			t.Errorf("%s: Read(%q) = %q, want %q", c.rule, c.path, a.Text, c.want)
		}
	}
	if a := open(t, flows, section.Settings{}).Read(ref, "list/flow2/nodes/k"); fmt.Sprint(a.Meta.Offers) != "[list/1/nodes/1 list/1/nodes/2]" {
		t.Errorf("the name of two elements: Read returned %s", a.Text)
	}
	for _, c := range []content{split, whole} {
		if a := open(t, c, section.Settings{}).Read(ref, "$.list[*].name"); !strings.HasPrefix(string(a.Text), "2 sections match") {
			t.Errorf("wildcard index: Read returned %s", a.Text)
		}
	}
}

// TestNamesInTitles checks that the name at the beginning of a title is a path, and the
// value of a group without escapes.
func TestNamesInTitles(t *testing.T) {
	text := []byte(`[{"id":"x1"},{"id":"x2"},{"id":"x3"}]`)
	b := &treeBuilder{text: text, tree: abi.Tree{Type: "json-array"}}
	kitchen := b.add(-1, abi.SectionGroup, 0, 0, "@z=x1", "Kitchen: 2 nodes")
	b.add(kitchen, abi.SectionExact, 1, 12, "x1", "Kitchen, tab")
	in := b.add(kitchen, abi.SectionGroup, 0, 0, "@z=x1,type=mqtt%20in", "mqtt in: 1 node")
	b.add(in, abi.SectionExact, 13, 24, "x2", "Lamp of the hall, mqtt in")
	b.add(-1, abi.SectionExact, 25, 36, "x3", "Tap, tab")
	d := open(t, content{text: text, tree: b.tree}, section.Settings{LeafSize: 64})
	for path, want := range map[string]string{
		"Kitchen": "@z=x1", "Lamp of the hall": "x2", "Tap": "x3", "type=mqtt in": "@z=x1,type=mqtt%20in", "@type=mqtt in": "@z=x1,type=mqtt%20in",
		"@z=x1,type=mqtt in": "@z=x1,type=mqtt%20in", "tab": "", "type=mqtt": "",
	} {
		if a := d.Read(ref, path); a.IsError != (want == "") || want != "" && a.Meta.Section != want {
			t.Errorf("Read(%q) is about %q, want %q: %s", path, a.Meta.Section, want, a.Text)
		}
	}
}

// TestPathBelowLeaf checks paths that continue below a leaf of a type without paths.
func TestPathBelowLeaf(t *testing.T) {
	data := leaves("yaml", "task-3 {name: a, on: [b]}", "spec spec", " name name: x")
	for _, c := range []struct {
		rule string
		content
		path, want string // the section of the answer, "" for an error
	}{
		{"key of YAML", data, "task-3/on", "task-3"},
		{"unknown key of YAML", data, "task-3/doesnotexist", ""},
		{"attribute of XML", leaves("xml", "top", " b5 <book lang='en'/>"), "top/b5/lang", "top/b5"},
		{"word of code", leaves("rust", "P struct P(size int)"), "P/size", ""},
		{"position in a list in a leaf", leaves("yaml", "task-3 {on: [b, c]}"), "task-3/on/1", "task-3"},
		{"key of an item in a leaf", leaves("yaml", "task-3 {on: [{b: 1}, {c: 2}]}"), "task-3.on[1].c", "task-3"},
		{"position that no list of a leaf can have", leaves("yaml", "task-3 {on: [b, c]}"), "task-3/on/2", ""},
		{"number in the text of a leaf", leaves("yaml", "task-3 {level: 3}"), "task-3/3", ""},
		{"position in code", leaves("rust", "P struct P(size int)"), "P/0", ""},
	} {
		a := open(t, c.content, section.Settings{LeafSize: 64}).Read(ref, c.path)
		if a.IsError != (c.want == "") || a.Meta.Section != c.want {
			t.Errorf("%s: Read(%q) returned section %q (error %t), want %q\n%s", c.rule, c.path, a.Meta.Section, a.IsError, c.want, a.Text)
		}
	}
}

// TestEndOfID checks that the last component of an id, or an abbreviated hash, names
// a section.
func TestEndOfID(t *testing.T) {
	c := leaves("code", "Service:app0 s", "book=b5 b", "dir/line.go d", "dir/outline.go d", "S.Run3 s", "Cart c", " add3 a", "38960a8f3855 commit", "Sub.x s", "Sup.x s")
	d := open(t, c, section.Settings{LeafSize: 64})
	for path, want := range map[string]string{
		"app0": "Service:app0", "b5": "book=b5", "line.go": "dir%2Fline.go", "Run3": "S.Run3", "Cart#add3": "Cart/add3",
		"38960a8": "38960a8f3855", "38960a8f38557b047450": "38960a8f3855", "x": "", "38960a": "", "un3": "",
	} {
		if a := d.Read(ref, path); a.IsError != (want == "") || want != "" && a.Meta.Section != want {
			t.Errorf("Read(%q) returned section %q, want %q\n%s", path, a.Meta.Section, want, a.Text)
		}
	}
	keys := []byte(`{"list": [{"a.b": "text"}]}`)
	if a := open(t, content{text: keys, tree: splitJSON(keys, 5, false)}, section.Settings{}).Read(ref, "list/b"); !a.IsError {
		t.Errorf("the last component of a JSON key is not a name: Read returned %s", a.Text)
	}
}

// TestTitleAnywhere checks that a title names a section whose id is not its slug.
func TestTitleAnywhere(t *testing.T) {
	b := &treeBuilder{text: []byte("<h1>CSP</h1><h2 id=sotd>Status of this document</h2>draft"), tree: abi.Tree{Type: "html"}}
	at := bytes.Index(b.text, []byte("<h2"))
	top := b.add(-1, abi.SectionExact, 0, len(b.text), "csp", "CSP")
	b.add(top, abi.SectionExact, 0, at, "intro", "CSP")
	b.add(top, abi.SectionExact, at, len(b.text), "sotd", "Status of this document")
	d := open(t, content{text: b.text, tree: b.tree}, section.Settings{})
	if a := d.Read(ref, "Status of this Document"); !bytes.Equal(a.Text, b.text[at:]) {
		t.Errorf("Read of the title returned %q", a.Text)
	}
}

// TestLongSet checks that a set with a long path, and a range of it, can be read.
func TestLongSet(t *testing.T) {
	long := strings.Repeat("a rather long heading ", 7)
	text := []byte("# " + long + "\none\n# " + long + "\ntwo\n")
	d := open(t, content{text: text, tree: splitMarkdown(text, 10)}, section.Settings{})
	title := strings.TrimSpace(long)
	if a := d.Read(ref, title); a.IsError || len(a.Meta.Offers) != 2 {
		t.Errorf("set: %s", a.Text)
	}
	if a := d.Read(ref, title+"/@0..1"); a.IsError {
		t.Errorf("range of the set: %s", a.Text)
	}
}
