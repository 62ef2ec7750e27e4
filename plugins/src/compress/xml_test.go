package compress

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestXML(t *testing.T) {
	for rule, test := range map[string]struct{ in, want string }{
		"layout is removed":                          {"<a>\n  <b>x</b>\n  <c/>\n</a>\n", "<a><b>x</b><c/></a>\n"},
		"text next to elements keeps its blanks":     {"<p>one <b>two</b> <i>three</i>\n <u/></p>", "<p>one <b>two</b> <i>three</i>\n <u/></p>\n"},
		"so does an element like it without text":    {"<d><p>x<b/></p><p><b>one</b>\n<i>two</i></p></d>", "<d><p>x<b/></p><p><b>one</b>\n<i>two</i></p></d>\n"},
		"a blank on the line between elements stays": {"<p><b>one</b> <i>two</i></p>", "<p><b>one</b> <i>two</i></p>\n"},
		"white space that is all of an element":      {"<a><b> \n </b></a>", "<a><b> \n </b></a>\n"},
		"text keeps its lines":                       {"<a>\n x\n y\n</a>", "<a>\n x\n y\n</a>\n"},
		"xml:space keeps all":                        {"<a xml:space='preserve'>\n <b>\n <c/></b>\n</a>", "<a xml:space='preserve'>\n <b>\n <c/></b>\n</a>\n"},
		"xml:space ends":                             {"<a xml:space=\"preserve\"> <b xml:space=\"default\">\n <c/></b> </a>", "<a xml:space=\"preserve\"> <b xml:space=\"default\"><c/></b> </a>\n"},
		"CDATA stays":                                {"<a>\n<b><![CDATA[ <x> ]]></b>\n</a>", "<a><b><![CDATA[ <x> ]]></b></a>\n"},
		"comments are removed":                       {"<!-- a --><a>\n<!-- b --><b/><!-- c --></a><!-- d -->", "<a><b/></a>\n"},
		"a duty in a comment stays":                  {"<a>\n<!-- You MUST sign -->\n<b/></a>", "<a><!-- You MUST sign --><b/></a>\n"},
		"tags are tight":                             {"<a  b = '1'\n c=\"2\" ><d ></d ></a >", "<a b='1' c=\"2\"><d/></a>\n"},
		"namespaces are declared once":               {`<a xmlns="u" xmlns:x="v"><b xmlns="u"><x:c xmlns:x="v"/></b></a>`, `<a xmlns="u" xmlns:x="v"><b><x:c/></b></a>` + "\n"},
		"another namespace in between":               {`<a xmlns="u"><b xmlns="w"><c xmlns="u"/></b><d xmlns="u"/></a>`, `<a xmlns="u"><b xmlns="w"><c xmlns="u"/></b><d/></a>` + "\n"},
		"siblings declare their own":                 {`<a><b xmlns="u"/><b xmlns="u"></b></a>`, `<a><b xmlns="u"/><b xmlns="u"/></a>` + "\n"},
		"instructions stay":                          {"<?xml version='1.0'?>\n<!DOCTYPE a [ <!ENTITY b \"c\"> ]>\n<?x y?>\n<a>&b;</a>", "<?xml version='1.0'?><!DOCTYPE a [ <!ENTITY b \"c\"> ]><?x y?><a>&b;</a>\n"},
	} {
		if got, ok := compactXML([]byte(test.in)); !ok || string(got) != test.want {
			t.Errorf("%s: %q becomes %q, %v, want %q", rule, test.in, got, ok, test.want)
		}
	}
	for _, in := range []string{"", "x", "<a>", "<a></b>", "<a>x</a>y", "<a b=c/>", "<a><!-- </a>", "</a>", "<a/ >", "<a></a x>", "<"} {
		if got, ok := compactXML([]byte(in)); ok {
			t.Errorf("%q is not well-formed, but becomes %q", in, got)
		}
	}
}

// xmlNode is an element as encoding/xml reads it, or a text.
type xmlNode struct {
	name     string
	attrs    []string
	text     string
	children []*xmlNode
}

// parseXML returns the tree of a text without comments and without white space for layout: lines
// between elements where no text is.
func parseXML(b []byte) (*xmlNode, error) {
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Entity = map[string]string{"e": "v"}
	root := &xmlNode{}
	open := []*xmlNode{root}
	for {
		token, err := d.Token()
		if err == io.EOF {
			return root, nil
		}
		if err != nil {
			return nil, err
		}
		top := open[len(open)-1]
		switch x := token.(type) {
		case xml.StartElement:
			n := &xmlNode{name: x.Name.Space + " " + x.Name.Local}
			for _, a := range x.Attr {
				if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
					n.attrs = append(n.attrs, a.Name.Space+" "+a.Name.Local+"="+a.Value)
				}
			}
			top.children = append(top.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if n := len(top.children); n > 0 && top.children[n-1].name == "" {
				top.children[n-1].text += string(x)
			} else {
				top.children = append(top.children, &xmlNode{text: string(x)})
			}
		case xml.ProcInst:
			top.children = append(top.children, &xmlNode{name: "?" + x.Target, text: string(x.Inst)})
		}
	}
}

func (n *xmlNode) isBlank() bool { return n.name == "" && strings.TrimSpace(n.text) == "" }

// hasText reports whether the white space of an element may matter.
func (n *xmlNode) hasText() bool {
	return slices.ContainsFunc(n.children, func(c *xmlNode) bool { return c.name == "" && !c.isBlank() }) || slices.Contains(n.attrs, "http://www.w3.org/XML/1998/namespace space=preserve")
}

// print writes a tree without white space for layout.
func (n *xmlNode) print(w *strings.Builder) {
	fmt.Fprintf(w, "<%s %q %q>", n.name, n.attrs, n.text)
	for _, c := range n.children {
		if !c.isBlank() || n.hasText() || len(n.children) == 1 {
			c.print(w)
		}
	}
	w.WriteString("</>")
}

func requireSameTree(t *testing.T, name string, in []byte) {
	t.Helper()
	want, err := parseXML(in)
	if err != nil {
		return // oracle and scanner differ in what they accept
	}
	out, ok := compactXML(in)
	if !ok {
		t.Fatalf("%s is XML, but is refused", name)
	}
	got, err := parseXML(out)
	if err != nil {
		t.Fatalf("%s becomes %q: %v", name, out, err)
	}
	var a, b strings.Builder
	want.print(&a)
	got.print(&b)
	if a.String() != b.String() {
		t.Fatalf("%s: the tree changes\nfrom %.2000s\nto   %.2000s\ntext %.2000s", name, a.String(), b.String(), out)
	}
	if len(out) > len(in)+1 {
		t.Fatalf("%s grows from %d to %d bytes", name, len(in), len(out))
	}
}

func TestXMLOfTheCorpusHasTheSameTree(t *testing.T) {
	for _, pattern := range []string{"x-*.xml", "x-*.svg"} {
		files, _ := filepath.Glob("../../../testdata/content/" + pattern)
		if len(files) == 0 {
			t.Fatal("no files: " + pattern)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			requireSameTree(t, filepath.Base(f), b)
		}
	}
}

// randomXML writes an element with random content.
func randomXML(w *strings.Builder, rnd *rand.Rand, depth int) {
	pick := func(from ...string) string { return from[rnd.IntN(len(from))] }
	name := pick("a", "b", "x:c")
	w.WriteString("<" + name + pick("", " xmlns='u'", " xmlns:x=\"v\"", "  k = 'w  w' ", " xml:space='preserve'") + pick("", " ", "\n"))
	if rnd.IntN(4) == 0 {
		w.WriteString("/>")
		return
	}
	w.WriteString(">")
	for range rnd.IntN(5) {
		w.WriteString(pick("", "", " ", "\n ", "\n\t\n", "text", " text ", "&lt;", "&e;", "<![CDATA[ ]]>", "<![CDATA[<x>]]>", "<!-- c -->", "<!-- MUST -->", "<?p i?>"))
		if depth < 4 {
			randomXML(w, rnd, depth+1)
		}
		w.WriteString(pick("", " ", "\n"))
	}
	w.WriteString("</" + name + pick("", " ") + ">")
}

func TestRandomXMLHasTheSameTree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		var w strings.Builder
		randomXML(&w, rnd, 0)
		requireSameTree(t, w.String(), []byte(w.String()))
	}
}

func FuzzXML(f *testing.F) {
	f.Add("<a xmlns='u'>\n<b> </b><!-- MUST --></a>")
	f.Fuzz(func(t *testing.T, in string) {
		out, ok := compactXML([]byte(in))
		if !ok {
			return
		}
		if again, ok := compactXML(out); !ok || string(again) != string(out) {
			t.Fatalf("%q becomes %q, and that becomes %q, %v", in, out, again, ok)
		}
	})
}
