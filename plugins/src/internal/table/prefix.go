package table

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

// separators end the prefix of a key, the strongest first.
const separators = "./_-:"

// byPrefix groups rows whose keys or ids begin alike: sensor.attic and
// sensor.hall. A prefix that only one row has makes no group.
func (t *Table) byPrefix(s subset) *Grouping {
	if s.only != "" || !t.keyed && len(t.ids) == 0 {
		return nil
	}
	by := "id prefix"
	if t.keyed {
		by = "key prefix"
	}
	of := t.memory.ints.take(len(s.rows))
	for i := range len(separators) {
		parts, rest := t.prefixParts(s, of, separators[i])
		if t.fits(parts, rest, len(s.rows)) && t.allNamed(s) {
			return &Grouping{By: by, Parts: parts, Rest: rest}
		}
	}
	return nil
}

// allNamed reports whether nine in ten rows of a subset have a name.
func (t *Table) allNamed(s subset) bool {
	nameless := 0
	for _, r := range s.rows {
		if name, ok := t.rowName(int(r)); !ok || t.digitsOnly(name) {
			if nameless++; nameless*10 > len(s.rows) {
				return false
			}
		}
	}
	return true
}

// rowName is the cell, quotes included, that names a row.
func (t *Table) rowName(row int) (cell, bool) {
	if t.keyed {
		return t.key(row), true
	}
	return t.idCell(row)
}

// digitsOnly reports whether a name begins with digits and nothing else.
func (t *Table) digitsOnly(c cell) bool {
	if c.size() > 2 {
		if first := t.b[c.start+1]; first != '\\' && first-'0' > 9 {
			return false
		}
	}
	return digitsOnly(t.plain(c, maxID))
}

// prefixParts groups by what stands before sep. It gives up as soon as there
// are more prefixes than lines. In "of" it notes the prefix of each row.
func (t *Table) prefixParts(s subset, of []int32, sep byte) (parts []Part, rest []int32) {
	prefixes := newValues(t)
	alone := 0
	for i, r := range s.rows {
		at := -1
		name, ok := t.rowName(int(r))
		if ok {
			at = bytes.IndexByte(t.text(name), sep)
		}
		if of[i] = -1; at < 0 {
			alone++
		} else {
			of[i] = prefixes.add(cell{name.start + 1, name.start + int32(at)}, r)
		}
		if alone+len(prefixes.first) > t.maxRows {
			return nil, nil
		}
	}
	rows := pieces(make([]int32, len(s.rows)-alone), prefixes.count)
	for i, r := range s.rows {
		if n := of[i]; n >= 0 && prefixes.count[n] > 1 {
			rows[n] = append(rows[n], r)
		} else {
			rest = append(rest, r)
		}
	}
	for n, members := range rows {
		if len(members) > 0 {
			prefix := string(t.text(prefixes.first[n])) + string(rune(sep)) + "*"
			parts = append(parts, Part{ID: s.id + prefix, Title: t.groupTitle(prefix, members, ""), Rows: members})
		}
	}
	return parts, rest
}

// groupTitle says how many rows there are, of which types, or else what the
// first of them are called.
func (t *Table) groupTitle(name string, rows []int32, by string) string {
	title := caption.Of([]byte(name), maxTitle/2) + ": " + caption.Count(len(rows), t.kindWord())
	if mix := t.mix(rows, by); mix != "" {
		return withMix(title, mix)
	}
	called := ""
	for _, r := range rows[:min(6, len(rows))] {
		s := caption.Clip(t.calling(int(r)), maxTitle/3)
		if t.keyed {
			s = t.say(t.key(int(r)), maxTitle/3)
		}
		if s == "" || s == name || len(title)+len(called)+len("; ")+len(s) > maxTitle {
			continue
		}
		if called != "" {
			called += "; "
		}
		called += s
	}
	return withMix(title, called)
}
