package label

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table/column"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	jsonscan "github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

const (
	maxValues     = 3                 // values of fields in a title
	maxMemberName = rows.MaxTitle / 3 // bytes of a row's name in the title of its group
)

// AppendTitle appends the title of a row, one line of up to rows.MaxTitle bytes, without
// repeating its id.
func (l *Labels) AppendTitle(dst []byte, row int, id []byte) []byte {
	start := len(dst)
	if l.Keyed {
		key := l.Key(row)
		if l.prefixPending || len(l.prefix) > 0 {
			key = l.keyAfter(row, l.KeyPrefix())
		}
		dst = append(l.AppendCaption(dst, key, rows.MaxTitle/2), ':', ' ') // bytes, because copying a string is a call
	}
	from, n := len(dst), l.Scan.Node(l.Nodes[row])
	object := n.Kind == jsonscan.Object
	if object {
		dst = l.appendName(dst, row, id)
	}
	if len(dst) == from {
		if l.Keyed && object && l.IsLarge() && l.IsUniform() { // the schema describes such objects
			dst = dst[:from-len(": ")]
		} else {
			dst = l.appendValue(dst, n)
		}
	}
	if len(dst)-start <= rows.MaxTitle {
		return dst
	}
	return caption.Cut(dst, start, rows.MaxTitle)
}

// appendName appends the values that name an object, or else those that distinguish it.
func (l *Labels) appendName(dst []byte, row int, id []byte) []byte {
	from := len(dst)
	if len(l.titles) > 0 {
		dst = l.appendFirst(dst, l.titles, row, id)
	}
	if name := dst[from:]; len(l.fallbacks) > 0 && (len(name) == 0 || bytes.Equal(name, id)) {
		if len(name) > 0 {
			dst = append(dst, ',', ' ')
		}
		at := len(dst)
		if dst = l.appendFirst(dst, l.fallbacks, row, id); len(dst) == at {
			dst = dst[:from+len(name)]
		}
	}
	if !l.Keyed && (l.kindsOnly || len(dst) == from || dst[from]-'0' <= 9 && hasOnlyDigits(dst[from:])) {
		dst = l.appendFeatures(dst, from, row)
	}
	if len(dst) == from && len(l.opaque) > 0 {
		dst = l.appendFirst(dst, l.opaque, row, id)
	}
	return dst
}

// appendFirst appends the first values of some columns that the row has. It skips a value
// that is equal to the preceding one. It also skips the id of the row in the column "id",
// because an index shows the id before the title; in the column "name" it does not, because
// readers look for names.
func (l *Labels) appendFirst(dst []byte, columns []*column.Column, row int, id []byte) []byte {
	last, count := len(dst), 0 // last: where the last value begins
	for _, c := range columns {
		x := c.Cells[row]
		start, end := int(x.Start), int(x.End)
		if end == 0 || c.IsID && x == l.lastID {
			continue
		}
		switch first := l.B[start]; {
		case first == '"' && end-start > 2:
			start, end = start+1, end-1
		case first != '-' && first-'0' > 9:
			continue
		}
		before := len(dst)
		if count > 0 {
			dst = append(dst, ',', ' ')
		}
		from := len(dst)
		plain := false
		if end-start <= rows.MaxTitle {
			dst, plain = l.AppendPlain(dst, start, end)
		}
		if !plain {
			dst = l.AppendCaption(dst, x, rows.MaxTitle)
		}
		value := dst[from:]
		if len(value) == 0 || count > 0 && bytes.Equal(value, dst[last:before]) || c.IsID && bytes.Equal(value, id) {
			dst = dst[:before]
			continue
		}
		last = from
		if count++; count == maxValues {
			break
		}
	}
	return dst
}

// appendValue appends a description of a value without a name: the start of a scalar or
// of an element of an array; the kind and size of another member.
func (l *Labels) appendValue(dst []byte, n *jsonscan.Node) []byte {
	if l.Keyed {
		switch n.Kind {
		case jsonscan.Array:
			return rows.AppendCount(append(dst, "array, "...), int(n.Kids), "item")
		case jsonscan.Object:
			return rows.AppendCount(append(dst, "object, "...), int(n.Kids), "key")
		case jsonscan.Text:
			if n.Size() > 2 {
				return l.AppendCaption(dst, cell.Cell{Start: n.Start, End: n.End}, rows.MaxTitle)
			}
		case jsonscan.Number:
			if n.Size() <= rows.MaxTitle {
				if out, ok := l.AppendPlain(dst, int(n.Start), int(n.End)); ok {
					return out
				}
			}
		}
	}
	if out, ok := l.AppendLine(dst, int(n.Start), int(n.End), rows.MaxTitle); ok {
		return out
	}
	return caption.Append(dst, l.B[n.Start:n.End], rows.MaxTitle)
}

// DisplayName returns the name that people use for a row, empty if it has none.
func (l *Labels) DisplayName(row int) string {
	for _, c := range l.display {
		if l.IsString(c.Cells[row]) {
			if s := l.Caption(c.Cells[row], rows.MaxTitle); s != "" {
				return s
			}
		}
	}
	return ""
}

// MemberName returns the name of a row for the title of its group: its display name, or
// its key without the prefix of the group. The prefix stays if only a number would remain,
// as of 4.17.1. A long key is replaced by a name.
func (l *Labels) MemberName(row int, prefix []byte) string {
	if !l.Keyed {
		return caption.Clip(l.DisplayName(row), maxMemberName)
	}
	key := l.keyAfter(row, prefix)
	if l.B[key.Start]-'0' <= 9 {
		key = l.Key(row)
	}
	if c := l.ByName("name"); c != nil && key.Size()-2 > maxMemberName && l.IsString(c.Cells[row]) {
		return l.Caption(c.Cells[row], maxMemberName)
	}
	return l.Caption(key, maxMemberName)
}

// keyAfter returns the key of a row without a prefix.
func (l *Labels) keyAfter(row int, prefix []byte) cell.Cell {
	key := l.Key(row)
	if len(prefix) > 0 && bytes.HasPrefix(l.B[key.Start+1:key.End-1], prefix) {
		key = trimStart(key, 1+len(prefix))
	}
	return key
}

// trimStart returns a string without its first n bytes, which include the opening quote,
// and without the closing quote. It returns the string unchanged if nothing else remains.
func trimStart(x cell.Cell, n int) cell.Cell {
	if n > 0 && x.Size() > n+1 {
		x.Start, x.End = x.Start+int32(n), x.End-1
	}
	return x
}
