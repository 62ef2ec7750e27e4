package section_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/yuin/goldmark"
	mdast "github.com/yuin/goldmark/ast"
	mdtext "github.com/yuin/goldmark/text"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section"
)

// TestNamesInLeaves checks paths to keys and headings that are not Sections: the
// answer is a set of their leaves, and with "!" only the keys or headings.
func TestNamesInLeaves(t *testing.T) {
	for _, c := range []struct {
		name, kind, text string
		cuts             []string // the beginnings of the leaves
		path, want       string
	}{
		{
			"YAML keys with lists in the column of the key", "yaml",
			"- name: one\n  args:\n  - a\n  - b\n  last: 1\n- name: two\n  args: {x: 1}\n",
			[]string{"- name: one", "- name: two"}, "//args", "  args:\n  - a\n  - b\n  args: {x: 1}\n",
		},
		{
			"YAML keys outside of block scalars and of each other", "yaml",
			"- note: |\n    args: none\n  args:\n    args: 1\n- args: 2\n  \"args\": 3\n",
			[]string{"- note", "- args: 2"}, "//args", "  args:\n    args: 1\n- args: 2\n  \"args\": 3\n",
		},
		{
			"HTML headings up to the next of their level", "html",
			"<h2>A</h2><h3 id=x>Para<b>meters</b></h3>one<h4>More</h4><h2>B</h2><h3>Parameters</h3>two<h3>Returns</h3>",
			[]string{"<h2>A", "<h2>B"}, "Parameters",
			"<h3 id=x>Para<b>meters</b></h3>one<h4>More</h4>\n<h3>Parameters</h3>two\n",
		},
		{
			"Markdown headings outside of code fences", "markdown",
			"# A\n## Usage ##\nx\n```\n## Usage\n```\n# B\n### Usage\ny\n## Not\n",
			[]string{"# A", "# B"}, "usage", "## Usage ##\nx\n```\n## Usage\n```\n### Usage\ny\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, content{text: []byte(c.text), tree: cutAt(c.kind, c.text, c.cuts)}, section.Settings{})
			if a := d.Read("", c.path+"!"); string(a.Text) != c.want {
				t.Errorf("Read(%q!) =\n%q, want\n%q", c.path, a.Text, c.want)
			}
			a := d.Read("", c.path)
			if head := fmt.Sprintf("2 sections fit %q, %q gives just the ", c.path, c.path+"!"); !strings.HasPrefix(string(a.Text), head) || len(a.Meta.Offers) != 2 {
				t.Errorf("Read(%q) = %q with offers %q, want %q and two lines", c.path, a.Text, a.Meta.Offers, head)
			}
		})
	}
}

// cutAt returns a tree with one Section for each part of text that begins with one
// of some texts.
func cutAt(kind, text string, begins []string) abi.Tree {
	b := &treeBuilder{tree: abi.Tree{Type: kind}}
	for i, begin := range begins {
		start, end := strings.Index(text, begin), len(text)
		if i+1 < len(begins) {
			end = strings.Index(text, begins[i+1])
		}
		b.add(-1, abi.SectionExact, start, end, "", fmt.Sprintf("part %d", i))
	}
	b.tree.Settle(0)
	return b.tree
}

// TestKeysInLeaves compares the keys in leaves with those of a YAML parser, on random
// documents.
func TestKeysInLeaves(t *testing.T) {
	for seed := range uint64(200) {
		text := randomYAML(rand.New(rand.NewPCG(seed, 1)), 0, 4)
		file, err := parser.ParseBytes([]byte(text), 0)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		want := 0 // keys with the name outside of each other
		var walk func(n ast.Node)
		walk = func(n ast.Node) {
			switch n := n.(type) {
			case *ast.MappingNode:
				for _, v := range n.Values {
					walk(v)
				}
			case *ast.MappingValueNode:
				if n.Key.String() == "key0" {
					want++
					return
				}
				walk(n.Value)
			case *ast.SequenceNode:
				for _, v := range n.Values {
					walk(v)
				}
			}
		}
		walk(file.Docs[0].Body)
		b := &treeBuilder{tree: abi.Tree{Type: "yaml"}}
		b.add(-1, abi.SectionExact, 0, len(text), "all", "all")
		b.add(-1, abi.SectionExact, len(text), len(text)+len("key0: 1\n"), "key0", "key0") // so that the answer is a set
		b.tree.Settle(0)
		text += "key0: 1\n"
		d := open(t, content{text: []byte(text), tree: b.tree}, section.Settings{MaxWholeBytes: 1 << 20})
		if got := countElements(d.Read("", "//key0").Text); got != want+1 {
			t.Fatalf("seed %d: %d blocks, want %d\n%s", seed, got, want+1, text)
		}
	}
}

// countElements returns the number of elements in the answer about a set. A set of one
// is answered as its leaf.
func countElements(answer []byte) int {
	n := 1
	if m := regexp.MustCompile(`gives just the (\d+) `).FindSubmatch(answer); m != nil {
		_, _ = fmt.Sscan(string(m[1]), &n)
	}
	return n
}

// randomYAML returns a mapping with few different keys.
func randomYAML(r *rand.Rand, column, depth int) string {
	var b strings.Builder
	for i, n := range r.Perm(5)[:1+r.IntN(4)] {
		pad := strings.Repeat(" ", column)
		if i == 0 {
			pad = ""
		}
		fmt.Fprintf(&b, "%skey%d:", pad, n)
		switch kind := r.IntN(5); {
		case depth > 0 && kind == 0:
			fmt.Fprintf(&b, "\n%s  %s", strings.Repeat(" ", column), randomYAML(r, column+2, depth-1))
		case depth > 0 && kind == 1:
			b.WriteString("\n")
			deeper := column + 2*r.IntN(2)
			for range 1 + r.IntN(3) {
				fmt.Fprintf(&b, "%s- %s", strings.Repeat(" ", deeper), randomYAML(r, deeper+2, depth-1))
			}
		case kind == 2:
			fmt.Fprintf(&b, " |-\n%s  words\n\n%s  key0: in a text\n", strings.Repeat(" ", column), strings.Repeat(" ", column))
		default:
			b.WriteString(" value\n")
		}
	}
	return b.String()
}

// TestHeadingsInLeaves compares the headings in leaves with those of a Markdown parser.
func TestHeadingsInLeaves(t *testing.T) {
	pieces := []string{"# Usage\n", "## Usage\n", "### More\n", "words\n", "\n", "```\n", "~~~\n", "#no heading\n", "#### usage ####\n"}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		var b strings.Builder
		for range 3 + r.IntN(20) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		text := b.String() + "\n"
		want, open := 0, 0
		_ = mdast.Walk(goldmark.DefaultParser().Parse(mdtext.NewReader([]byte(text))), func(n mdast.Node, in bool) (mdast.WalkStatus, error) {
			if h, ok := n.(*mdast.Heading); ok && in {
				if h.Level <= open {
					open = 0
				}
				if title := string(h.Lines().Value([]byte(text))); open == 0 && strings.EqualFold(strings.TrimSpace(title), "usage") {
					want, open = want+1, h.Level
				}
			}
			return mdast.WalkContinue, nil
		})
		tree := &treeBuilder{tree: abi.Tree{Type: "markdown"}}
		tree.add(-1, abi.SectionExact, 0, len(text), "all", "all")
		tree.add(-1, abi.SectionExact, len(text), len(text)+len("# Usage\n"), "last", "last")
		tree.tree.Settle(0)
		d, err := section.New([]byte(text+"# Usage\n"), tree.tree, section.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if got := countElements(d.Read("", "usage").Text); got != want+1 {
			t.Fatalf("seed %d: %d headings, want %d:\n%s", seed, got, want+1, text)
		}
	}
}

// TestEqualHeadings checks that the lines of Sections with the same heading show the
// text below it.
func TestEqualHeadings(t *testing.T) {
	for kind, text := range map[string]string{
		"markdown": "## Leak\n\nPackage: a\n\n## Leak\n\nPackage: b\n\n## Other\n\nPackage: c\n",
		"html":     "<h2>Leak</h2><p>Package: a</p><h2>Leak</h2><p>Package: b</p><h2>Other</h2><p>Package: c</p>",
	} {
		b := &treeBuilder{tree: abi.Tree{Type: kind}}
		starts := regexp.MustCompile(`##|<h2>`).FindAllStringIndex(text, -1)
		for i, at := range starts {
			end := len(text)
			if i+1 < len(starts) {
				end = starts[i+1][0]
			}
			title := "Leak"
			if i == 2 {
				title = "Other"
			}
			b.add(-1, abi.SectionExact, at[0], end, "", title)
		}
		b.tree.Settle(0)
		d := open(t, content{text: []byte(text), tree: b.tree}, section.Settings{})
		index, _ := d.Index(-1, 0, 0)
		for _, line := range []string{"[leak] Package: a (", "[leak-2] Package: b (", "[other] ("} {
			if !strings.Contains(string(index), line) {
				t.Errorf("%s: no line %q in\n%s", kind, line, index)
			}
		}
		d = open(t, content{text: []byte(text), tree: b.tree}, section.Settings{MaxLines: 2})
		index, _ = d.Index(-1, 0, 0)
		if want := "[@leak..leak-2] 2 parts: Package: a .. Package: b ("; !strings.Contains(string(index), want) {
			t.Errorf("%s: no line %q in\n%s", kind, want, index)
		}
	}
}

// TestNamesInLongLeaves checks that names are found in linear time, in a text with tags
// that never end, and in a text on one line with many leaves. Otherwise it would take
// minutes.
func TestNamesInLongLeaves(t *testing.T) {
	heading := "<h1>" + strings.Repeat("<[", 1<<20) + "</h1><p>x</p>"
	item, line, cuts := "{name: a, args: 1}, ", strings.Builder{}, []int(nil)
	line.WriteString("[")
	for line.Len() < 8<<20 {
		cuts = append(cuts, line.Len())
		line.WriteString(strings.Repeat(item, 10))
	}
	for _, c := range []content{
		{text: []byte(heading), tree: cutAt("html", heading, []string{"<h1>"})},
		{text: []byte(line.String()), tree: spans("yaml", line.Len(), cuts)},
	} {
		d := open(t, c, section.Settings{})
		if a := d.Read("", "//args!"); len(a.Text) == 0 {
			t.Error("no answer")
		}
	}
}

// spans returns a tree with leaves that begin at some offsets.
func spans(kind string, end int, cuts []int) abi.Tree {
	tree := abi.Tree{Type: kind}
	for i, at := range cuts {
		until := end
		if i+1 < len(cuts) {
			until = cuts[i+1]
		}
		tree.Sections = append(tree.Sections, abi.Section{Parent: -1, Kind: abi.SectionExact, Start: at, End: until, ID: fmt.Sprint(i), Title: "x"})
	}
	return tree
}
