package host

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// xmlElement is an element as package encoding/xml finds it.
type xmlElement struct {
	path       string // /a[1]/b[2]
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
			e := xmlElement{path: fmt.Sprintf("%s/%s[%d]", top.path, name, top.tags[name]), start: at}
			open = append(open, level{e, map[string]int{}})
		case xml.EndElement:
			top.end = int(d.InputOffset())
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

// A path of XPath with positions leads to exactly the element that another parser finds
// there.
func TestPathsWithPositions(t *testing.T) {
	r := newRig(t, files{"projects/home.yaml": project("ungated-subindex")})
	var docs []document
	for _, d := range corpus(t) {
		if filepath.Ext(d.name) == ".xml" {
			docs = append(docs, d)
		}
	}
	for seed := range uint64(3) {
		docs = append(docs, document{name: fmt.Sprint("seed ", seed), bytes: randomXML(rand.New(rand.NewPCG(seed, 3)))})
	}
	checked := 0
	for _, d := range docs {
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
