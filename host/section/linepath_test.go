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

// pages returns lines of 20 bytes in pages of so many lines, with the ids of the stage
// paginate.
func pages(lines, perPage int) content {
	b := &treeBuilder{tree: abi.Tree{Type: "text"}}
	for first := 1; first <= lines; first += perPage {
		from := len(b.text)
		last := min(first+perPage-1, lines)
		for n := first; n <= last; n++ {
			b.text = fmt.Appendf(b.text, "line number %7d\n", n)
		}
		b.add(-1, abi.SectionExact, from, len(b.text), fmt.Sprintf("L%d-%d@%d", first, last, from), "Page")
	}
	return content{name: "pages", text: b.text, tree: b.tree}
}

// TestPage checks that a page is answered whole.
func TestPage(t *testing.T) {
	for _, c := range []struct {
		rule     string
		perPage  int
		id       string
		from, to int // bytes; 0, 0 for an index of windows
	}{
		{"page of 8,000 bytes", 400, "L401-800@8000", 8000, 16_000},
		{"page with an earlier page size", 400, "L101-600@2000", 2000, 12_000},
		{"page that ends inside a line", 400, "L401-650@8000-12990", 8000, 12_990},
		{"longest page", 2000, "L1-2000@0", 0, 40_000},
		{"page over the limit", 2001, "L1-2001@0", 0, 0},
		{"window of the same size", 400, "~L401-800@8000", 0, 0},
	} {
		p := pages(4100, c.perPage)
		d := open(t, p, section.Settings{})
		a := d.Read(ref, c.id)
		if c.to == 0 {
			if a.Meta.Kind != flow.AnswerIndex || len(a.Meta.Offers) < 2 {
				t.Errorf("%s: %s of %d bytes", c.rule, a.Meta.Kind, len(a.Text))
			}
			continue
		}
		if a.Meta.Kind != flow.AnswerLeaf || !bytes.Equal(a.Text, p.text[c.from:c.to]) {
			t.Errorf("%s: %s of %d bytes %.60q", c.rule, a.Meta.Kind, len(a.Text), a.Text)
		}
		if again := d.Read(ref, a.Meta.Section); !bytes.Equal(again.Text, a.Text) {
			t.Errorf("%s: Read(%q) returned %d bytes", c.rule, a.Meta.Section, len(again.Text))
		}
	}
	named := rows(7000, "L1-1@0", "b")
	named.tree.Sections[0].ID = "L1-7@0" // like the id of a page with other lines
	if a := open(t, named, section.Settings{}).Read(ref, "L1-7@0"); a.Meta.Kind != flow.AnswerIndex {
		t.Errorf("section with an id like that of a page: %s", a.Meta.Kind)
	}
}

// TestLineNumbers checks paths with a line number: the answer is the smallest part with the
// line, or a window around it.
func TestLineNumbers(t *testing.T) {
	csv := rows(900, "L1", "L2", "L3", "L4")
	log := &treeBuilder{text: []byte("first\n  more of it\nsecond\nthird\n"), tree: abi.Tree{Type: "log"}}
	hour := log.add(-1, abi.SectionGroup, 0, 0, "@h", "hour")
	log.add(hour, abi.SectionExact, 0, 19, "L1", "first")
	log.add(hour, abi.SectionExact, 19, 26, "L3", "second")
	log.add(-1, abi.SectionExact, 26, 32, "L4", "third")
	markdown := []byte("# A\n" + strings.Repeat("a line of a\n", 600) + "# B\nb\n## C\nc\n")
	text := bytes.Repeat([]byte("one line of a text\n"), 2000)
	oneLine := []byte(`{"list": [` + strings.Repeat(`{"n": 1}, `, 2000) + `{"n": 2}]}`)
	for _, c := range []struct {
		rule string
		content
		path, want string
	}{
		{"record of CSV", csv, "line 3", string(csv.text[1800:2700])},
		{"record of several lines", content{text: log.text, tree: log.tree}, "line 2", "first\n  more of it\n"},
		{"short section", content{text: markdown, tree: splitMarkdown(markdown, 100)}, "L605", "## C\nc\n"},
		{"line below a section", content{text: markdown, tree: splitMarkdown(markdown, 10)}, "b/line 605", "## C\nc\n"},
		{"range of lines", content{text: text}, "lines 3-4", "one line of a text\none line of a text\n"},
		{"range of lines below a window", content{text: text}, "~L1-900@0/L900-900", "one line of a text\n"},
	} {
		a := open(t, c.content, section.Settings{}).Read(ref, c.path)
		if a.IsError || string(a.Text) != c.want {
			t.Errorf("%s: Read(%q) = %.80q, want %.80q", c.rule, c.path, a.Text, c.want)
		}
	}
	for _, c := range []struct {
		rule string
		content
		path string
		at   int // an offset in the line
	}{
		{"window of a text", content{text: text}, "line 1500", 1499 * 19},
		{"window of a long section", content{text: markdown, tree: splitMarkdown(markdown, 10)}, "L300", 4 + 298*12},
		{"line below a long section", content{text: markdown, tree: splitMarkdown(markdown, 10)}, "a/L300", 4 + 298*12},
		{"window of a window", content{text: text}, "~L1-900@0/line 800", 799 * 19},
		{"line with the whole content", content{text: oneLine, tree: splitJSON(oneLine, 3000, false)}, "line 1", 0},
	} {
		a := open(t, c.content, section.Settings{}).Read(ref, c.path)
		b := a.Meta.Bytes
		if a.IsError || b == nil || c.at < b[0] || b[1] <= c.at || a.Meta.Kind == flow.AnswerLeaf && len(a.Text) > 6000 {
			t.Errorf("%s: Read(%q) has the span %v: %.80q", c.rule, c.path, b, a.Text)
		}
	}
	object := []byte(`{"a": {"L1": "a key", "line 2": 2}}`)
	if a := open(t, content{text: object, tree: splitJSON(object, 10, false)}, section.Settings{}).Read(ref, "a/L1"); string(a.Text) != `"a key"` {
		t.Errorf("key with the name of a line: %s", a.Text)
	}
}

// TestIndentationOfLine checks that the answer has the whole line, with the blanks before
// the only element on it.
func TestIndentationOfLine(t *testing.T) {
	text := "<a>\n    <b/>\n  <c>" + strings.Repeat("x", 200) + "</c>\n</a>\n"
	b := &treeBuilder{text: []byte(text), tree: abi.Tree{Type: "xml"}}
	a := b.add(-1, abi.SectionExact, 0, len(text)-1, "a", "a")
	at := strings.Index(text, "<c>")
	b.add(a, abi.SectionExact, 8, 12, "b", "b")
	b.add(a, abi.SectionExact, at, len(text)-len("\n</a>\n"), "c", "c")
	d := open(t, content{text: b.text, tree: b.tree}, section.Settings{LeafSize: 64})
	if got := d.Read(ref, "L2"); !bytes.Contains(got.Text, []byte("    <b/>")) {
		t.Errorf("%s: %s", got.Meta.Section, got.Text)
	}
}
