package table

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

// separators end the prefix of a key, the strongest first.
const separators = "./_-:"

// byPrefix groups rows whose keys or ids begin alike, behind what nearly all of
// them begin with: sensor.attic and sensor.hall. A prefix that only one row has
// makes no group.
func (t *Table) byPrefix(s subset) *Grouping {
	if s.only != "" || !t.keyed && len(t.ids) == 0 {
		return nil
	}
	by := "id prefix"
	if t.keyed {
		by = "key prefix"
	}
	of := t.memory.ints.take(len(s.rows))
	defer t.memory.ints.give(of)
	lead := t.lead(s.rows, false)
	missing := t.missing(s.rows, lead)
	for i := range len(separators) {
		if missing[i] > t.maxRows {
			continue
		}
		if g := t.prefixed(s, of, lead, separators[i]); g != nil {
			g.By = by
			return g
		}
	}
	if !t.inOnePiece(s.rows) {
		return nil
	}
	g := t.prefixed(s, of, t.lead(s.rows, true), hump)
	if g != nil {
		g.By = by
	}
	return g
}

// missing is how many of the first rows have a name without each of the separators:
// that is known before one after another is tried.
func (t *Table) missing(rows []int32, lead []byte) (count [len(separators)]int) {
	for _, r := range rows[:min(len(rows), 2*t.maxRows)] {
		there := uint8(0)
		for _, c := range bytes.TrimPrefix(t.bare(r), lead) {
			there |= separatorBit[c]
		}
		for i := range count {
			count[i] += int(^there >> i & 1)
		}
	}
	return count
}

// separatorBit has a bit for each of the separators.
var separatorBit = func() (bit [256]uint8) {
	for i := range len(separators) {
		bit[separators[i]] = 1 << i
	}
	return bit
}()

// prefixed groups by what ends at sep, if that fits.
func (t *Table) prefixed(s subset, of []int32, lead []byte, sep byte) *Grouping {
	parts, rest := t.prefixParts(s, of, lead, sep)
	if g := (Grouping{Parts: parts, Rest: rest}); !t.fits(&g, len(s.rows)) || !t.allNamed(s) {
		return nil
	}
	return &Grouping{Parts: parts, Rest: rest}
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

// prefixEnd is where the prefix of a name ends that sep ends, behind lead; -1 if
// there is none.
func prefixEnd(name, lead []byte, sep byte) int {
	from := 0
	if len(lead) > 0 && bytes.HasPrefix(name, lead) {
		from = len(lead)
	}
	if sep != hump {
		if at := bytes.IndexByte(name[from:], sep); at >= 0 {
			return from + at
		}
		return -1
	}
	for i := from + 1; i < len(name); i++ {
		if isHump(name, i) {
			return i
		}
	}
	return -1
}

// prefixParts groups by what stands before sep, behind lead. It gives up as soon as
// there are more prefixes than lines. In "of" it notes the prefix of each row.
func (t *Table) prefixParts(s subset, of []int32, lead []byte, sep byte) (parts []Part, rest []int32) {
	prefixes := newValues(t)
	alone := 0
	for i, r := range s.rows {
		at := -1
		name, ok := t.rowName(int(r))
		if ok && name.size() > 2 {
			at = prefixEnd(t.b[name.start+1:name.end-1], lead, sep)
		}
		if of[i] = -1; at < 0 {
			alone++
		} else {
			of[i] = prefixes.add(cell{name.start + 1, name.start + 1 + int32(at)})
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
			prefix := string(t.text(prefixes.first[n]))
			if sep != hump {
				prefix += string(rune(sep))
			}
			said := strings.TrimPrefix(prefix, string(lead)) + "*"
			parts = append(parts, Part{id: s.id + prefix + "*", title: t.groupTitle(said, members, s.used, []byte(prefix)), rows: members})
		}
	}
	return parts, rest
}

// groupTitle says how many rows there are, of which types, or else what the
// first of them are called, as far as that differs.
func (t *Table) groupTitle(name string, rows []int32, used []string, lead []byte) string {
	var memory [4 * maxTitle]byte
	title := append(caption.Append(memory[:0], []byte(name), maxTitle/2), ": "...)
	title = appendCount(title, int32(len(rows)), t.kindWord())
	before := append(title, ": "...)
	if mixed, most := t.appendMix(before, rows, used...); len(mixed) > len(before) && !(t.keyed && most*5 > len(rows)*4) { // else keys tell more
		return string(caption.Cut(mixed, 0, maxTitle))
	}
	var room, word [2 * maxTitle]byte
	called := append(room[:0], separator...) // each of them between two separators
	for _, r := range rows[:min(maxLooked, len(rows))] {
		s := t.memberName(int(r), lead)
		between := append(append(append(word[:0], separator...), s...), separator...)
		if s == "" || s == name || bytes.Contains(called, between) {
			continue
		}
		if len(title)+max(len(separator), len(called)-len(separator))+len(s) > maxTitle { // a colon and a blank before the first
			break
		}
		called = append(called, between[len(separator):]...)
	}
	return withMix(string(title), string(called[len(separator):max(len(separator), len(called)-len(separator))]))
}

// separator stands between the names in the title of a group.
const separator = "; "

const (
	maxLooked     = 32           // rows that are asked for names that differ
	maxMemberName = maxTitle / 3 // bytes, so that a title holds more than one
)

// memberName is what a row is called in the title of its group: its key behind what
// the others begin with too, unless that leaves a number, as of 4.17.1; or a name
// that it has where the key is long.
func (t *Table) memberName(row int, lead []byte) string {
	if !t.keyed {
		return caption.Clip(t.calling(row), maxMemberName)
	}
	key := t.keyBehind(row, lead)
	if t.b[key.start]-'0' <= 9 {
		key = t.key(row)
	}
	if c := t.column("name"); c != nil && key.size()-2 > maxMemberName && t.isText(c.cells[row]) {
		return t.say(c.cells[row], maxMemberName)
	}
	return t.say(key, maxMemberName)
}

// keyBehind is the key of a row without what it begins with.
func (t *Table) keyBehind(row int, lead []byte) cell {
	key := t.key(row)
	if len(lead) > 0 && bytes.HasPrefix(t.b[key.start+1:key.end-1], lead) {
		key = t.behind(key, 1+len(lead))
	}
	return key
}
