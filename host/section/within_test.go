package section_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section"
)

// leaves is a content of one line a section; a leading blank puts a line below the
// last one without.
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

// A section whose names fit comes before the one in which the path ends, and a leaf
// answers only for what is in it.
func TestAPathThatGoesOnBelowALeaf(t *testing.T) {
	code := leaves("rust", "P struct P(size int)", "impl-P<T> impl", " move_3 fn move_3", " stop fn stop", "Q struct", "S.Run3 func", "impl-Q impl", " stop fn stop", "Store: class", " item3 def")
	data := leaves("yaml", "task-3 {name: a, on: [b]}", "spec spec", " name name: x")
	for _, c := range []struct {
		rule string
		content
		path, want string // the section that answers, or the first that an error offers
		known      bool
	}{
		{"a method of a type in its block", code, "P/move_3", "impl-P<T>/move_3", true},
		{"with a dot", code, "P.move_3", "impl-P<T>/move_3", true},
		{"with colons", code, "P::stop", "impl-P<T>/stop", true},
		{"of another type", code, "Q::stop", "impl-Q/stop", true},
		{"whose receiver is in the id", code, "S/Run3", "S.Run3", true},
		{"of a type that begins as YAML", code, "Store.item3", "Store:/item3", true},
		{"what the leaf speaks of", code, "P/size", "P", true},
		{"with a position behind it", code, "P/size/0", "P", true},
		{"what nothing is called", code, "P.nonsense", "P", false},
		{"nor below a section found by its name", code, "move_3/nonsense", "impl-P<T>/move_3", false},
		{"half a word of the leaf", code, "P/siz", "P", false},
		{"a position of text", code, "P/0", "P", false},
		{"a key of data", data, "task-3/on", "task-3", true},
		{"an item of data", data, "task-3/on/0", "task-3", true},
		{"an attribute below one found by its name", leaves("xml", "top", " b5 <book lang='en'/>"), "b5/@lang", "top/b5", true},
		{"no key of data", data, "task-3/doesnotexist", "task-3", false},
	} {
		a := open(t, c.content, section.Settings{LeafSize: 64}).Read(ref, c.path)
		got := a.Meta.Section
		if a.IsError {
			got, _, _ = strings.Cut(strings.Trim(fmt.Sprint(a.Meta.Offers), "[]"), " ")
		}
		if a.IsError == c.known || got != c.want {
			t.Errorf("%s: %q answers of %q (error %t), want %q\n%s", c.rule, c.path, got, a.IsError, c.want, a.Text)
		}
	}
}

// Names that a model types are the ends of ids, and hashes cut short.
func TestTheEndOfAnID(t *testing.T) {
	for kind, lines := range map[string][]string{
		"code": {"Service:app0 s", "book=b5 b", "dir/line.go d", "dir/outline.go d", "S.Run3 s", "Cart c", " add3 a", "38960a8f3855 commit", "Sub.x s", "Sup.x s"},
	} {
		d := open(t, leaves(kind, lines...), section.Settings{LeafSize: 64})
		for path, want := range map[string]string{
			"app0": "Service:app0", "b5": "book=b5", "line.go": "dir%2Fline.go", "Run3": "S.Run3", "Cart#add3": "Cart/add3",
			"38960a8": "38960a8f3855", "38960a8f38557b047450": "38960a8f3855", "x": "", "38960a": "", "un3": "",
		} {
			if a := d.Read(ref, path); a.IsError != (want == "") || want != "" && a.Meta.Section != want {
				t.Errorf("%q answers of %q, want %q\n%s", path, a.Meta.Section, want, a.Text)
			}
		}
	}
	keys := []byte(`{"list": [{"a.b": "text"}]}`)
	if a := open(t, content{text: keys, tree: splitJSON(keys, 5, false)}, section.Settings{}).Read(ref, "list/b"); !a.IsError {
		t.Errorf("a key of JSON is no more than it says: %s", a.Text)
	}
}

func TestJSONPathsAsOthersWriteThem(t *testing.T) {
	text := []byte(`{"list": [{"name": "a"}, {"name": "b", "x/y": {"p.q": 1}}]}`)
	for _, leaf := range []int{5, 1000} {
		d := open(t, content{text: text, tree: splitJSON(text, leaf, false)}, section.Settings{})
		for path, want := range map[string]string{
			"list[1]['name']": `"b"`, `$.list[1]["name"]`: `"b"`, "$['list'][1].name": `"b"`, "#/list/1/name": `"b"`,
			"#/list/1/x~1y": `{"p.q": 1}`, "$.list[1]['x/y']['p.q']": "1", "$.list[0].name": `"a"`, "['list'][1]['x/y']": `{"p.q": 1}`,
		} {
			if a := d.Read(ref, path); string(a.Text) != want {
				t.Errorf("%s reads %q, want %q", path, a.Text, want)
			}
		}
		if a := d.Read(ref, "$.list[*].name"); !strings.HasPrefix(string(a.Text), "2 sections fit") {
			t.Errorf("all items: %s", a.Text)
		}
	}
	array := []byte(`[{"name": "a"}, {"name": "b"}]`)
	d := open(t, content{text: array}, section.Settings{})
	for _, path := range []string{"[1]['name']", "$[1].name", "#/1/name", "[1].name"} {
		if a := d.Read(ref, path); string(a.Text) != `"b"` {
			t.Errorf("%s reads %q", path, a.Text)
		}
	}
}

// What an error offers is a name or what a search finds, never an empty id.
func TestTheNearestOfNamesThatAreInATextOnly(t *testing.T) {
	d := open(t, leaves("markdown", "alpha one", "beta with a Sub one in it", "gamma three"), section.Settings{LeafSize: 64})
	if a := d.Read(ref, "Sub one"); !a.IsError || len(a.Meta.Offers) == 0 || a.Meta.Offers[0] != "beta" {
		t.Errorf("a heading in a leaf: %s", a.Text)
	}
	if a := d.Read(ref, "!50-10"); !a.IsError || len(a.Meta.Offers) > 0 || strings.Contains(string(a.Text), "[]") {
		t.Errorf("no range: %s", a.Text)
	}
}
