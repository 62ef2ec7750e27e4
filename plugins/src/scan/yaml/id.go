package yaml

import (
	"math/bits"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/rows"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml/syntax"
)

// idField returns the position of a key in rows.IDFields, or -1.
func idField(key []byte) int {
	return slices.IndexFunc(rows.IDFields, func(f string) bool { return f == string(key) })
}

// chooseIDs gives the items of a sequence their ids, once: the value of an id field
// that is short, unique and not a number. Other items keep their position as id.
func (t *tree) chooseIDs(owner int32) {
	from, to := t.inside(owner)
	form := &t.topForm
	if owner >= 0 {
		form = &t.Parts[owner].Form
	}
	if *form&uint8(syntax.Chosen) != 0 {
		return
	}
	*form |= uint8(syntax.Chosen)
	found := t.candidates(from, to)
	t.markRepeated(found)
	for field := range rows.IDFields {
		for i := range found {
			c := &found[i]
			if p := &t.Parts[c.item]; int(c.field) == field && p.Room == 0 && !c.repeated {
				t.Places[c.item].Start, p.Room = c.start, uint16(c.size)
			}
		}
	}
}

// candidate is a value that may serve as the id of an item.
type candidate struct {
	item, start int32
	size, field uint8 // size of the value; position in rows.IDFields
	repeated    bool  // another item has the same
}

// candidates returns the values of the id fields of items in a range of nodes: those
// that are short and not numbers.
func (t *tree) candidates(from, to int32) (found []candidate) {
	for item := from; item < to; item = t.next[item] {
		for i := item + 1; i < t.next[item]; i = t.after(i) {
			n := t.Node(i)
			if n.IsItem() {
				continue
			}
			field := idField(t.Key(n))
			if field < 0 {
				continue
			}
			start, end := t.scalar(i)
			if value := t.Text[start:end]; len(value) <= rows.MaxID && !isDigits(value) {
				if len(found) == cap(found) { // assume that the remaining items have as many
					n := len(found) * int(to-from) / int(i-from)
					found = syntax.Reserve(found, n+n/16+16)
				}
				found = append(found, candidate{item, start, uint8(len(value)), uint8(field), false})
			}
		}
	}
	return found
}

// markRepeated marks candidates with equal values. It uses its own hash table
// because a map takes several times as long.
func (t *tree) markRepeated(found []candidate) {
	var few [32]int32
	table := few[:] // by hash: a position in found, counted from 1
	if 2*len(found) > len(table) {
		table = make([]int32, 1<<bits.Len(uint(len(found)*4/3))) // at most three quarters are used
	}
	for i := range found {
		c := &found[i]
		slot := int(hash(int(c.field), t.candidateText(c))) & (len(table) - 1)
		for table[slot] > 0 && !t.isEqual(c, &found[table[slot]-1]) {
			slot = (slot + 1) & (len(table) - 1)
		}
		if table[slot] == 0 {
			table[slot] = int32(i + 1)
		} else {
			c.repeated, found[table[slot]-1].repeated = true, true
		}
	}
}

func (t *tree) isEqual(a, b *candidate) bool {
	return a.field == b.field && string(t.candidateText(a)) == string(t.candidateText(b))
}

func (t *tree) candidateText(c *candidate) []byte { return t.Text[c.start:][:c.size] }

// hash is FNV-1a.
func hash(field int, value []byte) uint32 {
	h := uint32(2166136261) + uint32(field)
	for _, c := range value {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// appendItemID appends the id of an item after chooseIDs.
func (t *tree) appendItemID(dst []byte, n syntax.Node) []byte {
	if n.Size > 0 {
		return append(dst, t.Key(n)...)
	}
	return strconv.AppendInt(dst, int64(n.Start), 10)
}

// isID reports whether the value of a field is the id of its item.
func (t *tree) isID(item, field int32) bool {
	n := t.Node(item)
	return n.IsItem() && n.Size > 0 && (t.Places[field].Value == n.Start || t.Places[field].Value+1 == n.Start)
}

// documentName returns the name of a document: the value of an id field at its top,
// or the name in its metadata.
func (t *tree) documentName(at int32) []byte {
	var found [8]int32 // by id field: its first node, 0 for none
	meta := int32(0)
	for i := at + 1; i < t.next[at]; i = t.after(i) {
		n := t.Node(i)
		if !n.IsEntry() || n.IsItem() {
			continue
		}
		key := t.Key(n)
		if field := idField(key); field >= 0 && found[field] == 0 {
			found[field] = i
		} else if meta == 0 && string(key) == "metadata" {
			meta = i
		}
	}
	for _, i := range found[:len(rows.IDFields)] {
		if i == 0 {
			continue
		}
		if start, end := t.scalar(i); end > start && end-start <= 2*rows.MaxID {
			return t.Text[start:end]
		}
	}
	if meta == 0 {
		return nil
	}
	return t.field(meta, "name")
}
