package yamlscan

import (
	"bytes"
	"math/bits"
)

// choose gives the items of a sequence their ids, once: the value of one of
// idFields that is short, no other item's and not all digits. The others are
// called by their position.
func (t *tree) choose(owner int32) {
	from, to := t.inside(owner)
	done := &t.top
	if owner >= 0 {
		done = &t.parts[owner].Form
	}
	if *done&uint8(isChosen) != 0 {
		return
	}
	*done |= uint8(isChosen)
	found := t.candidates(from, to)
	t.single(found)
	for field := range idFields {
		for i := range found {
			c := &found[i]
			if p := &t.parts[c.item]; int(c.field) == field && p.Room == 0 && !c.again {
				t.nodes[c.item].start, p.Room = c.start, uint16(c.size)
			}
		}
	}
}

// candidate is a value that could serve as the id of an item.
type candidate struct {
	item, start int32
	size, field uint8 // of the value; in idFields
	again       bool  // another item has the same
}

// candidates are the values of idFields of the items that stand between two
// parts: those that are short and not all digits.
func (t *tree) candidates(from, to int32) (found []candidate) {
	for item := from; item < to; item = t.next[item] {
		for i := item + 1; i < t.next[item]; i = t.after(i) {
			n := t.node(i)
			if n.is&isItem != 0 {
				continue
			}
			field := idField(t.b[n.start:n.end()])
			if field < 0 {
				continue
			}
			start, end := t.scalar(i)
			if value := t.b[start:end]; len(value) <= maxID && !digits(value) {
				if len(found) == cap(found) { // as many as there will be if the others have them too
					n := len(found) * int(to-from) / int(i-from)
					found = roomy(found, n+n/16+16)
				}
				found = append(found, candidate{item, start, uint8(len(value)), uint8(field), false})
			}
		}
	}
	return found
}

// single marks those that stand there again. A map takes several times as long.
func (t *tree) single(found []candidate) {
	var few [32]int32
	table := few[:] // by hash: a position in found, counted from 1
	if 2*len(found) > len(table) {
		table = make([]int32, 1<<bits.Len(uint(len(found)*4/3))) // three quarters of it are taken at most
	}
	for i := range found {
		c := &found[i]
		slot := int(hash(int(c.field), t.value(c))) & (len(table) - 1)
		for table[slot] > 0 && !t.same(c, &found[table[slot]-1]) {
			slot = (slot + 1) & (len(table) - 1)
		}
		if table[slot] == 0 {
			table[slot] = int32(i + 1)
		} else {
			c.again, found[table[slot]-1].again = true, true
		}
	}
}

func (t *tree) same(a, b *candidate) bool {
	return a.field == b.field && string(t.value(a)) == string(t.value(b))
}

func (t *tree) value(c *candidate) []byte { return t.b[c.start:][:c.size] }

// hash is FNV-1a.
func hash(field int, value []byte) uint32 {
	h := uint32(2166136261) + uint32(field)
	for _, c := range value {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// field is the value of a field of an item, empty if it has none that is one
// line.
func (t *tree) field(item int32, name string) []byte {
	c := t.child(item, name)
	if c < 0 {
		return nil
	}
	start, end := t.scalar(c)
	return t.b[start:end]
}

// scalar is where the text of a plain or quoted scalar on one line stands, empty
// if it is something else or has escapes.
func (t *tree) scalar(at int32) (start, end int32) {
	n := t.node(at)
	if n.kind != plain && n.kind != quoted {
		return 0, 0
	}
	line := t.b[n.val:t.parts[at].End]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		if n.kind == plain && t.continued(line[i+1:]) {
			return 0, 0
		}
		line = line[:i]
	}
	switch n.kind {
	case plain:
		if i := comment(line); i >= 0 {
			line = line[:i]
		}
		return n.val, n.val + int32(len(bytes.TrimRight(line, " \t\r")))
	case quoted:
		if i := bytes.IndexByte(line[1:], line[0]); i >= 0 && bytes.IndexByte(line[:i+1], '\\') < 0 && !(i+2 < len(line) && line[i+2] == '\'') {
			return n.val + 1, n.val + 1 + int32(i)
		}
	}
	return 0, 0
}

// comment is where a blank before a comment stands in a line, or -1.
func comment(line []byte) int {
	for at := 0; ; at++ {
		i := bytes.IndexByte(line[at:], '#')
		if i < 0 {
			return -1
		}
		if at += i; at > 0 && line[at-1] == ' ' {
			return at - 1
		}
	}
}

// continued reports whether there is more than comments on the lines behind the
// first of a plain scalar.
func (t *tree) continued(rest []byte) bool {
	for line := range bytes.Lines(rest) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return true
		}
	}
	return false
}

func digits(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}
