package section

import (
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// whole answers "id!" and "id!from-to": the exact bytes, index or not. More than
// MaxWholeBytes is an index of ranges, which are valid sections too.
func (d *Doc) whole(p part, span string) flow.Answer {
	base, ok := d.onePiece(p)
	if !ok {
		return d.answer(p)
	}
	r, tail := base, "!"
	if span != "" {
		if r, ok = pieceOf(&base, span); !ok {
			why := fmt.Sprintf("it has %s, counted from 0", count(base.end-base.start, "byte"))
			return d.absent(d.name(&p)+"!"+span, why, []part{p})
		}
		tail = r.tail
	}
	name := join(d.shortPath(&base), tail)
	if r.end-r.start <= d.set.MaxWholeBytes {
		return d.leafAnswer(name, r)
	}
	pieces := func(lines int) []part {
		if cuts := setCuts(&base, d.set.MaxWholeBytes); span == "" && 0 < len(cuts) && len(cuts) <= lines {
			return ranges(&base, 0, cuts, byteRange)
		}
		return d.windows(r, d.set.MaxWholeBytes, lines, byteRange)
	}
	out := d.fit(pieces, d.set.limits())
	meta := placed(flow.AnswerIndex, name, &r)
	meta.Offers = out.offers
	return flow.Answer{Text: out.text, Meta: meta}
}

// onePiece gives a group or fold the span of its members, if that is one, else like a
// set the text of all its parts.
func (d *Doc) onePiece(p part) (part, bool) {
	if p.space == nil && p.kind != partSet {
		members := d.list(p)
		if whole, ok := d.neighbours(members); ok {
			p.space, p.start, p.end = whole.space, whole.start, whole.end
			return p, true
		}
		p = d.setOf(d.shortPath(&p), d.ungrouped(members))
	}
	if p.kind == partSet {
		sp, ok := d.joint(&p)
		if p.space = sp; ok {
			p.start, p.end = 0, len(sp.text)
		}
		return p, ok && len(p.tail) <= longPath
	}
	return p, true
}

// ungrouped are parts with the members of groups and folds in their place.
func (d *Doc) ungrouped(parts []part) (found []part) {
	for _, p := range parts {
		if p.kind == partFold || d.isKind(&p, abi.SectionGroup) {
			found = append(found, d.ungrouped(d.list(p))...)
			continue
		}
		found = append(found, p)
	}
	return found
}

// pieceOf reads a range of bytes within base.
func pieceOf(base *part, span string) (part, bool) {
	from, rest, ok1 := cutNumber(span, "")
	to, rest, ok2 := cutNumber(rest, "-")
	if !ok1 || !ok2 || rest != "" || from >= to || from >= base.end-base.start {
		return part{}, false
	}
	text := base.space.text
	start := settle(text, base, base.start, base.start+from)
	end := settle(text, base, start, min(base.start+to, base.end))
	return derive(partRange, base, start, end, byteRange(base, start, end)), start < end
}
