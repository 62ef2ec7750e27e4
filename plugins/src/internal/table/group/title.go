package group

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table/column"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// mix returns the most frequent values of some rows, such as "link out 37, switch 5", by
// the first of the mix fields for which that is informative. Fields in used are left out,
// because the outer groups are named by them.
func (g *Grouper) mix(rows []int32, used []string) string {
	b, _ := g.appendMix(nil, rows, used)
	return string(b)
}

// appendMix appends the mix to dst, and returns how many rows have the most frequent value.
func (g *Grouper) appendMix(dst []byte, members []int32, used []string) (_ []byte, most int) {
	for _, c := range g.mixes {
		if slices.Contains(used, c.Name) {
			continue
		}
		v := g.ValuesOf(c, false)
		if v.Many || len(v.First) < 2 {
			continue
		}
		if counts := v.Tally(members); g.isInformative(counts, v) {
			return g.appendTop(dst, counts[:len(v.First)], v), int(slices.Max(counts))
		}
	}
	return dst, 0
}

// appendTop appends the most frequent values with their counts.
func (g *Grouper) appendTop(dst []byte, counts []int32, v *column.Values) []byte {
	top, n := rows.Top(counts)
	for k, i := range top[:n] {
		if k > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(g.AppendCaption(dst, v.First[i], rows.MaxID/2), ' ')
		dst = strconv.AppendInt(dst, int64(counts[i]), 10)
	}
	return dst
}

// isInformative reports whether counts of values show more than that the values differ:
// readings of a sensor rarely repeat, and four of many names do not describe the others.
func (g *Grouper) isInformative(counts []int32, v *column.Values) bool {
	distinct, counted, numbers := 0, 0, false
	for i, c := range v.First {
		if counts[i] > 0 {
			distinct++
			counted += int(counts[i])
			numbers = numbers || g.IsNumber(c)
		}
	}
	if numbers {
		return distinct < counted && (distinct <= rows.MaxTop || 2*distinct <= counted)
	}
	return distinct < counted || distinct <= 4*rows.MaxTop
}

const (
	separator  = "; " // between names in the title of a group
	maxMembers = 32   // rows among which different names are looked for
)

// groupTitle returns the title of a group: its name and size, and the mix of its rows or
// else the names of the first rows, without the prefix of the group.
func (g *Grouper) groupTitle(name string, members []int32, used []string, prefix []byte) string {
	var memory [4 * rows.MaxTitle]byte
	title := append(caption.Append(memory[:0], []byte(name), rows.MaxTitle/2), ": "...)
	title = rows.AppendCount(title, len(members), g.Noun())
	before := append(title, ": "...)
	if mixed, most := g.appendMix(before, members, used); len(mixed) > len(before) && !(g.Keyed && rows.IsDominant(most, len(members))) { // otherwise keys are more informative
		return string(caption.Cut(mixed, 0, rows.MaxTitle))
	}
	var room, word [2 * rows.MaxTitle]byte
	names := append(room[:0], separator...) // each name is between two separators
	for _, r := range members[:min(maxMembers, len(members))] {
		s := g.MemberName(int(r), prefix)
		delimited := append(append(append(word[:0], separator...), s...), separator...)
		if s == "" || s == name || bytes.Contains(names, delimited) {
			continue
		}
		if len(title)+max(len(separator), len(names)-len(separator))+len(s) > rows.MaxTitle { // a colon and a blank come before the first
			break
		}
		names = append(names, delimited[len(separator):]...)
	}
	return rows.Title(string(title), string(names[len(separator):max(len(separator), len(names)-len(separator))]))
}
