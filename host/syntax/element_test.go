package syntax

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// elementList returns the elements that this package finds in a text.
func elementList(xml *delimiters, text string) (found []string) {
	xml.visit([]byte(text), func(tag []byte, depth, start, end int) bool {
		found = append(found, fmt.Sprint(string(tag), depth, start, end))
		return true
	})
	return found
}

// decodedElements returns the elements that encoding/xml finds, up to the end of the
// first one. It reports false if the text is invalid.
func decodedElements(text string) (found []string, ok bool) {
	d := xml.NewDecoder(strings.NewReader(text))
	type element struct {
		tag   string
		start int
	}
	var open []element
	for {
		start := int(d.InputOffset())
		tok, err := d.RawToken()
		if err != nil {
			return found, err == io.EOF && len(open) == 0
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			open = append(open, element{strings.TrimPrefix(tok.Name.Space+":"+tok.Name.Local, ":"), start})
		case xml.EndElement:
			n := len(open) - 1
			if name := strings.TrimPrefix(tok.Name.Space+":"+tok.Name.Local, ":"); n < 0 || name != open[n].tag {
				return nil, false
			}
			found = append(found, fmt.Sprint(open[n].tag, n, open[n].start, d.InputOffset()))
			if open = open[:n]; n == 0 {
				return found, true
			}
		}
	}
}

func TestElements(t *testing.T) {
	xml := syntaxOf(t, "xml").elements
	for _, text := range []string{
		`<a><b/><c x=">" y='<'>t</c><b></b ></a><d/>`,
		`<a><!-- <b> --><![CDATA[</a>]]><?p <c>?><x:b/></a>`,
		"\n<?xml version=\"1.0\"?>\n<a\n\tb='1'\n/>",
		``, `text`, `<a>`, `</a>`, `<a><b></a>`,
	} {
		want, ok := decodedElements(strings.ReplaceAll(text, "<'", "&lt;'"))
		text = strings.ReplaceAll(text, "<'", "&lt;'") // as XML requires in an attribute
		if got := elementList(xml, text); ok && !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := elementList(xml, `<a><b></c></b></a>`); len(got) > 0 {
		t.Errorf("elements after an unbalanced tag: %q", got)
	}
	if got := elementList(xml, strings.Repeat("<a>", 100_000)+strings.Repeat("</a>", 100_000)); len(got) != 100_000 {
		t.Errorf("found %d of 100000 nested elements", len(got))
	}
}

// FuzzElements compares the elements with those of encoding/xml in texts that both
// accept.
func FuzzElements(f *testing.F) {
	xml := syntaxOf(f, "xml").elements
	for _, text := range []string{`<a><b/>t</a>`, `<a x="1"><!--c--><b>&lt;</b></a>`, `<a><![CDATA[<]]></a>`, `<x:a><b/></x:a>`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := elementList(xml, text)
		for _, s := range got {
			if s == "" {
				t.Fatal("an element has no name")
			}
		}
		declarations := strings.Count(text, "<!") - strings.Count(text, "<!--") - strings.Count(text, "<![CDATA[") // other declarations may be only before the root
		if want, ok := decodedElements(text); ok && declarations == 0 && !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	})
}
