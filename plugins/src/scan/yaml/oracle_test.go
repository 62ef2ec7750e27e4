package yaml

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml/syntax"
)

// entry returns a key or an item in a form that both parsers can produce: its path
// in the tree, and the line and byte of a key.
func entry(path string, line, col int) string { return fmt.Sprintf("%s@%d:%d", path, line, col) }

// scanned returns the entries that Parse finds, as paths that begin with the position
// of the document.
func scanned(b []byte) ([]string, error) {
	t := syntax.Parse(b, true)
	if t.Evidence.Odd > 0 || t.Evidence.Unclosed {
		return nil, fmt.Errorf("refused: %+v", t.Evidence)
	}
	paths, out := make([]string, len(t.Parts)), []string(nil)
	for i, p := range t.Parts {
		n := t.Node(int32(i))
		switch {
		case !n.IsEntry():
		case p.Parent < 0:
			paths[i] = fmt.Sprint(n.Start)
		case n.IsItem():
			paths[i] = fmt.Sprintf("%s/%d", paths[p.Parent], n.Start)
			out = append(out, paths[i])
		default:
			paths[i] = paths[p.Parent] + "/" + string(appendKeyText(nil, t.Key(n)))
			line := bytes.LastIndexByte(b[:n.Start], '\n') + 1
			out = append(out, entry(paths[i], bytes.Count(b[:n.Start], []byte("\n"))+1, int(n.Start)-line+1))
		}
	}
	return out, nil
}

// oracle returns the entries of block collections that goccy/go-yaml finds.
func oracle(b []byte) ([]string, error) {
	f, err := parser.ParseBytes(b, 0)
	if err != nil {
		return nil, err
	}
	o := &walker{lines: strings.Split(string(b), "\n")}
	for i, d := range f.Docs {
		o.node(fmt.Sprint(i), d.Body)
	}
	return o.out, nil
}

type walker struct {
	lines []string
	out   []string
}

func (o *walker) node(path string, n ast.Node) {
	switch n := n.(type) {
	case *ast.AnchorNode:
		o.node(path, n.Value)
	case *ast.TagNode:
		o.node(path, n.Value)
	case *ast.MappingNode:
		if n.IsFlowStyle {
			return
		}
		for _, v := range n.Values {
			o.node(path, v)
		}
	case *ast.MappingValueNode:
		o.pair(path, n)
	case *ast.SequenceNode:
		if n.IsFlowStyle {
			return
		}
		for i, v := range n.Values {
			at := fmt.Sprintf("%s/%d", path, i)
			o.out = append(o.out, at)
			o.node(at, v)
		}
	}
}

func (o *walker) pair(path string, n *ast.MappingValueNode) {
	key := ast.Node(n.Key)
	for {
		if k, ok := key.(*ast.MappingKeyNode); ok {
			key = k.Value
		} else if k, ok := key.(*ast.AnchorNode); ok {
			key = k.Value
		} else if k, ok := key.(*ast.TagNode); ok {
			key = k.Value
		} else {
			break
		}
	}
	tok := key.GetToken()
	at := path + "/" + tok.Value
	line := o.lines[tok.Position.Line-1]
	col := 0
	for i := range line { // columns of the parser are characters
		if col++; col == tok.Position.Column {
			col = i + 1
			break
		}
	}
	o.out = append(o.out, entry(at, tok.Position.Line, col))
	o.node(at, n.Value)
}

func compare(t *testing.T, name string, b []byte) bool {
	t.Helper()
	want, err := oracle(b)
	if err != nil {
		return false
	}
	got, err := scanned(b)
	if err != nil {
		t.Errorf("%s: %v in %q", name, err, b[:min(len(b), 600)])
		return true
	}
	if !slices.Equal(got, want) {
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Errorf("%s: %.900q\n got %q\nwant %q", name, b, got[min(i, len(got)):min(i+3, len(got))], want[min(i, len(want)):min(i+3, len(want))])
				break
			}
		}
	}
	return true
}

func TestEntriesOfCorpusMatchParser(t *testing.T) {
	for name, b := range parttest.ReadContents(t, "*.yaml") {
		if !compare(t, name, b) {
			t.Errorf("%s: refused by the parser", name)
		}
	}
}

// random writes random YAML.
type random struct {
	*rand.Rand
	strings.Builder
	end string // line end
	n   int    // number of the last key
}

func (r *random) pick(of ...string) string { return of[r.IntN(len(of))] }

func (r *random) key() string {
	r.n++
	k := r.pick("k", "key-", "a.b/", "été", "日本", "x y ", "-", "http://h/", "/p/{i}/", "#no") + fmt.Sprint(r.n)
	switch r.IntN(6) {
	case 0:
		return `"` + k + r.pick(``, `: `, ` #`, `\"`, `\t`, `\\`) + `"`
	case 1:
		return `'` + k + r.pick(``, `: `, ` #`, `''`, `"`) + `'`
	}
	return strings.TrimPrefix(k, "#")
}

func (r *random) line(text string) { r.WriteString(text + r.end) }

func (r *random) noise(indent string) {
	switch r.IntN(14) {
	case 0:
		r.line("")
	case 1:
		r.line(indent + "# note: - a")
	case 2:
		r.line("  ")
	}
}

// value writes the text after a key or dash.
func (r *random) value(indent string, depth int, item bool) {
	deeper := indent + r.pick(" ", "  ", "    ")
	props := r.pick("", "", "", "", "", " !t", " &a"+fmt.Sprint(r.n))
	switch n := r.IntN(16); {
	case n < 4 && depth > 0:
		r.line(props + r.pick("", " # why: x"))
		r.mapping(deeper, depth-1, "")
	case n < 7 && depth > 0:
		r.line(props + r.pick("", "", "  "))
		if !item && r.IntN(2) == 0 {
			deeper = indent
		}
		r.sequence(deeper, depth-1, "")
	case n < 8: // the parser reads the next line as the value of a tag or a dash
		r.line(map[bool]string{true: " ~"}[item])
	case n < 10:
		r.line(props + " " + r.pick("|", ">", "|-", ">+") + r.pick("", "", " # c"))
		r.line(deeper + r.pick("text: is", "- no item", "# no comment", `"open`, "{"))
		r.line(deeper + r.pick("  ", "") + r.pick("b: |", "---x", "'"))
	case n < 11:
		r.line(props + ` "one: two`)
		r.line(deeper + r.pick("- three", "k: v", "# four", `\"`) + `"`)
	case n < 12:
		r.line(props + " one two")
		r.line(deeper + r.pick("three", "four's", "-five", "http://x"))
	case n < 13:
		r.line(props + r.pick(" [a, {b: c}, 'd]', # e", " {a: 1, \"b}\": [2,"))
		r.line(deeper + r.pick("x]", "3]}"))
	default:
		r.line(props + r.pick(" ", "  ", " ") + r.pick("v", "'it''s: so'", `"a: \"b"`, "[a: b, c]", "{a: 1}", "x:y", "a#b", "1 # c: d", "-v", "http://h:80/"))
	}
}

func (r *random) mapping(indent string, depth int, first string) {
	for range 1 + r.IntN(4) {
		if first == "" {
			r.noise(indent)
			r.WriteString(indent)
		}
		first = ""
		r.WriteString(r.key() + r.pick("", "", " ") + ":")
		r.value(indent, depth, false)
	}
}

func (r *random) sequence(indent string, depth int, first string) {
	for range 1 + r.IntN(4) {
		if first == "" {
			r.noise(indent)
			r.WriteString(indent)
		}
		first = ""
		gap := r.pick(" ", "   ")
		switch n := r.IntN(6); {
		case n < 2 && depth > 0:
			r.WriteString("-" + gap)
			r.mapping(indent+" "+gap, depth-1, "-")
		case n < 3 && depth > 0:
			r.WriteString("-" + gap)
			r.sequence(indent+" "+gap, depth-1, "-")
		default:
			r.WriteString("-")
			r.value(indent, depth, true)
		}
	}
}

// ids returns the parents and ids of the parts of a document.
func ids(d *part.Doc) (out []string) {
	for i, p := range d.Parts {
		var n part.Name
		d.Name(i, &n)
		out = append(out, fmt.Sprintf("%d/%s", p.Parent, n.ID))
	}
	return out
}

func TestEntriesOfRandomYAMLMatchParser(t *testing.T) {
	const documents = 2000
	read := 0
	for i := range documents {
		r := &random{Rand: rand.New(rand.NewPCG(3, uint64(i))), end: "\n"}
		for d := range 1 + r.IntN(8)/6 {
			if d > 0 {
				r.line("---")
			}
			if r.IntN(3) > 0 {
				r.mapping("", 4, "")
			} else {
				r.sequence(r.pick("", " "), 4, "")
			}
		}
		b := []byte(r.String())
		if compare(t, fmt.Sprint("document ", i), b) {
			read++
		}
		doc, ok := Scan(b, part.Clues{Forced: true})
		if ok {
			parttest.Check(t, b, doc, between)
		}
		crlf := bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
		other, also := Scan(crlf, part.Clues{Forced: true})
		if also {
			parttest.Check(t, crlf, other, between)
		}
		if ok != also || ok && fmt.Sprint(ids(doc)) != fmt.Sprint(ids(other)) { // readUsualLine accepts no line with CRLF
			t.Errorf("parts %q, with CRLF %q", ids(doc), ids(other))
		}
		if t.Failed() {
			t.Fatalf("document %d: %q", i, b)
		}
	}
	if read*2 < documents {
		t.Errorf("the parser accepts only %d of %d documents", read, documents)
	}
}
