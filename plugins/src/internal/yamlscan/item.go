package yamlscan

import (
	"bytes"
	"slices"
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
	seen := make(map[uint64]int32, len(found))
	for i := range found {
		seen[found[i].hash]++
	}
	for field := range idFields {
		for i := range found {
			c, n := &found[i], &t.nodes[found[i].item]
			if int(c.field) == field && n.end == 0 && seen[c.hash] == 1 && c.end-c.start <= maxID && !digits(t.b[c.start:c.end]) {
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
}

// candidates are the values of idFields of the items that stand between two
// parts.
func (t *tree) candidates(from, to int32) (found []candidate) {
	for item := from; item < to; item = t.next[item] {
		for i := item + 1; i < t.next[item]; i = t.after(i) {
			field := t.idField(i)
			if field < 0 {
				continue
			}
			if start, end := t.scalar(i); end > start {
				found = append(found, candidate{hash(field, t.b[start:end]), item, start, end, int8(field)})
			}
		}
	}
	return found
}

// idField is the position of a key in idFields, or -1.
func (t *tree) idField(at int32) int {
	n := &t.nodes[at]
	if size := n.end - n.start; n.item || size < 2 || size > 5 {
		return -1
	}
	return slices.Index(idFields, string(t.b[n.start:n.end]))
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
		if i := bytes.Index(line, []byte(" #")); i >= 0 {
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
