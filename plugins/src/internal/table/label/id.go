package label

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// AppendID appends the id of a row as the source writes it: its key, or the value of one
// of rows.IDFields that is short, unique and not a number, or else its position.
func (l *Labels) AppendID(dst []byte, row int) []byte {
	if l.Keyed {
		if key := l.Key(row); key.Size() > 2 {
			if out, ok := l.AppendPlain(dst, int(key.Start)+1, int(key.End)-1); ok {
				return out
			}
			return append(dst, l.Unquoted(key, key.Size())...)
		}
	} else if c, ok := l.idCell(row); ok {
		if out, ok := l.AppendPlain(dst, int(c.Start)+1, int(c.End)-1); ok {
			l.lastID = c
			return out
		}
		return append(dst, l.Unquoted(c, 2*rows.MaxID)...)
	}
	return caption.AppendNumber(dst, int32(row))
}

// NameCell returns the cell, with its quotes, that is the id of a row.
func (l *Labels) NameCell(row int) (cell.Cell, bool) {
	if l.Keyed {
		return l.Key(row), true
	}
	return l.idCell(row)
}

// HasNames reports whether rows may have a name.
func (l *Labels) HasNames() bool { return l.Keyed || len(l.ids) > 0 }

// idCell returns the cell with the id of a row of an array.
func (l *Labels) idCell(row int) (cell.Cell, bool) {
	if len(l.ids) == 0 {
		return cell.Cell{}, false
	}
	if l.idColumn == nil {
		l.chooseIDs()
	}
	if i := l.idColumn[row]; i >= 0 {
		return l.ids[i].Cells[row], true
	}
	return cell.Cell{}, false
}

// chooseIDs finds for each row the position in l.ids of the column of its id, -1 if there
// is none.
func (l *Labels) chooseIDs() {
	l.idColumn = make([]int8, l.Len())
	for r := range l.idColumn {
		l.idColumn[r] = -1
	}
	remaining := l.Len()
	for i, c := range l.ids {
		if remaining == 0 {
			return
		}
		repeated := l.RepeatedIn(c)
		for r, x := range c.Cells {
			if l.idColumn[r] < 0 && l.IsString(x) && !repeated.Has(int32(r)) && l.isID(x) {
				l.idColumn[r] = int8(i)
				remaining--
			}
		}
	}
}

// isID reports whether a text is short and has a character that is no digit.
func (l *Labels) isID(x cell.Cell) bool {
	if c := l.B[x.Start+1]; x.Size()-2 <= rows.MaxID && c != '\\' && c-'0' > 9 {
		return true // the first byte suffices
	}
	if x.Size() > 6*rows.MaxID {
		return false
	}
	id := l.Unquoted(x, 2*rows.MaxID)
	return len(id) <= rows.MaxID && !hasOnlyDigits(id)
}

// IsNumeric reports whether the start of a name has only digits.
func (l *Labels) IsNumeric(c cell.Cell) bool {
	if c.Size() > 2 {
		if first := l.B[c.Start+1]; first != '\\' && first-'0' > 9 {
			return false
		}
	}
	return hasOnlyDigits(l.Unquoted(c, rows.MaxID))
}

func hasOnlyDigits(s []byte) bool {
	for _, c := range s {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}
