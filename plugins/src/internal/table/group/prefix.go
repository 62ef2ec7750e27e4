package group

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table/label"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// separators end the prefix of a name, the strongest first.
const separators = "./_-:"

// camelCase is used like a separator where a capital letter begins a word. Names without
// separators are grouped using their first words.
const camelCase = 'A'

// byPrefix groups rows by the first word of their keys or ids, such as sensor.attic and
// sensor.hall, after the prefix that nearly all of them have. A prefix of a single row makes
// no group.
func (g *Grouper) byPrefix(s subset) *Grouping {
	if s.only != "" || !g.HasNames() {
		return nil
	}
	of := g.Memory.Ints.Get(len(s.rows))
	defer g.Memory.Ints.Put(of)
	common := g.CommonPrefix(s.rows, false)
	missing := g.countMissing(s.rows, common)
	for i := range len(separators) {
		if missing[i] > g.MaxRows {
			continue
		}
		if out := g.bySeparator(s, of, common, separators[i]); out != nil {
			return out
		}
	}
	if g.HasSeparators(s.rows) {
		return nil
	}
	return g.bySeparator(s, of, g.CommonPrefix(s.rows, true), camelCase)
}

// countMissing counts for each separator how many of the first rows lack it in their names
// after the common prefix. That shows which separators need not be tried.
func (g *Grouper) countMissing(rows []int32, common []byte) (count [len(separators)]int) {
	for _, r := range rows[:min(len(rows), 2*g.MaxRows)] {
		found := uint8(0)
		for _, c := range bytes.TrimPrefix(g.Name(r), common) {
			found |= separatorBit[c]
		}
		for i := range count {
			count[i] += int(^found >> i & 1)
		}
	}
	return count
}

// separatorBit holds a bit for each separator.
var separatorBit = func() (bit [256]uint8) {
	for i := range len(separators) {
		bit[separators[i]] = 1 << i
	}
	return bit
}()

// bySeparator groups by the prefix that ends at sep, if that is useful.
func (g *Grouper) bySeparator(s subset, of []int32, common []byte, sep byte) *Grouping {
	out := Grouping{By: "id prefix"}
	if g.Keyed {
		out.By = "key prefix"
	}
	out.Parts, out.Rest = g.prefixParts(s, of, common, sep)
	if !g.isUseful(&out, len(s.rows)) || !g.hasNames(s) {
		return nil
	}
	useful := out // only this one is allocated
	return &useful
}

// hasNames reports whether nine in ten rows of a subset have a name that is no number.
func (g *Grouper) hasNames(s subset) bool {
	nameless := 0
	for _, r := range s.rows {
		if name, ok := g.NameCell(int(r)); !ok || g.IsNumeric(name) {
			if nameless++; nameless*10 > len(s.rows) {
				return false
			}
		}
	}
	return true
}

// prefixEnd returns the end of the prefix of a name that sep ends, after the common
// prefix; -1 if there is none.
func prefixEnd(name, common []byte, sep byte) int {
	from := 0
	if len(common) > 0 && bytes.HasPrefix(name, common) {
		from = len(common)
	}
	if sep != camelCase {
		if at := bytes.IndexByte(name[from:], sep); at >= 0 {
			return from + at
		}
		return -1
	}
	for i := from + 1; i < len(name); i++ {
		if label.IsWordStart(name, i) {
			return i
		}
	}
	return -1
}

// prefixParts groups by the prefix that ends at sep. It gives up as soon as there are more
// prefixes than lines. It stores the number of each row's prefix in of.
func (g *Grouper) prefixParts(s subset, of []int32, common []byte, sep byte) (parts []Part, rest []int32) {
	prefixes := g.NewValues()
	single := 0
	for i, r := range s.rows {
		at := -1
		name, ok := g.NameCell(int(r))
		if ok && name.Size() > 2 {
			at = prefixEnd(g.B[name.Start+1:name.End-1], common, sep)
		}
		if of[i] = -1; at < 0 {
			single++
		} else {
			of[i] = prefixes.Add(cell.Cell{Start: name.Start + 1, End: name.Start + 1 + int32(at)})
		}
		if single+len(prefixes.First) > g.MaxRows {
			return nil, nil
		}
	}
	sets := rows.Partition(make([]int32, len(s.rows)-single), prefixes.Count)
	for i, r := range s.rows {
		if n := of[i]; n >= 0 && prefixes.Count[n] > 1 {
			sets[n] = append(sets[n], r)
		} else {
			rest = append(rest, r)
		}
	}
	for n, members := range sets {
		if len(members) > 0 {
			prefix := string(g.Bytes(prefixes.First[n]))
			if sep != camelCase {
				prefix += string(rune(sep))
			}
			name := strings.TrimPrefix(prefix, string(common)) + "*"
			parts = append(parts, Part{id: s.id + prefix + "*", title: g.groupTitle(name, members, s.used, []byte(prefix)), rows: members})
		}
	}
	return parts, rest
}
