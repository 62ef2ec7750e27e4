package host

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/mcpctl/mcpctl/host/flow"
)

// yamlNode is a node as package goccy/go-yaml finds it.
type yamlNode struct {
	path []any // keys and positions
	at   int   // the offset of its key, or of its value in a list
	last int   // the offset of the last node in it, or its own
}

// yamlNodes returns all nodes of the first document of a text below its root.
func yamlNodes(t testing.TB, text []byte) (all []yamlNode) {
	t.Helper()
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		t.Fatal(err)
	}
	starts := []int{0} // of lines
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	offset := func(n ast.Node) int {
		p := n.GetToken().Position
		line := []rune(string(text[starts[p.Line-1]:]))
		return starts[p.Line-1] + len(string(line[:p.Column-1]))
	}
	var walk func(n ast.Node, path []any)
	add := func(at, value ast.Node, path []any, step any) {
		inner := append(path[:len(path):len(path)], step)
		n := len(all)
		all = append(all, yamlNode{path: inner, at: offset(at)})
		walk(value, inner)
		all[n].last = all[len(all)-1].at
	}
	walk = func(n ast.Node, path []any) {
		switch n := n.(type) {
		case *ast.AnchorNode:
			walk(n.Value, path)
		case *ast.MappingNode:
			for _, v := range n.Values {
				walk(v, path)
			}
		case *ast.MappingValueNode:
			add(n.Key, n.Value, path, n.Key.GetToken().Value)
		case *ast.SequenceNode:
			for i, v := range n.Values {
				add(firstOf(v), v, path, i)
			}
		}
	}
	walk(file.Docs[0].Body, nil)
	return all
}

// firstOf returns the node with the first token of a value: of a mapping, its first key.
func firstOf(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return n.Values[0].Key
		}
	case *ast.MappingValueNode:
		return n.Key
	case *ast.SequenceNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return firstOf(n.Values[0])
		}
	}
	return n
}

// randomYAML returns mappings and lists in block and flow style, with comments, anchors,
// quoted keys and block scalars.
func randomYAML(r *rand.Rand) []byte {
	var b bytes.Buffer
	keys := []string{"name", "kind", "spec", "on", "a.b", "x/y", "two words", "8080", "items", "key"}
	scalar := func() string {
		return []string{"plain text", `"quoted: #text"`, "'single'", "17", "true", "[one, {flow: map, on: [1, 2]}]", "{a: 1, name: x}", "~"}[r.IntN(8)]
	}
	var mapping func(indent string, depth int)
	value := func(indent string, depth int) {
		switch {
		case depth > 0 && r.IntN(3) == 0:
			b.WriteString([]string{"", " &anchor" + strconv.Itoa(b.Len()), " # comment"}[r.IntN(3)] + "\n")
			mapping(indent+"  ", depth-1)
		case depth > 0 && r.IntN(2) == 0:
			b.WriteString("\n")
			for range 1 + r.IntN(6) {
				if r.IntN(2) == 0 {
					b.WriteString(indent + "- " + scalar() + "\n")
					continue
				}
				b.WriteString(indent + "- first: " + scalar() + "\n")
				mapping(indent+"  ", depth-1)
			}
		case r.IntN(5) == 0:
			b.WriteString(" |\n" + strings.Repeat(indent+"    key: no key\n", 1+r.IntN(4)))
		default:
			b.WriteString(" " + scalar() + "\n")
		}
	}
	mapping = func(indent string, depth int) {
		for _, i := range r.Perm(len(keys))[:1+r.IntN(len(keys)-1)] {
			key := keys[i]
			if r.IntN(4) == 0 {
				key = strconv.Quote(key)
			}
			if r.IntN(6) == 0 {
				b.WriteString(indent + "# about " + key + "\n")
			}
			b.WriteString(indent + key + ":")
			value(indent, depth)
		}
	}
	for n := 0; b.Len() < 9000; n++ {
		fmt.Fprintf(&b, "top%d:\n", n)
		mapping("  ", 4)
	}
	return b.Bytes()
}

// A path of keys and positions leads to a part that contains the node that another parser
// finds there: the node itself, or the leaf that it is in.
func TestPathsOfYAML(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of paths take minutes with the race detector")
	}
	const maxLeaf = 12_000 // bytes; a larger answer would be no leaf
	r := newRig(t, files{"projects/home.yaml": project("ungated-subindex")})
	var docs []document
	for _, d := range corpus(t) {
		if filepath.Ext(d.name) == ".yaml" {
			docs = append(docs, d)
		}
	}
	for seed := range uint64(4) {
		docs = append(docs, document{name: fmt.Sprintf("seed-%d.yaml", seed), bytes: randomYAML(rand.New(rand.NewPCG(seed, 7)))})
	}
	counts := tally{}
	for _, d := range docs {
		r.drill(t, &d)
		for _, n := range pick(rand.New(rand.NewPCG(2, uint64(len(d.bytes)))), yamlNodes(t, d.bytes), 150) {
			quoted := func(_ int, key string) string { return "['" + key + "']" }
			forms := map[string]string{
				"dots":     strings.TrimPrefix(join(n.path, dottedKey, inBrackets), "."),
				"JSONPath": "$" + join(n.path, quoted, inBrackets),
			}
			if slash := join(n.path, func(_ int, key string) string { return "/" + key }, afterSlash); strings.Count(slash, "/") == len(n.path) {
				forms["slashes"] = slash[1:]
			}
			for form, path := range forms {
				a := r.Read(t.Context(), scope, d.ref, path)
				switch b := a.Meta.Bytes; {
				case a.IsError:
					counts.add(form, refused)
				case b == nil:
					counts.add(form, ambiguous)
				case b[0] <= n.at && n.last < b[1] && (a.Meta.Kind == flow.AnswerIndex || b[1]-b[0] <= maxLeaf):
					counts.add(form, equal)
				default:
					counts.add(form, wrong)
					t.Errorf("%s: %s returned bytes %d to %d, the node is at %d", d.name, path, b[0], b[1], n.at)
				}
			}
		}
	}
	t.Logf("\n%s", counts)
	if all := counts.sum(equal) + counts.sum(refused) + counts.sum(ambiguous); counts.sum(equal) < 1500 || counts.sum(refused) > all/50 {
		t.Errorf("%d of %d paths lead to the nodes of another parser, %d are not found", counts.sum(equal), all, counts.sum(refused))
	}
}
