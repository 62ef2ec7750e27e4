package yamlscan

import (
	"bytes"
	"hash/maphash"
)

// choose gives the items of a sequence their ids, once: the value of one of
// idFields that is short, no other item's and not all digits. The others are
// called by their position.
func (t *tree) choose(owner int32) {
	if owner >= 0 && t.nodes[owner].chosen || owner < 0 && t.topChosen {
		return
	}
	if owner >= 0 {
		t.nodes[owner].chosen = true
	} else {
		t.topChosen = true
	}
	for _, field := range idFields {
		t.chooseBy(owner, field)
	}
}

// chooseBy gives ids by one field to the items that have none yet.
func (t *tree) chooseBy(owner int32, field string) {
	seen := make(map[uint64]int32)
	from, to := t.inside(owner)
	for i := from; i < to; i = t.next[i] {
		if value := t.field(i, field); len(value) > 0 {
			seen[maphash.Bytes(seed, value)]++
		}
	}
	if len(seen) == 0 {
		return
	}
	for i := from; i < to; i = t.next[i] {
		n := &t.nodes[i]
		if n.end > 0 {
			continue
		}
		c := t.child(i, field)
		if c < 0 {
			continue
		}
		if start, end := t.scalar(c); end > start && end-start <= maxID && !digits(t.b[start:end]) && seen[maphash.Bytes(seed, t.b[start:end])] == 1 {
			n.start, n.end = start, end
		}
	}
}

var seed = maphash.MakeSeed()

// inside is where the entries of a collection stand in the list of parts.
func (t *tree) inside(owner int32) (from, to int32) {
	if owner < 0 {
		return 0, int32(len(t.parts))
	}
	return owner + 1, t.next[owner]
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
