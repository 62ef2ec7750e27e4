package table

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
)

const (
	maxTitle = 80 // bytes of a title that the host shows
	maxID    = 40 // bytes of the longest value that serves as an id
)

var (
	idFields    = []string{"id", "name", "key", "title"}
	titleFields = []string{"id", "name", "title", "label", "key", "entity_id", "type", "kind"}
	// spareFields are asked if those say nothing but the id.
	spareFields = []string{"_id", "uid", "_type", "login", "subject", "summary", "text", "message", "description", "path", "url"}
	// calledFields hold what a person would call a row.
	calledFields = []string{"name", "title", "label", "subject", "summary", "text", "message", "description"}
)

// isNaming reports whether a field is one of these: it becomes a column however
// rare it is.
func isNaming(name string) bool {
	switch name {
	case "id", "name", "title", "label", "key", "entity_id", "type", "kind",
		"_id", "uid", "_type", "login", "subject", "summary", "text", "message", "description", "path", "url":
		return true
	}
	return false
}

// AppendID appends the name of a row in paths, as the source has it: its key,
// or the value of one of idFields if that is short, no other row's and not all
// digits, else its position.
func (t *Table) AppendID(dst []byte, row int) []byte {
	if t.keyed {
		if key := t.key(row); key.size() > 2 {
			if out, ok := t.appendPlain(dst, int(key.start)+1, int(key.end)-1); ok {
				return out
			}
			return append(dst, t.plain(key, key.size())...)
		}
	} else if c, ok := t.idCell(row); ok {
		if out, ok := t.appendPlain(dst, int(c.start)+1, int(c.end)-1); ok {
			t.called = c
			return out
		}
		return append(dst, t.plain(c, 2*maxID)...)
	}
	return caption.AppendNumber(dst, int32(row))
}

// idCell is the cell whose value serves as the id of a row.
func (t *Table) idCell(row int) (cell, bool) {
	if len(t.ids) == 0 {
		return cell{}, false
	}
	if t.idColumn == nil {
		t.chooseIDs()
	}
	if i := t.idColumn[row]; i >= 0 {
		return t.ids[i].cells[row], true
	}
	return cell{}, false
}

// chooseIDs finds the positions in t.ids of the columns that give the ids of the
// rows, -1 for a row without. They are asked for by more than one rule.
func (t *Table) chooseIDs() {
	t.idColumn = make([]int8, len(t.rows))
	for r := range t.idColumn {
		t.idColumn[r] = -1
	}
	left := len(t.rows)
	for i, c := range t.ids {
		if left == 0 {
			return
		}
		if c.index == nil {
			t.indexOf(c).settle()
		}
		twice := c.index.twice
		for r, x := range c.cells {
			if t.idColumn[r] < 0 && t.isText(x) && !twice.has(int32(r)) && t.servesAsID(x) {
				t.idColumn[r] = int8(i)
				left--
			}
		}
	}
}

// servesAsID reports whether a text is short and not all digits.
func (t *Table) servesAsID(x cell) bool {
	if c := t.b[x.start+1]; x.size()-2 <= maxID && c != '\\' && c-'0' > 9 {
		return true // what takes no look at all of it
	}
	if x.size() > 6*maxID {
		return false
	}
	id := t.plain(x, 2*maxID)
	return len(id) <= maxID && !digitsOnly(id)
}

func digitsOnly(s []byte) bool {
	for _, c := range s {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// key is the key of a row with its quotes.
func (t *Table) key(row int) cell {
	if row < len(t.keys) {
		return t.keys[row]
	}
	start, end := t.scan.Key(t.scan.Node(t.rows[row]))
	return cell{start, end}
}

// AppendTitle appends what a row is, in one line of up to 80 bytes, without
// repeating id.
func (t *Table) AppendTitle(dst []byte, row int, id []byte) []byte {
	start := len(dst)
	if t.keyed {
		key := t.key(row)
		if t.leadOpen || len(t.keyLead) > 0 {
			key = t.keyBehind(row, t.rowLead())
		}
		dst = append(t.appendCell(dst, key, maxTitle/2), ':', ' ') // bytes: a string is copied by a call
	}
	from, n := len(dst), t.scan.Node(t.rows[row])
	object := n.Kind == jsonscan.Object
	if object {
		dst = t.appendName(dst, row, id)
	}
	if len(dst) == from {
		if t.keyed && object && t.alike() {
			dst = dst[:from-len(": ")]
		} else {
			dst = t.describe(dst, n)
		}
	}
	if len(dst)-start <= maxTitle {
		return dst
	}
	return caption.Cut(dst, start, maxTitle)
}

// appendName appends what names an object or else tells it apart.
func (t *Table) appendName(dst []byte, row int, id []byte) []byte {
	from := len(dst)
	if len(t.titles) > 0 {
		dst = t.appendFirst(dst, t.titles, row, id)
	}
	if said := dst[from:]; len(t.spares) > 0 && (len(said) == 0 || bytes.Equal(said, id)) {
		if len(said) > 0 {
			dst = append(dst, ',', ' ')
		}
		at := len(dst)
		if dst = t.appendFirst(dst, t.spares, row, id); len(dst) == at {
			dst = dst[:from+len(said)]
		}
	}
	if !t.keyed && (t.kindsOnly || len(dst) == from || dst[from]-'0' <= 9 && digitsOnly(dst[from:])) {
		dst = t.tell(dst, from, row)
	}
	if len(dst) == from && len(t.opaque) > 0 {
		dst = t.appendFirst(dst, t.opaque, row, id)
	}
	return dst
}

// alike reports whether the rows are so many objects that a reader of the schema
// line knows what each of them is.
func (t *Table) alike() bool { return len(t.rows) > t.maxRows && t.objects*10 >= len(t.rows)*9 }

// appendFirst appends the first three values of some columns that
// the row has and that differ from the one before. What stands in the column id
// is left out if it is the id that goes before the title anyway; a name that
// serves as the id is not, as it is what a reader looks for.
func (t *Table) appendFirst(dst []byte, columns []*column, row int, id []byte) []byte {
	last, said := len(dst), 0 // where the last value begins
	for _, c := range columns {
		x := c.cells[row]
		start, end := int(x.start), int(x.end)
		if end == 0 || c.id && x == t.called {
			continue
		}
		switch first := t.b[start]; {
		case first == '"' && end-start > 2:
			start, end = start+1, end-1
		case first != '-' && first-'0' > 9:
			continue
		}
		before := len(dst)
		if said > 0 {
			dst = append(dst, ',', ' ')
		}
		from := len(dst)
		plain := false
		if end-start <= maxTitle {
			dst, plain = t.appendPlain(dst, start, end)
		}
		if !plain {
			dst = t.appendCell(dst, x, maxTitle)
		}
		value := dst[from:]
		if len(value) == 0 || said > 0 && bytes.Equal(value, dst[last:before]) || c.id && bytes.Equal(value, id) {
			dst = dst[:before]
			continue
		}
		last = from
		if said++; said == 3 {
			break
		}
	}
	return dst
}

// describe says what a value is that has no name in it: a scalar or an element
// of an array by its start, another member by its kind and count.
func (t *Table) describe(dst []byte, n *jsonscan.Node) []byte {
	if t.keyed {
		switch n.Kind {
		case jsonscan.Array:
			return appendCount(append(dst, "array, "...), n.Kids, "item")
		case jsonscan.Object:
			return appendCount(append(dst, "object, "...), n.Kids, "key")
		case jsonscan.Text:
			if n.Size() > 2 {
				return t.appendCell(dst, cell{n.Start, n.End}, maxTitle)
			}
		case jsonscan.Number:
			if n.Size() <= maxTitle {
				if out, ok := t.appendPlain(dst, int(n.Start), int(n.End)); ok {
					return out
				}
			}
		}
	}
	if out, ok := t.appendLine(dst, int(n.Start), int(n.End), maxTitle); ok {
		return out
	}
	return caption.Append(dst, t.b[n.Start:n.End], maxTitle)
}

// appendCount is caption.Count without a string.
func appendCount(dst []byte, n int32, noun string) []byte {
	dst = append(append(strconv.AppendInt(dst, int64(n), 10), ' '), noun...)
	if n != 1 {
		dst = append(dst, 's')
	}
	return dst
}

// calling is the first value by which a person would call the row.
func (t *Table) calling(row int) string {
	for _, c := range t.callers {
		if t.isText(c.cells[row]) {
			if s := t.say(c.cells[row], maxTitle); s != "" {
				return s
			}
		}
	}
	return ""
}
