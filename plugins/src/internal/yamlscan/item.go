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
	done := &t.topChosen
	if owner >= 0 {
		done = &t.nodes[owner].chosen
	}
	if *done {
		return
	}
	*done = true
	found := t.candidates(from, to)
	single(found)
	for field := range idFields {
		for i := range found {
			c, n := &found[i], &t.nodes[found[i].item]
			if int(c.field) == field && n.end == 0 && !c.again && c.end-c.start <= maxID && !digits(t.b[c.start:c.end]) {
				n.start, n.end = c.start, c.end
			}
		}
	}
}

// candidate is a value that could serve as the id of an item.
type candidate struct {
	hash             uint64 // of field and value
	item, start, end int32
	field            int8 // in idFields
	again            bool // another item has the same
}

// candidates are the values of idFields of the items that stand between two
// parts.
func (t *tree) candidates(from, to int32) (found []candidate) {
	for item := from; item < to; item = t.next[item] {
		for i := item + 1; i < t.next[item]; i = t.after(i) {
			n := &t.nodes[i]
			if n.item || n.end == 0 {
				continue
			}
			field := idField(t.b[n.start:n.end])
			if field < 0 {
				continue
			}
			if start, end := t.scalar(i); end > start {
				found = append(found, candidate{hash: hash(field, t.b[start:end]), item: item, start: start, end: end, field: int8(field)})
			}
		}
	}
	return found
}

// single marks those that stand there again. A map takes several times as long.
func single(found []candidate) {
	var few [32]int32
	table := few[:] // by hash: a position in found, counted from 1
	if 2*len(found) > len(table) {
		table = make([]int32, 2<<bits.Len(uint(len(found))))
	}
	mask := uint64(len(table) - 1)
	for i := range found {
		c := &found[i]
		slot := c.hash & mask
		for table[slot] > 0 && found[table[slot]-1].hash != c.hash {
			slot = (slot + 1) & mask
		}
		if table[slot] == 0 {
			table[slot] = int32(i + 1)
		} else {
			c.again, found[table[slot]-1].again = true, true
		}
	}
}

// hash is FNV-1a. Values that share one are no ids, which costs a name.
func hash(field int, value []byte) uint64 {
	h := uint64(14695981039346656037) + uint64(field)
	for _, c := range value {
		h = (h ^ uint64(c)) * 1099511628211
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
	n := &t.nodes[at]
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
