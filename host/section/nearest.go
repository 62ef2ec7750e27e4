package section

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/find"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/printer"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// maxNearest is the number of ids in the answer about an unknown section.
const maxNearest = 5

// answerUnknown answers a section that does not exist: the number of parts where it
// should be, and the nearest ids.
func (d *Doc) answerUnknown(section string) flow.Answer {
	section = strings.ToValidUTF8(section, "")
	path, _, _ := strings.Cut(section, "?")
	path = strings.Trim(path, "/! \n")
	if len(section) > maxArgument {
		return d.answerAbsent(section, "", d.findNearest(path, maxNearest))
	}
	reached, left := d.resolver.Reach(path)
	if slashed := find.WithSlashes(path); len(reached) == 1 && reached[0].IsTop() && slashed != path {
		if again, rest := d.resolver.Reach(slashed); len(again) == 1 && !again[0].IsTop() {
			reached, left, path = again, rest, slashed
		}
	}
	near := d.findNearest(path, maxNearest)
	if len(reached) != 1 || len(left) == 0 {
		return d.answerAbsent(section, "", near)
	}
	at := reached[0]
	if !at.IsTop() { // the parts of the part that was reached are nearest, one line is for others
		inner := d.findNearestBelow(&at, left[0], maxNearest-min(1, len(near)))
		if len(inner) == 0 {
			inner = []tree.Part{at}
		}
		near = d.removeDuplicates(slices.Concat(inner, near), maxNearest)
	}
	return d.answerAbsent(section, d.describeExtent(&at, left[0]), near)
}

// answerAbsent returns the error answer for a section, with the reason and the ids to
// read instead.
func (d *Doc) answerAbsent(section, why string, near []tree.Part) flow.Answer {
	near = slices.DeleteFunc(near, func(p tree.Part) bool { return d.name(&p) == "" }) // the whole content has no id
	text := fmt.Appendf(nil, "no section %q\n", display.Clean([]byte(section), printer.TitleBytes))
	if why != "" {
		text = append(append(text, why...), '\n')
	}
	if len(near) > 0 {
		text = append(text, "nearest:\n"...)
	}
	out := d.printer.List(near, d.limits().Minus(text))
	return flow.Answer{IsError: true, Text: append(text, out.Text...), Meta: flow.AnswerMeta{
		Kind: flow.AnswerIndex, Offers: out.Offers,
	}}
}

// describeExtent returns the range of lines or positions of p if segment is one of them.
func (d *Doc) describeExtent(p *tree.Part, segment string) string {
	name := strconv.Quote(d.name(p))
	if p.IsTop() {
		name = "the content"
	}
	if _, _, ok := find.CutLine(strings.TrimPrefix(segment, "~")); ok && p.Source != nil && p.End > p.Start {
		first, last := p.Source.LineEnds(p.Start)+1, p.Source.LineEnds(p.End-1)+1
		return fmt.Sprintf("%s has the lines %d to %d", name, first, last)
	}
	if _, ok := ids.Position(segment); !ok {
		return ""
	}
	if _, n := d.resolver.InnerParts(p); n > 0 {
		return fmt.Sprintf("%s has %s, counted from 0", name, display.Count(n, "part"))
	}
	return ""
}

// findNearest returns the parts that a reader may have meant by a path: Sections with
// almost the same id as its last segment, then the hits of a search for it, then
// the Sections with the most similar ids.
func (d *Doc) findNearest(path string, limit int) []tree.Part {
	parent, last := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		parent, last = path[:i], path[i+1:]
	}
	near := d.findSimilar(parent, shorten(last), len(last)/3, limit)
	if name := strings.TrimSpace(ids.Unescape(last)); len(near) < limit && 2 <= len(name) && len(name) <= tree.MaxID {
		near = append(near, d.searcher.Find(d.tree.Top(), name).First(limit)...)
	}
	if len(near) < limit {
		near = append(near, d.findSimilar(parent, shorten(last), len(shorten(last)), limit)...) // beyond that, all bytes differ
	}
	return d.removeDuplicates(near, limit)
}

// findNearestBelow returns the parts of p whose names are the most similar to segment.
func (d *Doc) findNearestBelow(p *tree.Part, segment string, limit int) []tree.Part {
	parts, _ := d.resolver.InnerParts(p)
	near := closest{limit: limit, maxChanges: tree.MaxID}
	for i := range parts {
		id := ids.Segment(d.tree, &parts[i])
		if parts[i].Kind == tree.KindValue {
			id = ids.LastSegment(&parts[i])
		}
		near.add(parts[i], 2*distance(shorten(segment), shorten(id), near.maxChanges))
	}
	return near.parts()
}

// findSimilar returns the Sections whose ids differ from name by at most maxChanges
// bytes, the most similar first. Of equally similar ones, those below parent are
// first.
func (d *Doc) findSimilar(parent, name string, maxChanges, limit int) []tree.Part {
	near := closest{limit: limit, maxChanges: maxChanges}
	plain := ids.Unescape(name)
	for i := range d.tree.Sections {
		id := d.tree.Sections[i].ID
		n := distance(name, id, near.maxChanges)
		switch {
		case find.EndsWith(id, plain):
			n = 0
		case len(plain) > 2 && strings.HasPrefix(ids.Unescape(id), plain):
			n = min(n, 1)
		}
		if n > near.maxChanges {
			continue
		}
		if n = 2 * n; parent == "" || strings.HasSuffix(ids.SectionPath(d.tree, d.tree.Owner(int32(i))), parent) {
			n--
		}
		near.add(d.tree.Part(int32(i)), n)
	}
	return near.parts()
}

// removeDuplicates returns the first parts with different names.
func (d *Doc) removeDuplicates(parts []tree.Part, limit int) []tree.Part {
	seen := make(map[string]bool, len(parts))
	kept := slices.DeleteFunc(parts, func(p tree.Part) bool {
		name := d.name(&p)
		isRepeated := seen[name]
		seen[name] = true
		return isRepeated
	})
	return kept[:min(limit, len(kept))]
}

// shorten returns a segment of a path in the length that an id may have.
func shorten(segment string) string {
	if len(segment) > tree.MaxID {
		return abi.Segment(segment)
	}
	return segment
}

// closest collects the parts with the smallest distances.
type closest struct {
	limit      int
	maxChanges int // parts with more changes are not among them
	best       []candidate
}

type candidate struct {
	tree.Part
	distance int // twice the changes, minus one if the rest of the path matches
}

func (c *closest) add(p tree.Part, distance int) {
	if c.best = append(c.best, candidate{p, distance}); len(c.best) > 8*c.limit {
		c.sort()
		c.best = c.best[:c.limit]
		c.maxChanges = (c.best[c.limit-1].distance + 1) / 2
	}
}

func (c *closest) sort() {
	slices.SortStableFunc(c.best, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
}

func (c *closest) parts() []tree.Part {
	c.sort()
	near := make([]tree.Part, 0, c.limit)
	for _, b := range c.best[:min(c.limit, len(c.best))] {
		near = append(near, b.Part)
	}
	return near
}

// distance returns the number of bytes to change, insert or delete between a and b,
// case ignored. It returns limit+1 for any larger number.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	var rows [2][tree.MaxID + 2]int
	row, next := &rows[0], &rows[1]
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		least := next[0]
		for j := range len(b) {
			change := row[j]
			if ids.Lower(a[i]) != ids.Lower(b[j]) {
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
