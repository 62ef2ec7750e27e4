package section

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// unknown says that a section does not exist, and which ids are nearest.
func (d *Doc) unknown(section string) abi.Answer {
	section = strings.ToValidUTF8(section, "")
	text := fmt.Appendf(nil, "no section %q\n", clean([]byte(section), titleBytes))
	near := d.nearest(section, 5)
	if len(near) > 0 {
		text = append(text, "nearest:\n"...)
	}
	out := d.some(near, d.set.limits().minus(text))
	return abi.Answer{IsError: true, Text: append(text, out.text...), Meta: abi.AnswerMeta{
		Kind: abi.AnswerIndex, Offers: out.offers,
	}}
}

// nearest returns the Sections whose ids differ least from the last segment
// that was asked for; where the rest of the path fits too, that decides.
func (d *Doc) nearest(section string, most int) []part {
	section = strings.TrimRight(section, "/!")
	if i := strings.IndexByte(section, '?'); i > 0 {
		section = section[:i]
	}
	parent, last := "", section
	if i := strings.LastIndexByte(section, '/'); i >= 0 {
		parent, last = section[:i], section[i+1:]
	}
	if len(last) > maxID {
		last = abi.Segment(last)
	}
	type candidate struct {
		section  int32
		distance int
	}
	var best []candidate
	worst := len(last) // as many changes as letters say nothing
	for i := range d.sections {
		id := d.sections[i].ID
		n := distance(last, id, worst)
		if n > worst {
			continue
		}
		if n = 2 * n; parent == "" || strings.HasSuffix(d.sectionPath(d.owner[i]), parent) {
			n--
		}
		best = append(best, candidate{int32(i), n})
		if len(best) > 8*most {
			slices.SortStableFunc(best, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
			best = best[:most]
			worst = (best[most-1].distance + 1) / 2
		}
	}
	slices.SortStableFunc(best, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	near := make([]part, 0, most)
	for _, c := range best[:min(most, len(best))] {
		near = append(near, d.part(c.section))
	}
	return near
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
