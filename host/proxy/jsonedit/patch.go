// Package jsonedit reads members of JSON texts and changes them in place. Bytes
// that no edit touches stay as they were: the order of keys, white space, numbers,
// escapes and unknown members.
//
// Patch collects the edits of one text. Member and Text look values up; Object
// writes a new object. The texts are expected to be valid JSON, as jsonspan.Valid
// checks it; values of an unexpected kind count as absent.
//
// It does not decode documents: package jsonrpc does.
package jsonedit

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Patch collects edits to one valid JSON text.
type Patch struct {
	Source []byte
	edits  []edit
}

// edit replaces Source[start:end] with text.
type edit struct {
	start, end int
	text       []byte
}

// Replace replaces the value at m with raw JSON.
func (p *Patch) Replace(m jsonspan.Member, value []byte) {
	p.edits = append(p.edits, edit{m.Start, m.End, value})
}

// EditObject removes the members for which drop returns true from the object at
// Source[start], and appends fields to it. drop receives the key as it is spelled,
// including the quotes; a nil drop keeps all members.
func (p *Patch) EditObject(start int, drop func(key []byte) bool, add ...Field) {
	last, kept := p.removeChildren(start, func(m jsonspan.Member) bool {
		return drop != nil && drop(p.Source[m.KeyStart:m.KeyEnd])
	})
	if len(add) > 0 {
		p.edits = append(p.edits, edit{last, last, appendFields(nil, kept, add)})
	}
}

// EditArray removes the elements for which drop returns true from the array at
// Source[start], and inserts first before the remaining ones.
func (p *Patch) EditArray(start int, drop func(jsonspan.Member) bool, first []byte) {
	head := append([]byte{'['}, first...)
	if _, kept := p.removeChildren(start, drop); kept {
		head = append(head, ',')
	}
	p.edits = append(p.edits, edit{start, start + 1, head})
}

// removeChildren removes children of the container at Source[start], each with its
// comma. It returns the end of the last child, which is the position to append at,
// and whether any child was kept.
func (p *Patch) removeChildren(start int, drop func(jsonspan.Member) bool) (last int, kept bool) {
	last = start + 1
	var gap *edit // a removal at the front, which ends where a kept child starts
	jsonspan.Children(p.Source, start, func(m jsonspan.Member) bool {
		begin := m.Start
		if m.KeyEnd > 0 {
			begin = m.KeyStart
		}
		switch {
		case !drop(m):
			if gap != nil {
				gap.end = begin
				p.edits, gap = append(p.edits, *gap), nil
			}
			kept = true
		case kept:
			p.edits = append(p.edits, edit{last, m.End, nil}) // with the comma before it
		case gap == nil:
			gap = &edit{begin, m.End, nil}
		default:
			gap.end = m.End
		}
		last = m.End
		return true
	})
	if gap != nil {
		p.edits = append(p.edits, *gap)
	}
	return last, kept
}

// IsEmpty reports whether there are no edits.
func (p *Patch) IsEmpty() bool { return len(p.edits) == 0 }

// Apply returns the edited text. Without edits it returns Source itself. An edit
// inside a value that another edit replaces is ignored.
func (p *Patch) Apply() []byte {
	if len(p.edits) == 0 {
		return p.Source
	}
	slices.SortStableFunc(p.edits, func(x, y edit) int {
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(y.end, x.end))
	})
	size := len(p.Source)
	for _, e := range p.edits {
		size += len(e.text)
	}
	out, at := make([]byte, 0, size), 0
	for _, e := range p.edits {
		if e.start < at {
			continue
		}
		out = append(append(out, p.Source[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, p.Source[at:]...)
}

// WithText returns raw with the value at m replaced by a string. If m is absent or
// already holds this text, it returns raw unchanged.
func WithText(raw []byte, m jsonspan.Member, text string) json.RawMessage {
	if m.End == 0 || Text(raw, m) == text {
		return raw
	}
	p := Patch{Source: raw}
	p.Replace(m, Quote(text))
	return p.Apply()
}
