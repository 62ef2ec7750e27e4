package strictyaml

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
)

// FuzzBudget checks that the estimate of nodes is never much lower than the number that
// the parser finds, so that no text bypasses the limit.
func FuzzBudget(f *testing.F) {
	for _, s := range []string{
		"a: it\n  's\nb:\n c: '\n", "- it\n 's\n-\n- - a\n- '\n", "a: [it\n 's]\nb: {c: d, e}\n", "a: |\n  x\n b: c\n", "a: >-2\n   x\nb:\n  - c\n",
		"? a\n: b\n", "a: \"x\\\"\": y\n", "'a': b # c\nd: #e\n  f: g\n", "&a b: *a\n", "!t a: !u [b]\n", "a:\n- b\n- c: d\n  e: |\n    f\n  g: h\n",
		"\"a\n  b\": c\nd: e\n", "- |\n a\n- b\n", "a: x\n  y: z\n", "{a: 'b', \"c\": [d, e: f]}\n", "a: -\nb: - c\n", "a: b:\n", "a:b\nc:\td\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if why, _ := CheckText(text, true); why != "" || len(text) > 2000 {
			return // never reaches the parser
		}
		file, err := parseYAML(text)
		if err != nil {
			return
		}
		b := newNodeCounter(text)
		for b.pos < len(b.text) {
			b.step()
		}
		found := 0
		for _, doc := range file.Docs {
			if doc.Body != nil {
				ast.Walk(counter{&found}, doc.Body)
			}
		}
		if b.nodes*3+3 < found {
			t.Errorf("counted %d, the parser has %d nodes:\n%q", b.nodes, found, text)
		}
	})
}

type counter struct{ n *int }

func (c counter) Visit(ast.Node) ast.Visitor { *c.n++; return c }

// TestBudgetAfterBlockScalar checks that nodes after a text are counted.
func TestBudgetAfterBlockScalar(t *testing.T) {
	many := strings.Repeat("    a:\n", 9000)
	for name, text := range map[string]string{
		"sibling of a key in a list item": "- k: |\n    text\n  next:\n" + many,
		"after a list item":               "- |\n text\n-\n" + many,
		"pipe inside plain text":          "a: b |\n" + many,
		"pipe in quotes":                  "a: \" |\n  \"\nb:\n" + many,
		"quote inside plain text":         "a: it\n  's\nb:\n" + many + "c: '\n",
		"quote inside plain text of list": "- it\n 's\n-\n" + many + "- '\n",
		"quote inside plain text in flow": "a: [it\n 's]\nb:\n" + many + "c: '\n",
		"quote at the end of a key":       "a': x\nb:\n" + many + "c: '\n",
		"text below a quoted value":       "a: 'x'\n  b:\n" + many,
	} {
		t.Run(name, func(t *testing.T) {
			if why, _ := CheckSize(text); why == "" {
				t.Error("not counted")
			}
		})
	}
}
