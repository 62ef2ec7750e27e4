package section

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// loosely adds to the next parts, which a segment literally names, what else it
// may mean from there: a reader does not number equal siblings, and leaves out
// the items of lists. Where the parts are leaves without inner paths, it stays at
// those in which something is called so; in YAML also beside others that have such
// a part, as of the items of a list the large ones have parts and the small have none.
func (d *Doc) loosely(from []part, seg string, next []part) []part {
	if strings.HasPrefix(seg, "@") || strings.HasPrefix(seg, "~") {
		return next
	}
	if _, ok := position(seg); ok && len(next) > 0 {
		return next
	}
	found := unlike{next: next, seen: make(map[spot]bool)}
	for i := range next {
		found.seen[spotOf(&next[i])] = true
	}
	found.all(from, seg, d.alike)
	if inner := d.elementsCalled(from, seg); len(inner) > 0 {
		found.next = append(found.next, inner...)
		slices.SortStableFunc(found.next, func(a, b part) int { return a.start - b.start })
	}
	if len(found.next) == 0 {
		found.all(from, seg, d.inItems)
	}
	if len(found.next) == 0 || d.named && d.syntax == syntaxYAML {
		found.all(from, seg, d.speaking)
	}
	return found.next
}

// spot tells parts apart.
type spot struct {
	kind       partKind
	sec        int32
	space      *space
	start, end int
}

func spotOf(p *part) spot { return spot{p.kind, p.sec, p.space, p.start, p.end} }

// unlike collects parts, each once.
type unlike struct {
	next []part
	seen map[spot]bool
}

func (u *unlike) add(parts []part) {
	for i := range parts {
		if at := spotOf(&parts[i]); !u.seen[at] {
			u.seen[at] = true
			u.next = append(u.next, parts[i])
		}
	}
}

// all adds what a way leads to from each of some parts.
func (u *unlike) all(from []part, seg string, way func(p part, seg string) []part) {
	for _, p := range from {
		if len(u.next) > maxFits {
			return
		}
		u.add(way(p, seg))
	}
}

// alike are the children of p that a segment may mean.
func (d *Doc) alike(p part, seg string) []part {
	if p.kind != partSection {
		return nil
	}
	name := unescape(seg)
	return d.loose(p, name, slugOf(name))
}

// inItems are the children of that name in each child of p.
func (d *Doc) inItems(p part, seg string) (found []part) {
	if isElement(p) {
		return nil
	}
	name := unescape(seg)
	id, slug := abi.Segment(name), slugOf(name)
	if items := d.jsonItems(p); len(items) > 0 {
		for _, item := range items {
			inner := d.stepAs(item, seg, id)
			if len(inner) == 0 {
				inner, _ = d.jsonWalk(item, []string{seg})
			}
			if found = append(found, inner...); len(found) > maxFits {
				break
			}
		}
		return found
	}
	if p.kind != partSection || p.sec < 0 {
		return nil
	}
	d.eachChild(p.sec, func(i int32) bool {
		if len(d.kids.of(i)) > 0 && d.sections[i].Kind != abi.SectionGroup {
			found = append(found, d.loose(d.part(i), name, slug)...)
		} else {
			found = append(found, d.speaking(d.part(i), seg)...)
		}
		return len(found) < maxFits
	})
	return found
}

// jsonItems are the elements of the JSON array that p is.
func (d *Doc) jsonItems(p part) (items []part) {
	at, ok := d.jsonStart(&p)
	if !ok || jsonspan.KindAt(p.space.text[:p.end], at) != jsonspan.Array {
		return nil
	}
	items, _ = d.inner(&p)
	return items
}

// speaking is p itself, if it is a leaf without inner paths, or an element in one, in
// which something is called so.
func (d *Doc) speaking(p part, seg string) []part {
	switch name := unescape(seg); {
	case isElement(p) && syntaxXML.calls(p.bytes()[1:], name): // its own tag apart
		return []part{p}
	case p.sec >= 0 && d.bottom(&p) && d.syntaxIn(p).calls(p.bytes(), name):
		return []part{p}
	}
	return nil
}

// one is what a path leads to: what it literally says, else a set if it fits
// several parts. A set whose name literally says something else is that.
func (d *Doc) one(path string) (part, bool) {
	if exact, ok := d.exactly(path); ok {
		return exact, true
	}
	found, name := d.find(path)
	members := sections(found)
	switch len(members) {
	case 0:
		return part{}, false
	case 1:
		return members[0], true
	}
	set := d.setOf(name, members)
	if exact, ok := d.exactly(set.tail); ok {
		return exact, true
	}
	set.exact = found
	return set, true
}

// exactly is the part of which a path is the name, or that it says by position.
func (d *Doc) exactly(path string) (part, bool) {
	found := d.resolve(path, true)
	if len(found) != 1 {
		return part{}, false
	}
	return found[0], true
}

// setOf makes one part of all that a path fits.
func (d *Doc) setOf(path string, members []part) part {
	tail := strings.Trim(path, "/ ")
	if strings.HasPrefix(path, "//") { // all elements with a tag
		tail = "//" + tail
	}
	return part{
		kind: partSet, sec: -1, end: d.stretch(members),
		origin: &origin{members: members, exact: members, tail: printable(tail)},
	}
}

// printable escapes what cannot stand in an id, so that the path of a set can be
// offered as it was asked for.
func printable(path string) string {
	var out strings.Builder
	for seg := range strings.SplitSeq(path, "/") {
		out.WriteByte('/')
		if _, err := url.PathUnescape(seg); err != nil { // no % of it is read as an escape
			seg = strings.ReplaceAll(seg, "%", "%25")
		}
		for _, r := range seg {
			if !strings.ContainsRune("[]?!", r) && unicode.IsPrint(r) {
				out.WriteRune(r)
				continue
			}
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&out, "%%%02X", c)
			}
		}
	}
	return out.String()[1:]
}

// setFold finds path/@24..47: the parts at these positions among all that the path
// fits. Any such range is valid, however the set was folded.
func (d *Doc) setFold(path string) (part, bool) {
	i := strings.LastIndex(path, "/@")
	if i < 0 {
		return part{}, false
	}
	first, last, ok := strings.Cut(path[i+2:], "..")
	from, ok1 := position(first)
	to, ok2 := position(last)
	if !ok || !ok1 || !ok2 || from > to {
		return part{}, false
	}
	found, name := d.fitting(path[:i])
	if found = sections(found); len(found) < 2 || to >= len(found) {
		return part{}, false
	}
	set := d.setOf(name, found)
	return d.foldOf(run{base: &set, items: found[from : to+1], from: from}), true
}

// several is an index of a set.
func (d *Doc) several(set part) flow.Answer {
	n := fmt.Sprint(len(set.members))
	if len(set.members) == maxFits || len(set.exact) >= maxElements {
		n += " or more"
	}
	text := fmt.Appendf(nil, "%s sections fit %q%s\n", n, clean([]byte(set.tail), titleBytes), d.justThese(&set))
	lim := d.set.limits().minus(text)
	var out listing
	if len(set.tail) > longPath { // its folds would be lines of paths
		out = d.some(set.members, lim)
	} else {
		r := run{base: &set, items: set.members}
		out = d.fit(func(lines int) []part { return d.fold(r, lines) }, lim)
	}
	return flow.Answer{Text: append(text, out.text...), Meta: flow.AnswerMeta{
		Kind: flow.AnswerIndex, Section: set.tail, Offers: out.offers,
	}}
}

// justThese says how to read the elements that a set is of without the leaves that hold
// them.
func (d *Doc) justThese(set *part) string {
	if len(set.tail) > longPath || !slices.ContainsFunc(set.exact, isElement) {
		return ""
	}
	size := 0
	for i := range set.exact {
		size += set.exact[i].end - set.exact[i].start
	}
	return fmt.Sprintf(", \"%s!\" gives just the %d in them (%s)", set.tail, len(set.exact), sizeText(size))
}

// joint is the text of all that a set is just of, one behind the other; false if that
// is not all bytes of the content, or shares some.
func (d *Doc) joint(set *part) (*space, bool) {
	sp := &space{kind: flow.AnswerSearch}
	for i := range set.exact {
		p := &set.exact[i]
		if p.space == nil || p.space.kind == flow.AnswerDerived || len(sp.text)+p.end-p.start > 2*len(d.original.text) {
			return nil, false
		}
		sp.text = appendJoint(sp.text, p)
	}
	return sp, true
}

func appendJoint(text []byte, p *part) []byte {
	if text = append(text, p.bytes()...); !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	return text
}

// setCuts are the ends of pieces of the joint text of a set: each of as many whole
// parts as have at most so many bytes. There are none if one part has more, or p is
// no set.
func setCuts(p *part, most int) (cuts []int) {
	if p.kind != partSet {
		return nil
	}
	start, end := 0, 0
	var text []byte
	for i := range p.exact {
		text = appendJoint(text[:0], &p.exact[i])
		if len(text) > most {
			return nil
		}
		if end+len(text) > start+most {
			cuts, start = append(cuts, end), end
		}
		end += len(text)
	}
	return append(cuts, end)
}
