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

// What is called so in leaves, where it is no Section, is read as a set: its leaves in
// lines, with ! behind it just the keys or headings of that name, each up to its end.
func TestNamesInLeavesAreASet(t *testing.T) {
	for _, c := range []struct {
		name, kind, text string
		cuts             []string // leaves begin with these
		path, want       string
	}{
		{
			"keys of YAML, with the lists on their own column", "yaml",
			"- name: one\n  args:\n  - a\n  - b\n  last: 1\n- name: two\n  args: {x: 1}\n",
			[]string{"- name: one", "- name: two"}, "//args", "  args:\n  - a\n  - b\n  args: {x: 1}\n",
		},
		{
			"not keys in a long text, nor those inside of one of that name", "yaml",
			"- note: |\n    args: none\n  args:\n    args: 1\n- args: 2\n  \"args\": 3\n",
			[]string{"- note", "- args: 2"}, "//args", "  args:\n    args: 1\n- args: 2\n  \"args\": 3\n",
		},
		{
			"headings of HTML up to the next of their level", "html",
			"<h2>A</h2><h3 id=x>Para<b>meters</b></h3>one<h4>More</h4><h2>B</h2><h3>Parameters</h3>two<h3>Returns</h3>",
			[]string{"<h2>A", "<h2>B"}, "Parameters",
			"<h3 id=x>Para<b>meters</b></h3>one<h4>More</h4>\n<h3>Parameters</h3>two\n",
		},
		{
			"headings of Markdown outside of fences", "markdown",
			"# A\n## Usage ##\nx\n```\n## Usage\n```\n# B\n### Usage\ny\n## Not\n",
			[]string{"# A", "# B"}, "usage", "## Usage ##\nx\n```\n## Usage\n```\n### Usage\ny\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, content{text: []byte(c.text), tree: cutAt(c.kind, c.text, c.cuts)}, section.Settings{})
			if a := d.Read("", c.path+"!"); string(a.Text) != c.want {
				t.Errorf("%s! is\n%q, want\n%q", c.path, a.Text, c.want)
			}
			a := d.Read("", c.path)
			if head := fmt.Sprintf("2 sections fit %q, %q gives just the ", c.path, c.path+"!"); !strings.HasPrefix(string(a.Text), head) || len(a.Meta.Offers) != 2 {
				t.Errorf("%s is %q with %q, want %q and two lines", c.path, a.Text, a.Meta.Offers, head)
			}
		})
	}
}

// cutAt makes a Section of each stretch that begins with one of some texts.
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

// Our spans of keys are those of a parser of YAML, on random documents.
func TestKeysInLeavesAgreeWithAParser(t *testing.T) {
	for seed := range uint64(200) {
		text := randomYAML(rand.New(rand.NewPCG(seed, 1)), 0, 4)
		file, err := parser.ParseBytes([]byte(text), 0)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		want := 0 // keys called so that are in none of that name
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
		b.add(-1, abi.SectionExact, len(text), len(text)+len("key0: 1\n"), "key0", "key0") // so that it is a set
		b.tree.Settle(0)
		text += "key0: 1\n"
		d := open(t, content{text: []byte(text), tree: b.tree}, section.Settings{MaxWholeBytes: 1 << 20})
		if got := justThese(d.Read("", "//key0").Text); got != want+1 {
			t.Fatalf("seed %d: %d blocks, want %d\n%s", seed, got, want+1, text)
		}
	}
}

// justThese is how many parts a set says that it is of; a set of one is answered as the
// leaf that it is.
func justThese(answer []byte) int {
	n := 1
	if m := regexp.MustCompile(`gives just the (\d+) `).FindSubmatch(answer); m != nil {
		_, _ = fmt.Sscan(string(m[1]), &n)
	}
	return n
}

// randomYAML is a mapping in which few names come again and again.
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

// Our headings of Markdown are those of a parser.
func TestHeadingsInLeavesAgreeWithAParser(t *testing.T) {
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
		if got := justThese(d.Read("", "usage").Text); got != want+1 {
			t.Fatalf("seed %d: %d headings, want %d:\n%s", seed, got, want+1, text)
		}
	}
}

// Of sections with one heading each line says how its text begins; a heading that is
// the only one of its kind says enough.
func TestEqualHeadingsAreToldApart(t *testing.T) {
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

// A search for a name is one pass, whatever the text: tags that never end, and a text
// on one line, of which each leaf begins within it. It would take minutes otherwise.
func TestNamesAreFoundInOnePass(t *testing.T) {
	heading := "<h1>" + strings.Repeat("<[", 1<<20) + "</h1><p>x</p>"
	item, flow, cuts := "{name: a, args: 1}, ", strings.Builder{}, []int(nil)
	flow.WriteString("[")
	for flow.Len() < 8<<20 {
		cuts = append(cuts, flow.Len())
		flow.WriteString(strings.Repeat(item, 10))
	}
	for _, c := range []content{
		{text: []byte(heading), tree: cutAt("html", heading, []string{"<h1>"})},
		{text: []byte(flow.String()), tree: spans("yaml", flow.Len(), cuts)},
	} {
		d := open(t, c, section.Settings{})
		if a := d.Read("", "//args!"); len(a.Text) == 0 {
			t.Error("no answer")
		}
	}
}

// spans is a tree of leaves that begin at some offsets.
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
