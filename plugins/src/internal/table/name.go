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
			return append(dst, t.plain(key, key.size())...)
		}
	} else if c, ok := t.idCell(row); ok {
		return append(dst, t.plain(c, 2*maxID)...)
	}
	return strconv.AppendInt(dst, int64(row), 10)
}

// idCell is the cell whose value serves as the id of a row. It is asked by more
// than one rule, so the answers are kept.
func (t *Table) idCell(row int) (cell, bool) {
	if len(t.ids) == 0 {
		return cell{}, false
	}
	if t.idColumn == nil {
		t.idColumn = make([]int8, len(t.rows))
		for r := range t.rows {
			t.idColumn[r] = t.chooseID(r)
		}
	}
	if i := t.idColumn[row]; i >= 0 {
		return t.ids[i].cells[row], true
	}
	return cell{}, false
}

// chooseID is the position in t.ids of the column that gives the id of a row,
// or -1.
func (t *Table) chooseID(row int) int8 {
	for i, c := range t.ids {
		x := c.cells[row]
		if !t.isText(x) || x.size() > 6*maxID {
			continue
		}
		if v := t.valuesOf(c, true); v.count[v.of[row]] > 1 {
			continue
		}
		if c := t.b[x.start+1]; x.size()-2 <= maxID && c != '\\' && c-'0' > 9 {
			return int8(i) // what takes no look at all of it
		}
		if id := t.plain(x, 2*maxID); len(id) <= maxID && !digitsOnly(id) {
			return int8(i)
		}
	}
	return -1
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
	n := t.scan.Node(t.rows[row])
	return cell{n.KeyStart, n.KeyEnd}
}

// AppendTitle appends what a row is, in one line of up to 80 bytes, without
// repeating id.
func (t *Table) AppendTitle(dst []byte, row int, id []byte) []byte {
	start := len(dst)
	if t.keyed {
		dst = append(t.appendCell(dst, t.key(row), maxTitle/2), ": "...)
	}
	from := len(dst)
	dst = t.appendFirst(dst, t.titles, row, id)
	if said := dst[from:]; len(said) == 0 || bytes.Equal(said, id) {
		if len(said) > 0 {
			dst = append(dst, ", "...)
		}
		at := len(dst)
		if dst = t.appendFirst(dst, t.spares, row, id); len(dst) == at {
			dst = dst[:from+len(said)]
		}
	}
	if len(dst) == from {
		dst = t.describe(dst, t.scan.Node(t.rows[row]))
	}
	return caption.Cut(dst, start, maxTitle)
}

// appendFirst appends the first three values of some columns that
// the row has and that differ from the one before. What stands in the column id
// is left out if it is the id that goes before the title anyway; a name that
// serves as the id is not, as it is what a reader looks for.
func (t *Table) appendFirst(dst []byte, columns []*column, row int, id []byte) []byte {
	var last []byte
	said := 0
	for _, c := range columns {
		x := c.cells[row]
		if !t.isText(x) && !t.isNumber(x) {
			continue
		}
		before := len(dst)
		if said > 0 {
			dst = append(dst, ", "...)
		}
		from := len(dst)
		dst = t.appendCell(dst, x, maxTitle)
		if value := dst[from:]; len(value) == 0 || bytes.Equal(value, last) || c.id && bytes.Equal(value, id) {
			dst = dst[:before]
			continue
		}
		last = dst[from:]
		if said++; said == 3 {
			break
		}
	}
	return dst
}

// describe says what a value is that has no name in it: a scalar or an element
// of an array by its start, another member by its kind and count.
func (t *Table) describe(dst []byte, n *jsonscan.Node) []byte {
	switch {
	case t.keyed && n.Kind == jsonscan.Array:
		return append(dst, "array, "+caption.Count(int(n.Kids), "item")...)
	case t.keyed && n.Kind == jsonscan.Object:
		return append(dst, "object, "+caption.Count(int(n.Kids), "key")...)
	case t.keyed && n.Kind == jsonscan.Text && n.Size() > 2:
		return t.appendCell(dst, cell{n.Start, n.End}, maxTitle)
	}
	return caption.Append(dst, t.b[n.Start:n.End], maxTitle)
}

// calling is the first value by which a person would call the row.
func (t *Table) calling(row int) string {
	for _, c := range t.called {
		if t.isText(c.cells[row]) {
			if s := t.say(c.cells[row], maxTitle); s != "" {
				return s
			}
		}
	}
	return ""
}
