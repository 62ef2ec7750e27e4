package proxy

import (
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// patch collects changes to one valid JSON text. What no change touches stays
// as it came: order of keys, white space, numbers, escapes, unknown fields.
type patch struct {
	src   []byte
	edits []edit
}

// edit puts text in place of src[start:end].
type edit struct {
	start, end int
	text       []byte
}

// field is a member to be added to an object; its value is raw JSON.
type field struct {
	key   string
	value []byte
}

// replace puts raw JSON in place of a value.
func (p *patch) replace(m jsonspan.Member, value []byte) {
	p.edits = append(p.edits, edit{m.Start, m.End, value})
}

// object drops the members that drop names from the object at src[start], and
// adds fields behind the last one.
func (p *patch) object(start int, drop func(key []byte) bool, add ...field) {
	last, kept := p.thin(start, func(m jsonspan.Member) bool { return drop(p.src[m.KeyStart:m.KeyEnd]) })
	if len(add) > 0 {
		p.edits = append(p.edits, edit{last, last, appendFields(nil, kept, add)})
	}
}

// array drops elements from the array at src[start], and puts first before those
// that stay.
func (p *patch) array(start int, drop func(jsonspan.Member) bool, first []byte) {
	head := append([]byte{'['}, first...)
	if _, kept := p.thin(start, drop); kept {
		head = append(head, ',')
	}
	p.edits = append(p.edits, edit{start, start + 1, head})
}

// thin removes children of the container at src[start], each with its comma. It
// returns where the last one ended, which is where to append, and whether any
// was kept.
func (p *patch) thin(start int, drop func(jsonspan.Member) bool) (last int, kept bool) {
	last = start + 1
	var gap *edit // open removal at the front, ends where a kept child starts
	jsonspan.Children(p.src, start, func(m jsonspan.Member) bool {
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

func appendFields(dst []byte, comma bool, add []field) []byte {
	for _, f := range add {
		if comma {
			dst = append(dst, ',')
		}
		dst = append(jsonspan.AppendQuote(dst, []byte(f.key)), ':')
		dst, comma = append(dst, f.value...), true
	}
	return dst
}

// apply returns the changed text; without a change that is src itself. A change
// within what another one replaces is lost with it.
func (p *patch) apply() []byte {
	if len(p.edits) == 0 {
		return p.src
	}
	slices.SortStableFunc(p.edits, func(x, y edit) int {
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(y.end, x.end))
	})
	size := len(p.src)
	for _, e := range p.edits {
		size += len(e.text)
	}
	out, at := make([]byte, 0, size), 0
	for _, e := range p.edits {
		if e.start < at {
			continue
		}
		out = append(append(out, p.src[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, p.src[at:]...)
}

// members calls yield for each member of the object that raw is, with its key
// as it is spelled, quotes included. raw that is no object has none.
func members(raw []byte, yield func(key []byte, m jsonspan.Member) bool) {
	membersAt(raw, jsonspan.SkipBlank(raw, 0), yield)
}

// membersAt is members for the object at raw[start].
func membersAt(raw []byte, start int, yield func(key []byte, m jsonspan.Member) bool) {
	jsonspan.Children(raw, start, func(m jsonspan.Member) bool {
		return m.KeyEnd == 0 || yield(raw[m.KeyStart:m.KeyEnd], m)
	})
}

// elements calls yield for each element of the array that stands at m; what is
// absent or no array has none.
func elements(raw []byte, m jsonspan.Member, yield func(m jsonspan.Member)) {
	if m.End == 0 || jsonspan.KindAt(raw, m.Start) != jsonspan.Array {
		return
	}
	jsonspan.Children(raw, m.Start, func(e jsonspan.Member) bool {
		yield(e)
		return true
	})
}

// lastMember finds a member of the object raw; of duplicates the last, which is
// the one that common parsers take. A Member of length 0 means there is none.
func lastMember(raw []byte, name string) jsonspan.Member {
	return memberAt(raw, jsonspan.SkipBlank(raw, 0), name)
}

// memberAt is lastMember for the object at raw[start].
func memberAt(raw []byte, start int, name string) (found jsonspan.Member) {
	membersAt(raw, start, func(key []byte, m jsonspan.Member) bool {
		if jsonspan.KeyIs(key, name) {
			found = m
		}
		return true
	})
	return found
}

// textOf returns the text of the string that stands at m, or "" if there is no
// string or one that is no text (a lone surrogate).
func textOf(raw []byte, m jsonspan.Member) string {
	if jsonspan.KindAt(raw, m.Start) != jsonspan.String || m.End == 0 {
		return ""
	}
	text, err := jsonspan.Unquote(raw[m.Start:m.End])
	if err != nil {
		return ""
	}
	return string(text)
}
