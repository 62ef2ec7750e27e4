package section

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// spans are the elements of a text as this package finds them.
func spans(text string) (found []string) {
	elements([]byte(text), func(tag []byte, depth, start, end int) bool {
		found = append(found, fmt.Sprint(string(tag), depth, start, end))
		return true
	})
	return found
}

// oracle are the elements up to the end of the first as encoding/xml finds them; false
// if it refuses the text.
func oracle(text string) (found []string, ok bool) {
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
	for _, text := range []string{
		`<a><b/><c x=">" y='<'>t</c><b></b ></a><d/>`,
		`<a><!-- <b> --><![CDATA[</a>]]><?p <c>?><x:b/></a>`,
		"\n<?xml version=\"1.0\"?>\n<a\n\tb='1'\n/>",
		``, `text`, `<a>`, `</a>`, `<a><b></a>`,
	} {
		want, ok := oracle(strings.ReplaceAll(text, "<'", "&lt;'"))
		text = strings.ReplaceAll(text, "<'", "&lt;'") // which XML has no room for
		if got := spans(text); ok && !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := spans(`<a><b></c></b></a>`); len(got) > 0 {
		t.Errorf("what does not balance ends it: %q", got)
	}
	if got := spans(strings.Repeat("<a>", 100_000) + strings.Repeat("</a>", 100_000)); len(got) != 100_000 {
		t.Errorf("%d of 100000 elements inside each other", len(got))
	}
}

// FuzzElements compares with encoding/xml what both take for well-formed.
func FuzzElements(f *testing.F) {
	for _, text := range []string{`<a><b/>t</a>`, `<a x="1"><!--c--><b>&lt;</b></a>`, `<a><![CDATA[<]]></a>`, `<x:a><b/></x:a>`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := spans(text)
		for _, s := range got {
			if s == "" {
				t.Fatal("an element without a name")
			}
		}
		odd := strings.Count(text, "<!") - strings.Count(text, "<!--") - strings.Count(text, "<![CDATA[") // other declarations stand before the root
		if want, ok := oracle(text); ok && odd == 0 && !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	})
}
