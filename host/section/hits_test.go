package section_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section"
)

// members returns n parts below one parent, of which two in every step mention a lamp,
// and then a part with the name lamp.
func members(n, step int) content {
	b := &treeBuilder{tree: abi.Tree{Type: "text"}}
	list := b.add(-1, abi.SectionExact, 0, 0, "list", "the list")
	for i := range n {
		from := len(b.text)
		word := "chair"
		if i%step < 2 {
			word = "lamp"
		}
		b.text = fmt.Appendf(b.text, "%d: a %s of %s\n", i, word, strings.Repeat("wood ", 8))
		b.add(list, abi.SectionExact, from, len(b.text), fmt.Sprintf("part-%d", (i*7)%n), fmt.Sprintf("row %d", i))
	}
	b.tree.Sections[list].End = len(b.text)
	from := len(b.text)
	b.text = append(b.text, "the last\n"...)
	b.add(-1, abi.SectionExact, from, len(b.text), "lamp", "lamp")
	return content{text: b.text, tree: b.tree}
}

// TestSearchFolds checks that hits near each other share a line, so that few lines reach
// all of them.
func TestSearchFolds(t *testing.T) {
	for _, c := range []struct {
		rule        string
		parts, step int
		hits        int
		line        string // in the answer
	}{
		{"only hits", 1500, 2, 1501, "[list/@0..107] 108 parts: row 0 .. row 107 ("},
		{"some hits", 1500, 10, 301, "[list/@0..101] 22 of 102 parts: row 0 .. row 101 ("},
		{"few hits", 100, 10, 21, "] 1: a lamp of wood wood"},
	} {
		d := open(t, members(c.parts, c.step), section.Settings{})
		a := d.Read(ref, "?lamp")
		first, _, _ := strings.Cut(string(a.Text), "\n")
		want := fmt.Sprintf(`%d sections match "lamp"`, c.hits)
		if c.hits > 24 {
			want += fmt.Sprintf(" in %d lines", len(a.Meta.Offers))
		}
		if first != want || len(a.Meta.Offers) > 24 || !strings.Contains(string(a.Text), c.line) {
			t.Errorf("%s: want %q and a line with %q\n%s", c.rule, want, c.line, a.Text)
		}
		if a.Meta.Offers[0] != "lamp" {
			t.Errorf("%s: %q is before the section with this name", c.rule, a.Meta.Offers[0])
		}
		reached := 0
		for _, id := range a.Meta.Offers[1:] {
			reached += bytes.Count(d.Read(ref, id+"!").Text, []byte("lamp"))
		}
		if reached != c.hits-1 {
			t.Errorf("%s: lines reach %d hits, want %d\n%s", c.rule, reached, c.hits-1, a.Text)
		}
		if again := d.Read(ref, "?lamp"); !bytes.Equal(again.Text, a.Text) {
			t.Errorf("%s: the second answer differs from the first", c.rule)
		}
	}
}

// TestSearchBelowFold checks that a fold of hits can be searched.
func TestSearchBelowFold(t *testing.T) {
	d := open(t, members(1500, 10), section.Settings{})
	fold := d.Read(ref, "?lamp").Meta.Offers[1]
	a := d.Read(ref, fold+"?lamp")
	if a.IsError || !bytes.HasPrefix(a.Text, []byte(`22 sections match "lamp"`+"\n")) || len(a.Meta.Offers) != 22 {
		t.Errorf("%s", a.Text)
	}
}

// TestSearchOmitsHits checks that the first line of a search reports omitted hits. These
// hits are too far apart to share lines.
func TestSearchOmitsHits(t *testing.T) {
	b := &treeBuilder{tree: abi.Tree{Type: "text"}}
	for i := range 40 {
		from := len(b.text)
		b.text = append(b.text, "one lamp\ntwo\n"...)
		parent := b.add(-1, abi.SectionExact, from, len(b.text), fmt.Sprintf("p%d", i), "room")
		b.add(parent, abi.SectionExact, from, from+9, "a", "first")
		b.add(parent, abi.SectionExact, from+9, len(b.text), "b", "second")
	}
	a := open(t, content{text: b.text, tree: b.tree}, section.Settings{}).Read(ref, "?lamp")
	if !bytes.HasPrefix(a.Text, []byte(`40 sections match "lamp", 24 of them in 24 lines`+"\n")) || len(a.Meta.Offers) != 24 {
		t.Errorf("%s", a.Text)
	}
}
