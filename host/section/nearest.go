package section

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// nearestOffers is how many ids an answer about an unknown section offers.
const nearestOffers = 5

// unknown says that a section does not exist, how much there is where it should
// be, and which ids are nearest.
func (d *Doc) unknown(section string) flow.Answer {
	section = strings.ToValidUTF8(section, "")
	path, _, _ := strings.Cut(section, "?")
	path = strings.Trim(path, "/! \n")
	if len(section) > maxArgument {
		return d.absent(section, "", d.nearest(path, nearestOffers))
	}
	reached, left := d.reach(strings.Split(path, "/"))
	if slashed := undot(path); len(reached) == 1 && d.isTop(&reached[0]) && slashed != path {
		if again, rest := d.reach(strings.Split(slashed, "/")); len(again) == 1 && !d.isTop(&again[0]) {
			reached, left, path = again, rest, slashed
		}
	}
	near := d.nearest(path, nearestOffers)
	if len(reached) != 1 || len(left) == 0 {
		return d.absent(section, "", near)
	}
	at := reached[0]
	if !d.isTop(&at) { // below a part its own parts are nearest, one line is left to others
		inner := d.below(&at, left[0], nearestOffers-min(1, len(near)))
		if len(inner) == 0 {
			inner = []part{at}
		}
		near = d.distinct(slices.Concat(inner, near), nearestOffers)
	}
	return d.absent(section, d.extent(&at, left[0]), near)
}

// isTop reports whether p is the whole content.
func (d *Doc) isTop(p *part) bool { return p.kind == partSection && p.sec < 0 }

// absent is the error answer for a section: why it is none, and what to read
// instead.
func (d *Doc) absent(section, why string, near []part) flow.Answer {
	near = slices.DeleteFunc(near, func(p part) bool { return d.name(&p) == "" }) // the whole has no id
	text := fmt.Appendf(nil, "no section %q\n", clean([]byte(section), titleBytes))
	if why != "" {
		text = append(append(text, why...), '\n')
	}
	if len(near) > 0 {
		text = append(text, "nearest:\n"...)
	}
	out := d.some(near, d.set.limits().minus(text))
	return flow.Answer{IsError: true, Text: append(text, out.text...), Meta: flow.AnswerMeta{
		Kind: flow.AnswerIndex, Offers: out.offers,
	}}
}

// extent says how far the lines or positions of p go, if seg names one of them.
func (d *Doc) extent(p *part, seg string) string {
	name := strconv.Quote(d.name(p))
	if p.kind == partSection && p.sec < 0 {
		name = "the content"
	}
	if _, _, ok := cutLine(strings.TrimPrefix(seg, "~")); ok && p.space != nil && p.end > p.start {
		first, last := p.space.lineEnds(p.start)+1, p.space.lineEnds(p.end-1)+1
		return fmt.Sprintf("%s has the lines %d to %d", name, first, last)
	}
	if _, ok := position(seg); !ok {
		return ""
	}
	if _, n := d.inner(p); n > 0 {
		return fmt.Sprintf("%s has %s, counted from 0", name, count(n, "part"))
	}
	return ""
}

// inner returns the parts of p that are bytes of it, Sections or the values of a
// JSON container that has none: the first maxSections, and how many they are.
func (d *Doc) inner(p *part) (parts []part, n int) {
	if p.kind == partSection && len(d.kids.of(p.sec)) > 0 {
		list := d.kids.of(p.sec)
		if p.space != nil && p.space.kind != flow.AnswerDerived {
			list = d.cover.of(p.sec)
		}
		for _, sec := range list {
			parts = append(parts, d.part(sec))
		}
		return parts, len(parts)
	}
	at, ok := d.jsonStart(p)
	if !ok {
		return nil, 0
	}
	base, tail := p, ""
	if p.kind == partValue {
		base, tail = p.base, p.tail
	}
	text := p.space.text[:p.end]
	jsonspan.Children(text, at, func(m jsonspan.Member) bool {
		if n++; n > maxSections {
			return true
		}
		name := strconv.Itoa(n - 1)
		if key, err := jsonspan.Unquote(text[m.KeyStart:m.KeyEnd]); m.KeyEnd > 0 && err == nil {
			name = abi.Segment(string(key))
		}
		parts = append(parts, derive(partValue, base, m.Start, m.End, tail+"/"+name))
		return true
	})
	return parts, n
}

// below returns the parts of p whose names differ least from seg.
func (d *Doc) below(p *part, seg string, most int) []part {
	parts, _ := d.inner(p)
	near := closest{most: most, worst: maxID}
	for i := range parts {
		id := d.segment(&parts[i])
		if parts[i].kind == partValue {
			id = parts[i].tail[strings.LastIndexByte(parts[i].tail, '/')+1:]
		}
		near.add(parts[i], 2*distance(short(seg), short(id), near.worst))
	}
	return near.parts()
}

// distinct returns the first of the parts, each name once.
func (d *Doc) distinct(parts []part, most int) []part {
	seen := make(map[string]bool, len(parts))
	kept := slices.DeleteFunc(parts, func(p part) bool {
		name := d.name(&p)
		again := seen[name]
		seen[name] = true
		return again
	})
	return kept[:min(most, len(kept))]
}

// short is a segment of a path as long as an id may be.
func short(seg string) string {
	if len(seg) > maxID {
		return abi.Segment(seg)
	}
	return seg
}

// closest collects the parts of the least distances.
type closest struct {
	most  int
	worst int // changes from which on a part is not among them
	best  []candidate
}

type candidate struct {
	part
	distance int // twice the changes, one less where the rest of the path fits
}

func (c *closest) add(p part, distance int) {
	if c.best = append(c.best, candidate{p, distance}); len(c.best) > 8*c.most {
		c.sort()
		c.best = c.best[:c.most]
		c.worst = (c.best[c.most-1].distance + 1) / 2
	}
}

func (c *closest) sort() {
	slices.SortStableFunc(c.best, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
}

func (c *closest) parts() []part {
	c.sort()
	near := make([]part, 0, c.most)
	for _, b := range c.best[:min(c.most, len(c.best))] {
		near = append(near, b.part)
	}
	return near
}

// nearest returns what a reader may have meant by the last segment that was asked
// for: Sections whose ids hardly differ from it, then what a search for it finds,
// then those whose ids differ least.
func (d *Doc) nearest(section string, most int) []part {
	parent, last := "", section
	if i := strings.LastIndexByte(section, '/'); i >= 0 {
		parent, last = section[:i], section[i+1:]
	}
	near := d.alikeIDs(parent, short(last), len(last)/3, most)
	if len(near) < most {
		near = append(near, d.mentioning(unescape(last), most)...)
	}
	if len(near) < most {
		near = append(near, d.alikeIDs(parent, short(last), len(short(last)), most)...) // as many changes as letters say nothing
	}
	return d.distinct(near, most)
}

// alikeIDs returns the Sections whose ids differ from a name by so many bytes at
// most, the least first; where the rest of the path fits too, that decides.
func (d *Doc) alikeIDs(parent, name string, worst, most int) []part {
	near := closest{most: most, worst: worst}
	plain := unescape(name)
	for i := range d.sections {
		id := d.sections[i].ID
		n := distance(name, id, near.worst)
		switch {
		case endsWith(id, plain):
			n = 0
		case len(plain) > 2 && strings.HasPrefix(unescape(id), plain):
			n = min(n, 1)
		}
		if n > near.worst {
			continue
		}
		if n = 2 * n; parent == "" || strings.HasSuffix(d.sectionPath(d.owner[i]), parent) {
			n--
		}
		near.add(d.part(int32(i)), n)
	}
	return near.parts()
}

// mentioning returns the first of what a search for a name finds.
func (d *Doc) mentioning(name string, most int) (found []part) {
	if name = strings.TrimSpace(name); len(name) < 2 || len(name) > maxID {
		return nil
	}
	s := searcher{d: d, words: []needle{makeNeedle(name)}}
	s.visit(hit{part: d.top()})
	for _, hits := range s.ranks {
		for i := range hits[:min(most, len(hits))] {
			found = append(found, hits[i].part)
		}
	}
	return found[:min(most, len(found))]
}

// distance counts the bytes to change, add or drop between a and b, case aside;
// more than limit is limit+1.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	var rows [2][maxID + 2]int
	row, next := &rows[0], &rows[1]
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		least := next[0]
		for j := range len(b) {
			change := row[j]
			if lower(a[i]) != lower(b[j]) {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			least = min(least, next[j+1])
		}
		if least > limit {
			return limit + 1
		}
		row, next = next, row
	}
	return min(row[len(b)], limit+1)
}
