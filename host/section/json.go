package section

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// longSegment is from where on a segment may be a cut name with its hash.
const longSegment = 52

// jsonWalk follows segments as keys and positions into the JSON value that p is,
// until a Section is reached or one does not fit, and says how many it used.
// Only the end of the last value is looked for: depth costs one pass in all.
func (d *Doc) jsonWalk(p part, segments []string) ([]part, int) {
	at, ok := d.jsonStart(&p)
	if !ok {
		return nil, 0
	}
	text := p.space.text[:p.end]
	base, tail := &p, ""
	if p.kind == partValue {
		base, tail = p.base, p.tail
	}
	var path strings.Builder
	path.WriteString(tail)
	for used, seg := range segments {
		next, name, ok := jsonChild(text, at, seg)
		if !ok {
			if used == 0 {
				return nil, 0
			}
			return d.value(p, base, path.String(), at), used
		}
		at = next
		path.WriteString("/" + name)
		if i, ok := d.sectionAt(&p, at); ok {
			return []part{d.part(i)}, used + 1
		}
	}
	return d.value(p, base, path.String(), at), len(segments)
}

func (d *Doc) value(p part, base *part, tail string, at int) []part {
	end, err := jsonspan.ValueEnd(p.space.text[:p.end], at)
	if err != nil {
		return nil
	}
	return []part{derive(partValue, base, at, end, tail)}
}

// jsonStart returns where the value begins that p consists of.
func (d *Doc) jsonStart(p *part) (int, bool) {
	if p.space == nil || p.kind == partFold || p.kind == partRange || p.space.kind == flow.AnswerDerived {
		return 0, false
	}
	if p.kind == partValue {
		return p.start, true
	}
	at := p.start + skipStart(p.bytes())
	if p.kind != partSection {
		return at, d.isContainer(p, at)
	}
	is, ok := d.containers.Load(p.sec)
	if !ok {
		is = d.isContainer(p, at)
		d.containers.Store(p.sec, is)
	}
	return at, is.(bool)
}

// isContainer reports whether p is one array or object and nothing else, by
// going over it once.
func (d *Doc) isContainer(p *part, at int) bool {
	text := p.space.text[:p.end]
	if kind := jsonspan.KindAt(text, at); d.syntaxIn(*p) != syntaxJSON || kind != jsonspan.Array && kind != jsonspan.Object {
		return false
	}
	end, err := jsonspan.ValueEnd(text, at)
	return err == nil && jsonspan.SkipBlank(text, end) == p.end
}

// jsonChild finds the child of the container at text[at] that seg names: where
// it starts, and the segment as an id spells it.
func jsonChild(text []byte, at int, seg string) (start int, name string, ok bool) {
	switch jsonspan.KindAt(text, at) {
	case jsonspan.Array:
		n, isPosition := position(seg)
		if !isPosition {
			return 0, "", false
		}
		start, ok = element(text, at, n)
		return start, strconv.Itoa(n), ok
	case jsonspan.Object:
		for _, key := range slices.Compact([]string{seg, unescape(seg)}) {
			is := func(lit []byte) bool { return jsonspan.KeyIs(lit, key) }
			if start, ok = member(text, at, is); ok {
				return start, abi.Segment(key), true
			}
		}
		if len(seg) < longSegment {
			return 0, "", false
		}
		start, ok = member(text, at, func(lit []byte) bool {
			key, err := jsonspan.Unquote(lit)
			return err == nil && abi.Segment(string(key)) == seg
		})
		return start, seg, ok
	}
	return 0, "", false
}

// element returns where element n of the array at text[at] starts.
func element(text []byte, at, n int) (int, bool) {
	at = jsonspan.SkipBlank(text, at+1)
	for ; n > 0; n-- {
		end, err := jsonspan.ValueEnd(text, at)
		if err != nil {
			return 0, false
		}
		if at = jsonspan.SkipBlank(text, end); at >= len(text) || text[at] != ',' {
			return 0, false
		}
		at = jsonspan.SkipBlank(text, at+1)
	}
	return at, jsonspan.KindAt(text, at) != jsonspan.Invalid
}

// member returns where the value starts of the first key that is meant.
func member(text []byte, at int, is func(lit []byte) bool) (int, bool) {
	for at = jsonspan.SkipBlank(text, at+1); jsonspan.KindAt(text, at) == jsonspan.String; {
		keyEnd, err := jsonspan.ValueEnd(text, at)
		if err != nil {
			return 0, false
		}
		found := is(text[at:keyEnd])
		if at = jsonspan.SkipBlank(text, keyEnd); at >= len(text) || text[at] != ':' {
			return 0, false
		}
		at = jsonspan.SkipBlank(text, at+1)
		if found {
			return at, jsonspan.KindAt(text, at) != jsonspan.Invalid
		}
		end, err := jsonspan.ValueEnd(text, at)
		if err != nil {
			return 0, false
		}
		if at = jsonspan.SkipBlank(text, end); at >= len(text) || text[at] != ',' {
			return 0, false
		}
		at = jsonspan.SkipBlank(text, at+1)
	}
	return 0, false
}

// sectionAt finds the Section that is just the value at text[at], among those
// whose home p is or lies in.
func (d *Doc) sectionAt(p *part, at int) (int32, bool) {
	list := d.cover.of(p.sec)
	n, found := slices.BinarySearchFunc(list, at, func(i int32, at int) int {
		start, _ := d.place(i)
		return start - at
	})
	if !found {
		return 0, false
	}
	q := d.part(list[n])
	if q.space != p.space {
		return 0, false
	}
	end, err := jsonspan.ValueEnd(p.space.text[:p.end], at)
	return list[n], err == nil && q.start == at && q.end == end
}
