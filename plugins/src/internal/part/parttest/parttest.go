// Package parttest checks the documents that scanners return.
package parttest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Check fails a test unless the parts of a document follow the rules of part.Doc: they
// nest, end at rune boundaries and have a name, and their leaves join to the text except
// for gaps of white space and gaps that structure accepts (nil: none).
func Check(t testing.TB, b []byte, d *part.Doc, structure func(gap []byte) bool) {
	t.Helper()
	if d.Count == "" {
		t.Errorf("no count")
	}
	for i := range d.Parts {
		if err := checkPlace(b, d, i); err != nil {
			t.Errorf("part %d %+v: %v", i, d.Parts[i], err)
			return
		}
		if err := checkName(d, i); err != nil {
			t.Errorf("part %d %+v: %v", i, d.Parts[i], err)
		}
	}
	at := int32(0)
	gap := func(end int32) {
		gap := bytes.TrimSpace(bytes.TrimPrefix(b[at:end], []byte("\xef\xbb\xbf")))
		if len(gap) > 0 && (structure == nil || !structure(gap)) {
			t.Errorf("%.80q at %d is in no part", gap, at)
		}
	}
	for _, l := range listLeaves(d) {
		if l.Start < at {
			t.Errorf("leaf [%d,%d) begins before %d", l.Start, l.End, at)
			return
		}
		gap(l.Start)
		at = l.End
	}
	if len(d.Parts) > 0 {
		gap(int32(len(b)))
	}
}

// findOwner returns the nearest ancestor that is no group, or -1.
func findOwner(d *part.Doc, i int) int32 {
	up := d.Parts[i].Parent
	for up >= 0 && d.Parts[up].Kind == part.Group {
		up = d.Parts[up].Parent
	}
	return up
}

func checkPlace(b []byte, d *part.Doc, i int) error {
	p := d.Parts[i]
	switch {
	case p.Parent < -1 || int(p.Parent) >= i:
		return fmt.Errorf("parent %d is not before it", p.Parent)
	case p.Kind == part.Group && p.Size() == 0:
		return nil
	case p.Kind == part.Group || p.Start < 0 || p.Start >= p.End || int(p.End) > len(b):
		return fmt.Errorf("no span of %d bytes", len(b))
	case !utf8.RuneStart(b[p.Start]) || int(p.End) < len(b) && !utf8.RuneStart(b[p.End]):
		return fmt.Errorf("cuts a character")
	}
	if up := findOwner(d, i); up >= 0 && (p.Start < d.Parts[up].Start || p.End > d.Parts[up].End) {
		return fmt.Errorf("leaves part %d %+v", up, d.Parts[up])
	}
	return nil
}

func checkName(d *part.Doc, i int) error {
	var first, second part.Name
	d.Name(i, &first)
	d.Name(i, &second)
	switch {
	case fmt.Sprint(first) != fmt.Sprint(second):
		return fmt.Errorf("is called %q, then %q", first, second)
	case len(first.Title) == 0:
		return fmt.Errorf("has no title")
	case len(first.Title) > 80 || !utf8.Valid(first.Title) || bytes.ContainsFunc(first.Title, unicode.IsControl):
		return fmt.Errorf("title %q is not one line of up to 80 bytes", first.Title)
	case d.Parts[i].Kind == part.Group && len(first.ID) == 0:
		return fmt.Errorf("is a group without an id")
	}
	return nil
}

// listLeaves returns the parts with bytes and without children with bytes, in text order.
func listLeaves(d *part.Doc) (out []part.Part) {
	holds := make([]bool, len(d.Parts))
	for i, p := range d.Parts {
		if up := findOwner(d, i); up >= 0 && p.Kind != part.Group {
			holds[up] = true
		}
	}
	for i, p := range d.Parts {
		if p.Kind != part.Group && !holds[i] {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b part.Part) int { return int(a.Start - b.Start) })
	return out
}
