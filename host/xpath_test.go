package host

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
)

// xmlElement is an element as package encoding/xml finds it.
type xmlElement struct {
	path       string // /a[1]/b[2]
	tags       string // /a/b
	parent     int    // the start of the enclosing element
	attributes []xml.Attr
	content    string // if it has no children, comments and references
	start, end int
}

// xmlElements returns all elements of a text with their paths in XPath.
func xmlElements(t testing.TB, text []byte) (all []xmlElement) {
	t.Helper()
	type level struct {
		xmlElement
		tags map[string]int
	}
	open := []level{{tags: map[string]int{}}}
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		at := int(d.InputOffset())
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		top := &open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			name := strings.TrimPrefix(token.Name.Space+":"+token.Name.Local, ":")
			top.tags[name]++
			e := xmlElement{
				path: fmt.Sprintf("%s/%s[%d]", top.path, name, top.tags[name]), tags: top.xmlElement.tags + "/" + name,
				parent: top.start, attributes: slices.Clone(token.Attr), start: at,
			}
			open = append(open, level{e, map[string]int{}})
		case xml.EndElement:
			top.end = int(d.InputOffset())
			if inner := text[top.start:at]; bytes.Count(inner, []byte("<")) == 1 && !bytes.Contains(inner, []byte("&")) {
				top.content = string(inner[bytes.IndexByte(inner, '>')+1:])
			}
			all = append(all, top.xmlElement)
			open = open[:len(open)-1]
		}
	}
}

// randomXML returns elements with names, ids, equal tags and text between them.
func randomXML(r *rand.Rand) []byte {
	tags := []string{"item", "entry", "group", "x:item", "item-2", "a.b"}
	var b bytes.Buffer
	var write func(depth int)
	write = func(depth int) {
		tag := tags[r.IntN(len(tags))]
		fmt.Fprintf(&b, "<%s", tag)
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, ` %s="v%d"`, []string{"id", "name", "key", "n"}[r.IntN(4)], r.IntN(30))
		}
		if b.Len() > 60_000 || r.IntN(12) == 0 {
			b.WriteString("/>")
			return
		}
		b.WriteString(">")
		for range r.IntN(2 + 10*depth) {
			if depth > 0 && r.IntN(4) > 0 {
				write(depth - 1)
			} else {
				fmt.Fprintf(&b, "<title>word %d</title><!-- <item> -->\n", r.IntN(99))
			}
		}
		b.WriteString(strings.Repeat("some text ", r.IntN(20)))
		fmt.Fprintf(&b, "</%s>\n", tag)
	}
	b.WriteString("<?xml version=\"1.0\"?>\n<root xmlns:x=\"urn:x\">\n")
	for b.Len() < 9000 {
		write(4)
	}
	b.WriteString("</root>\n")
	return b.Bytes()
}

// xmlDocuments returns the XML files of the corpus and random ones.
func xmlDocuments(t testing.TB) (docs []document) {
	t.Helper()
	for _, d := range corpus(t) {
		if filepath.Ext(d.name) == ".xml" {
			docs = append(docs, d)
		}
	}
	for seed := range uint64(3) {
		docs = append(docs, document{name: fmt.Sprint("seed ", seed), bytes: randomXML(rand.New(rand.NewPCG(seed, 3)))})
	}
	return docs
}

// A path of XPath with positions leads to exactly the element that another parser finds
// there.
func TestPathsWithPositions(t *testing.T) {
	if testing.Short() {
		t.Skip("one client repeats the same calls thousands of times")
	}
	r := newRig(t, files{"projects/home.yaml": project("ungated-subindex")})
	checked := 0
	for _, d := range xmlDocuments(t) {
		r.drill(t, &d)
		all := xmlElements(t, d.bytes)
		for i := 0; i < len(all); i += 1 + len(all)/120 {
			e := all[i]
			want := d.bytes[e.start:e.end]
			if len(want) > 40_000 {
				continue
			}
			checked++
			got := r.Read(t.Context(), scope, d.ref, e.path+"!")
			if got.IsError || !bytes.Equal(got.Text, want) {
				t.Errorf("%s: %s! returned %.200q, want %.200q", d.name, e.path, got.Text, want)
			}
		}
	}
	if checked < 300 {
		t.Errorf("%d elements are too few", checked)
	}
}

// selected returns the bytes of the elements that a condition chooses, each on lines of its
// own.
func selected(d *document, all []xmlElement, choose func(e *xmlElement) bool) string {
	chosen := slices.DeleteFunc(slices.Clone(all), func(e xmlElement) bool { return !choose(&e) })
	slices.SortFunc(chosen, func(a, b xmlElement) int { return a.start - b.start })
	text := ""
	for _, e := range chosen {
		text += string(d.bytes[e.start:e.end]) + "\n"
	}
	return text
}

// A path of tags, or of tags with a condition for an attribute or a child, leads to exactly
// the elements that XPath chooses, or to none.
func TestPathsWithConditions(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of paths take minutes with the race detector")
	}
	r := newRig(t, files{"projects/home.yaml": project("ungated-subindex")})
	counts := tally{}
	for _, d := range xmlDocuments(t) {
		r.drill(t, &d)
		all := xmlElements(t, d.bytes)
		byStart := map[int]xmlElement{}
		for _, e := range all {
			byStart[e.start] = e
		}
		check := func(form, path string, choose func(e *xmlElement) bool) {
			want := selected(&d, all, choose)
			if len(want) > 30_000 || want == "" {
				return
			}
			a := r.Read(t.Context(), scope, d.ref, path+"!")
			switch got := strings.TrimSuffix(string(a.Text), "\n"); {
			case a.IsError:
				counts.add(form, refused)
			case got == strings.TrimSuffix(want, "\n"):
				counts.add(form, equal)
			case a.Meta.Kind == flow.AnswerIndex && len(path) > 120: // such a path is not joined
				counts.add(form, ambiguous)
			default:
				counts.add(form, wrong)
				t.Errorf("%s: %s! returned %d bytes %.150q, want %d bytes %.150q", d.name, path, len(a.Text), a.Text, len(want), want)
			}
		}
		for _, e := range pick(rand.New(rand.NewPCG(1, uint64(len(d.bytes)))), all, 60) {
			check("tags", e.tags, func(other *xmlElement) bool { return other.tags == e.tags })
			if e.parent == e.start || e.path == "" {
				continue
			}
			for _, a := range e.attributes[:min(1, len(e.attributes))] {
				name := strings.TrimPrefix(a.Name.Space+":"+a.Name.Local, ":")
				check("attribute", fmt.Sprintf("%s[@%s='%s']", e.tags, name, a.Value), func(other *xmlElement) bool {
					return other.tags == e.tags && slices.Contains(other.attributes, a)
				})
			}
			above, ok := byStart[e.parent]
			if e.content == "" || strings.ContainsAny(e.content, "\"'\n") || !ok {
				continue
			}
			tag := e.tags[strings.LastIndexByte(e.tags, '/')+1:]
			check("child", fmt.Sprintf(`%s[%s="%s"]`, above.tags, tag, e.content), func(other *xmlElement) bool {
				return other.tags == above.tags && slices.ContainsFunc(all, func(c xmlElement) bool {
					return c.parent == other.start && c.tags == e.tags && c.content == e.content
				})
			})
		}
	}
	t.Logf("\n%s", counts)
	if n := counts.sum(equal); n < 150 || counts.sum(refused) > n/10 {
		t.Errorf("%d paths lead to the elements of XPath, %d are not found", n, counts.sum(refused))
	}
}
