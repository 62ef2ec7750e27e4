package xml

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
	"github.com/mcpctl/mcpctl/plugins/src/scan/xml/syntax"
)

var tested = parttest.Scanner{Scan: Scan, Between: between.Match}

// between matches the text that may lie between parts: tags, processing instructions,
// document types.
var between = regexp.MustCompile(`(?s)^(\s|</?[^\s<>!?/]([^<>"']|"[^"]*"|'[^']*')*>|<\?.*?\?>|<!(?i:doctype)\s.*>)*$`)

func TestNames(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"attributes and text", `<a><b x="1" y='2'>text &amp; more</b></a>`, `
a | b=text & more
 b | x=1 y=2: text & more`},
		{"name, else id, else key", `<a><b id="1" name="n"/><b key="k" id="2" c="3"/></a>`, `
a | b 2: n, 2
 b=n | id=1
 b=2 | key=k c=3`},
		{"a name with a prefix", `<r xmlns:x="u"><x:b x:Name="n" xmlns:id="v">1</x:b></r>`, `
r | x:b=1
 x:b=n | 1`},
		{"a long value is not a name", `<a><b name="` + strings.Repeat("n", 61) + `"/></a>`, `
a | b
 b | nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...`},
		{"a long dotted name keeps its end", `<a><b name="M:` + strings.Repeat("abc.", 20) + `Type.method(int)"/></a>`, `
a | b
 b | ...abc.abc.abc.abc.abc.abc.abc.abc.abc.abc.abc.Type.method`},
		{"an only child names its parent", `<d><e><f id="x"><g>1</g><h>2</h></f></e><i><j/></i><p><q><name>n</name><g>1</g></q></p></d>`, `
d | e, i, p
 e | f: x
  f=x | g=1, h=2
   g | 1
   h | 2
 i | j
  j | j
 p | q: n
  q | n: g=1
   name | n
   g | 1`},
		{"a name beside the id, however long", `<a><b id="p1"><name>` + strings.Repeat("one word ", 12) + `</name><c>1</c></b><b id="p2"><title>  <![CDATA[Two <i>words</i>]]></title></b></a>`, `
a | b 2: p1, p2
 b=p1 | one word one word one word one word one word one word one...: c=1
  name | one word one word one word one word one word one word one word one word one w...
  c | 1
 b=p2 | Two words
  title | Two words
   #cdata | Two <i>words</i>`},
		{"a name in a pair of key and value", `<a><b id="1" x="2"><t k="kind" v="cafe"/><t k="name" v="The Cafe"/></b><b id="2"><t k="kind" v="bar"/></b></a>`, `
a | b 2: 1, 2
 b=1 | The Cafe: x=2: t 2: kind, name
  t=kind | v=cafe
  t=name | v=The Cafe
 b=2 | t
  t | k=kind v=bar`},
		{"children name repeated elements", `<d><e><groupId>g</groupId><artifactId>x</artifactId><version>1</version></e><e><artifactId>y</artifactId></e><f><id>z</id></f></d>`, `
d | e 2, f
 e=x | groupId=g, version=1
  groupId | g
  artifactId | x
  version | 1
 e=y | y
  artifactId | y
 f | id=z
  id | z`},
		{"an attribute distinguishes siblings without a name", `<m><t n="1" lang="en" type="a/b"><s/></t><t n="2" lang="en" type="a/c">x</t></m>`, `
m | t 2: a/b, a/c
 t=a/b | n=1 lang=en: s
  s | s
 t=a/c | n=2 lang=en: x`},
		{"numbers and paths of drawings do not", `<m><t x="1" y="-.5" d="M1 2"/><t x="2" y="1px" d="M2 3"/></m>`, `
m | t 2
 t | x=1 y=-.5 d=M1 2
 t | x=2 y=1px d=M2 3`},
		{"nor do repeated values", `<m><t by="a"/><t by="b"/><t by="a"/></m>`, `
m | t 3
 t | by=a
 t | by=b
 t | by=a`},
		{"the name is in the header of a repeated element", `<l><e><head><name>us</name></head><v/></e><e><head><name>de</name><id>7</id></head></e></l>`, `
l | e 2: us, de
 e=us | head, v
  head | us
   name | us
  v | v
 e=de | head: de
  head | de: id=7
   name | de
   id | 7`},
		{"the last of several children with an id suffix", `<l><e><org_id>1</org_id><contactID>2</contactID><n>3</n></e><e><org_id>1</org_id><n>4</n></e></l>`, `
l | e 2: 2, 1
 e=2 | org_id=1, n=3
  org_id | 1
  contactID | 2
  n | 3
 e=1 | n=4
  org_id | 1
  n | 4`},
		{"a name in CDATA", `<l><e><title><![CDATA[a & b]]></title></e><e><title><![CDATA[c]]></title></e></l>`, `
l | e 2: a & b, c
 e=a & b | a & b
  title | a & b
   #cdata | a & b
 e=c | c
  title | c
   #cdata | c`},
		{"a long text follows short ones", `<l><e>1</e><f>` + strings.Repeat("long text ", 30) + `</f></l>`, `
l | e=1, f=long text long text long text long te...
 e | 1
 f | long text long text long text long text long text long text long text long te...`},
		{"keys of a property list", `<plist><dict><key>Name</key><string>v</string><key>List</key><array><true/><true/></array></dict></plist>`, `
plist | dict
 dict | key 2, string=v, array
  key | Name
  string=Name | v
  key | List
  array=List | true 2
   true | true
   true | true`},
		{"comments, CDATA and text between elements", "<!-- top --><a>one<b/>two<!--c--><![CDATA[<x>]]> three </a>", `
#comment | top
a | b
 #text | one
 b | b
 #text | two
 #comment | c
 #cdata | <x>
 #text | three`},
		{"declarations are not parts", "\ufeff<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY x \"]>\"> <!-- ' --> ]>\n<a><?pi <b> ?>text</a>\n<?pi?>\n", `
a | text`},
		{"a single CDATA", "<a><![CDATA[a &amp; b]]></a>", `
a | a & b
 #cdata | a &amp; b`},
		{"a test report", `<testsuite name="s" xmlns="u"><testcase name="a" classname="C" time="1"/><testcase name="b"><failure message="m">trace</failure></testcase></testsuite>`, `
testsuite | s: testcase 2: a, b
 testcase=a | classname=C time=1
 testcase=b | failure=trace
  failure | message=m: trace`},
		{"entities are not expanded", `<!DOCTYPE a [<!ENTITY b "&c;&c;">]><a>&b;&#65;&#x42;&#xD800;&;</a>`, `
a | &b;AB&#xD800;&;`},
	} {
		tested.Names(t, c.rule, c.text, part.Clues{}, c.want)
	}
}

func TestTextsThatAreNotXML(t *testing.T) {
	for rule, text := range map[string]string{
		"empty text":                     "",
		"no tag":                         "text",
		"text before":                    "a <b/>",
		"text after":                     "<p>a</p>\n\n# Title\n",
		"text between":                   "<?xml version='1.0'?> hello <a/>",
		"only a declaration":             "<?xml version='1.0'?>",
		"only a comment":                 "<!-- -->",
		"an attribute without quotes":    "<p align=center><img src=a.png></p>\n# Name\n",
		"an attribute without a value":   "<a b></a>",
		"attributes without white space": `<a b="1"c="2"/>`,
		"< in a value":                   `<a b="<"/>`,
		"braces of JSX":                  "<A b={1}></A>",
		"not closed":                     "<a><b></b>",
		"closed twice":                   "<a></a></a>",
		"closed in the wrong order":      "<a><b></a></b>",
		"letters of another case":        "<a></A>",
		"a tag that does not end":        "<a",
		"< in the text":                  "<a>1 < 2</a>",
		"< at the end":                   "<a/><",
		"a comment that does not end":    "<a/><!-- ",
		"CDATA that does not end":        "<a><![CDATA[ ]]</a>",
		"CDATA outside":                  "<a/><![CDATA[x]]>",
		"a document type inside":         "<a><!DOCTYPE b></a>",
		"a document type without an end": "<!DOCTYPE a [ <a/>",
		"a document type closed by ]":    "<!DOCTYPE a ]<b/>",
		"a document type without a name": "<!DOCTYPE'>'><a/>",
		"an instruction without an end":  "<a/><?x",
		"XHTML":                          "<html><body/></html>",
	} {
		if d, ok := Scan([]byte(text), part.Clues{}); ok {
			t.Errorf("%s: %q", rule, parttest.List(d))
		}
	}
}

func TestForcedAcceptsUnbalancedTags(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"not closed", "<a><b>1<c/>2", "\na | b\n b | c\n  #text | 1\n  c | c\n  #text | 2"},
		{"closed by its parent", "<a><b>1</a> <c/>", "\na | b=1\n b | 1\nc | c"},
		{"an extra end tag", "<a></b>1<c/></a>", "\na | c\n #text | 1\n c | c"},
		{"< in the text", "<a>1 < 2<b/></a>", "\na | b\n #text | 1 < 2\n b | b"},
		{"text outside", "one <a/> two", "\n#text | one\na | a\n#text | two"},
		{"an attribute without quotes", "<a><b c=1>x</b></a>", "\na | x"},
	} {
		tested.Names(t, c.rule, c.text, parttest.Forced, c.want)
	}
	if _, ok := Scan([]byte("no tag at all"), parttest.Forced); ok {
		t.Error("a text without parts is accepted")
	}
}

// A file with the name of XML may have one error for many elements.
func TestNamesAcceptFewErrors(t *testing.T) {
	well := strings.Repeat("<b>1</b>", elementsPerError)
	for _, c := range []struct {
		rule, file, text string
		want             bool
	}{
		{"< in the text", "a.xml", "<a>" + well + "<c>[\\<=>]</c></a>", true},
		{"an element that is not closed", "a.svg", "<a>" + well + "<c><d></c></a>", true},
		{"an end tag that closes nothing", "a.xml", "<a>" + well + "</c></a>", true},
		{"a text that is cut off", "a.xml", "<a>" + well, true},
		{"too many errors", "a.xml", "<a>" + well + "<c><d></c> < </a>", false},
		{"text outside of all elements", "a.xml", "<a>" + well + "</a> b", false},
		{"a declaration", "", "<?xml version='1.0'?>\n<a>" + well + "<c><d></c></a>", true},
		{"no name", "", "<a>" + well + "<c><d></c></a>", false},
		{"a name of another type", "a.txt", "<a>" + well + "<c><d></c></a>", false},
		{"text before the first tag", "a.xml", "x <a>" + well + "<c><d></c></a>", false},
		{"HTML", "a.xml", "<html>" + well + "<br></html>", false},
	} {
		d, ok := Scan([]byte(c.text), part.Clues{File: c.file})
		if ok != c.want {
			t.Errorf("%s: %t", c.rule, ok)
		}
		if ok {
			parttest.Check(t, []byte(c.text), d, tested.Between)
		}
	}
}

// element is the span and name of an element.
type element struct {
	start, end int
	name       string
}

// oracle returns the elements that encoding/xml finds.
func oracle(b []byte) (out []element, err error) {
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Strict, d.CharsetReader = false, func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var open []int
	for {
		at := int(d.InputOffset())
		token, err := d.RawToken()
		if err == io.EOF && len(open) == 0 {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			if token.Name.Space != "" {
				name = token.Name.Space + ":" + name
			}
			open, out = append(open, len(out)), append(out, element{at, 0, name})
		case xml.EndElement:
			if len(open) == 0 {
				return out, fmt.Errorf("</%s>", token.Name.Local)
			}
			out[open[len(open)-1]].end = int(d.InputOffset())
			open = open[:len(open)-1]
		}
	}
}

func elements(b []byte, d *part.Doc) (out []element) {
	ids := make([]string, len(d.Parts))
	for i, p := range d.Parts {
		var n part.Name
		d.Name(i, &n)
		ids[i] = string(n.ID)
		if ids[i] == "#tag" || p.Parent >= 0 && ids[p.Parent] == "#tag" {
			continue
		}
		if whole := b[p.Start:p.End]; p.Kind != part.Group && whole[0] == '<' && len(whole) > 1 && syntax.IsNameStart(whole[1]) {
			out = append(out, element{int(p.Start), int(p.End), string(syntax.TagName(b, int(p.Start)))})
		}
	}
	slices.SortFunc(out, func(a, b element) int { return a.start - b.start })
	return out
}

// agree fails unless Scan finds the same elements as encoding/xml.
func agree(t *testing.T, name string, b []byte) {
	t.Helper()
	want, err := oracle(b)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	d, ok := Scan(b, part.Clues{})
	if !ok {
		t.Errorf("%s: refused", name)
		return
	}
	if got := elements(b, d); !slices.Equal(got, want) {
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("%s: element %d is %v, encoding/xml has %v", name, i, got[i], want[i])
				return
			}
		}
		t.Errorf("%s: %d elements, encoding/xml has %d", name, len(got), len(want))
	}
	parttest.Check(t, b, d, between.Match)
}

func TestElementsMatchEncodingXML(t *testing.T) {
	for name, b := range parttest.ReadContents(t, "x-*") {
		agree(t, name, b)
	}
}

// write appends a random element.
func write(rnd *rand.Rand, w *strings.Builder, depth int) {
	names := []string{"a", "b", "x:c", "d-e.f", "_g", "été"}
	name := names[rnd.IntN(len(names))]
	w.WriteString("<" + name)
	for range rnd.IntN(3) {
		fmt.Fprintf(w, "%s%s%s=%s", pick(rnd, " ", "\n\t"), pick(rnd, "name", "id", "xmlns:q", "v"), pick(rnd, "", " "), pick(rnd, `"a>b"`, `'"'`, `""`, `"/>"`, `" é "`))
	}
	if depth == 0 || rnd.IntN(6) == 0 {
		w.WriteString(pick(rnd, "/>", " />"))
		return
	}
	w.WriteString(pick(rnd, ">", " >"))
	for range rnd.IntN(5) {
		switch rnd.IntN(8) {
		case 0:
			w.WriteString(pick(rnd, "text", " two\n words ", "&amp;&#65;", "日本 > x", "\r\n"))
		case 1:
			w.WriteString(pick(rnd, "<!-- <a> -->", "<!---->", "<?pi <b> ?>"))
		case 2:
			w.WriteString(pick(rnd, "<![CDATA[<a>]]>", "<![CDATA[]]>", "<![CDATA[x]] >]]>"))
		default:
			write(rnd, w, depth-1)
		}
	}
	w.WriteString("</" + name + pick(rnd, ">", " >"))
}

func pick(rnd *rand.Rand, words ...string) string { return words[rnd.IntN(len(words))] }

func TestRandomElementsMatchEncodingXML(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range 500 {
		var w strings.Builder
		w.WriteString(pick(rnd, "", "<?xml version=\"1.0\"?>\n", "<!-- x -->", "<!DOCTYPE a [<!ELEMENT b (c)> <!-- > -->]>", " \n"))
		write(rnd, &w, 1+rnd.IntN(6))
		w.WriteString(pick(rnd, "", "\n", "<!-- end -->", "<?end?>"))
		agree(t, fmt.Sprintf("document %d %.200q", i, w.String()), []byte(w.String()))
	}
}

func TestExtremeTexts(t *testing.T) {
	deep := strings.Repeat("<a>", 100_000)
	for _, c := range []struct {
		rule, text string
		parts      int // -1: refused, -2: any
	}{
		{"depth 100,000", deep + "x" + strings.Repeat("</a>", 100_000), syntax.MaxLevels},
		{"depth 100,000, not closed", deep, -1},
		{"depth of two names", strings.Repeat("<a><b>", 200) + "x" + strings.Repeat("</b></a >", 200), syntax.MaxLevels},
		{"depth of two names, closed in the wrong order", strings.Repeat("<a><b>", 200) + strings.Repeat("</a></b>", 200), -1},
		{"depth of two names, one closed too early", strings.Repeat("<a><b>", 200) + "</a>" + strings.Repeat("</b></a>", 200), -1},
		{"depth without end", strings.Repeat("<a>", syntax.MaxDepth+1) + strings.Repeat("</a>", syntax.MaxDepth+1), -1},
		{"50,000 siblings", "<a>" + strings.Repeat("<b/>", 50_000) + "</a>", 50_001},
		{"more siblings than sections", "<a><c/>" + strings.Repeat("<b><c/></b>", syntax.MaxChildren) + "</a>", 1},
		{"tiny elements, the deepest of them too many", "<r>" + strings.Repeat("<l>"+strings.Repeat("<m><a/><b/></m>", 1000)+"</l>", 200) + "</r>", 200_201},
		{"a value of 3 MB", `<a><b v="` + strings.Repeat("0123456789", 300_000) + `"/></a>`, 4},
		{"100,000 attributes", "<a" + strings.Repeat(` b="c"`, 100_000) + "/>", 2},
		{"tags full of attributes", "<r>" + strings.Repeat("<a"+strings.Repeat(` b="c"`, 200)+">x</a>", 5000) + "</r>", -2},
		{"12 MB on one line", "<a>" + strings.Repeat("<b n='1'>"+strings.Repeat("x", 1200)+"</b>", 10_000) + "</a>", 10_001},
		{"entities that expand exponentially", `<!DOCTYPE a [<!ENTITY a "` + strings.Repeat("&b;", 1000) + `">]><a>` + strings.Repeat("&a;", 1000) + "</a>", 1},
		{"comments only", strings.Repeat("<!---->", 70_000), -1},
	} {
		d, ok := Scan([]byte(c.text), part.Clues{})
		switch {
		case ok != (c.parts != -1):
			t.Errorf("%s: accepted is %t", c.rule, ok)
		case ok && c.parts >= 0 && len(d.Parts) != c.parts:
			t.Errorf("%s: %d parts, want %d", c.rule, len(d.Parts), c.parts)
		case ok:
			parttest.Check(t, []byte(c.text), d, between.Match)
		}
	}
	for _, text := range []string{"<!---->", "<!-- ", "<? ", "<a><![CDATA[ ", "<!DOCTYPE a ", "<a b='", "</a>", "< "} {
		if _, ok := Scan([]byte(strings.Repeat(text, 70_000)+"<c/>"), parttest.Forced); !ok {
			t.Errorf("%q forced: refused", text)
		}
	}
}

func FuzzScan(f *testing.F) {
	tested.Fuzz(f, []string{
		"<a b='1'><!-- --><c/>t<![CDATA[x]]></a>", "<?xml?><!DOCTYPE a [<!ENTITY b '>'>]><a/>", "<a><b>", "a<b", "<key>a</key><b/>", "<\u0085 \u0085='1'/>",
		"<a><b k='1'/><b k='1'/><b k='2'/><b k='2'/></a>",
		"<a b='" + strings.Repeat("c", 100) + "' d='e'>t<f g='" + strings.Repeat("h", 1000) + "' i='' /></a>",
	}, func(t *testing.T, b []byte) {
		if d, ok := Scan(b, part.Clues{}); ok {
			agreeOnSpans(t, b, d)
		}
	})
}

// agreeOnSpans fails if encoding/xml accepts a text and finds other elements.
func agreeOnSpans(t *testing.T, b []byte, d *part.Doc) {
	want, err := oracle(b)
	got := elements(b, d)
	if err != nil || len(want) >= syntax.MaxLevels {
		return
	}
	if !slices.EqualFunc(got, want, func(a, b element) bool { return a.start == b.start && a.end == b.end }) {
		t.Fatalf("elements %v, encoding/xml has %v", got, want)
	}
}

func BenchmarkScan(b *testing.B) {
	tested.Bench(b, parttest.ReadContent(b, "x-vk-video.xml"))
}

// Tags that are too many to be numbered are compared by name.
func TestManyTags(t *testing.T) {
	var w strings.Builder
	for i := range syntax.MaxTags + 10 {
		fmt.Fprintf(&w, "<t%d><id>v</id></t%d>", i, i)
	}
	text := "<r>" + w.String() + "<last/><end/><last>1</last><late><last/><end/><last/></late></r>"
	d, ok := Scan([]byte(text), part.Clues{})
	if !ok {
		t.Fatal("refused")
	}
	parttest.Check(t, []byte(text), d, between.Match)
	lines := parttest.List(d)
	if got := strings.TrimSpace(lines[len(lines)-4]); got != "late | last 2, end" {
		t.Errorf("%q", got)
	}
	if got := strings.TrimSpace(lines[1+2*(syntax.MaxTags+5)]); got != fmt.Sprintf("t%d | id=v", syntax.MaxTags+5) {
		t.Errorf("%q", got)
	}
}
