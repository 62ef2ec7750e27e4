package table

import "bytes"

// hump stands among separators for the border of a word that begins with a capital
// letter: lineColor. It separates where keys have nothing else.
const hump = 'A'

// border is where the part of a name ends that begins at from, behind the separator
// that ends it; -1 if none follows. Any of separators ends a part, with humps a
// capital letter behind a small one too.
func border(name []byte, from int, humps bool) int {
	for i := from; i < len(name); i++ {
		if c := name[i]; c == '_' || c-'-' < 3 || c == ':' { // separators
			return i + 1
		}
		if humps && i > from && isHump(name, i) {
			return i
		}
	}
	return -1
}

// isHump reports whether a word begins inside a name.
func isHump(name []byte, i int) bool {
	return name[i]-'A' < 26 && (name[i-1]-'a' < 26 || name[i-1]-'0' <= 9)
}

// bare is the text of the name of a row, nil if it has none.
func (t *Table) bare(row int32) []byte {
	if x, ok := t.rowName(int(row)); ok && x.size() > 2 {
		return t.b[x.start+1 : x.end-1]
	}
	return nil
}

// maxParts bounds the parts of a name that are compared.
const maxParts = 8

// lead is what more than four fifths of some rows have at the front of their names,
// up to a separator: too much for a group of its own, so it tells nothing.
func (t *Table) lead(rows []int32, humps bool) (lead []byte) {
	for range maxParts {
		longer := t.usualPart(rows, lead, humps)
		if longer == nil || !t.mostBegin(rows, longer) {
			break
		}
		lead = longer
	}
	return lead
}

// usualPart is lead and the part that follows it in most of a sample of the names:
// each name votes against one that begins otherwise. Nil: there is no such part,
// which mostly the first names show.
func (t *Table) usualPart(rows []int32, lead []byte, humps bool) (usual []byte) {
	const sample, first = 16, 4
	votes := 0
	step := max(1, len(rows)/sample)
	for i := 0; i < len(rows); i += step {
		name := t.bare(rows[i])
		switch {
		case votes > 0 && bytes.HasPrefix(name, usual):
			votes++
		case votes > 0:
			votes--
		default:
			if i >= first*step {
				return nil
			}
			if bytes.HasPrefix(name, lead) {
				if end := border(name, len(lead), humps); end >= 0 {
					usual, votes = name[:end], 1
				}
			}
		}
	}
	if votes == 0 {
		return nil
	}
	return usual
}

// mostBegin reports whether more than four fifths of some rows have names that
// begin so, which is more than fits allows.
func (t *Table) mostBegin(rows []int32, start []byte) bool {
	others := 0
	for _, r := range rows {
		if !bytes.HasPrefix(t.bare(r), start) {
			if others++; others*5 >= len(rows) {
				return false
			}
		}
	}
	return true
}

// inOnePiece reports whether most of a few names have no separator in them: then
// capital letters tell their words apart.
func (t *Table) inOnePiece(rows []int32) bool {
	const sample = 8
	pieces := 0
	for i := range sample {
		if border(t.bare(rows[i*len(rows)/sample]), 0, false) >= 0 {
			pieces++
		}
	}
	return 2*pieces < sample
}

// rowLead is the lead of the keys of all rows, if it is worth leaving out of titles:
// what is listed has it in its id.
func (t *Table) rowLead() []byte {
	if t.leadOpen {
		t.leadOpen = false
		rows := t.memory.ints.take(len(t.rows))
		for i := range rows {
			rows[i] = int32(i)
		}
		if lead := t.lead(rows, false); len(lead) >= leastSkip {
			t.keyLead = lead
		}
		t.memory.ints.give(rows)
	}
	return t.keyLead
}
