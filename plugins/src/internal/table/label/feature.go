package label

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table/column"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	jsonscan "github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// feature is a field that distinguishes rows without a name. It is a field of the rows, or
// of an object in them.
type feature struct {
	column      *column.Column // of a large table; of a small one, cells holds all values
	name, inner cell.Cell      // inner is the name in the object, missing for a field of the rows
	label       []byte         // text before the value: a number needs the name of its field
	cells       []cell.Cell    // of the compared rows
	filled      int            // cells that are not missing
	skip        int            // bytes that all values begin with, including the quote
	size        int            // average size in a title
	class       class
	distinct    int // different values among the compared rows
}

// class ranks features, the most useful first.
type class int8

const (
	shortText class = iota
	longText
	numeric
	useless
)

const (
	maxFeatures = 3       // in a title
	maxFound    = 32      // fields that are compared
	maxInner    = 1 << 10 // bytes of an object that is searched for fields: distinguishing fields are in small ones
	compared    = 16      // rows that are compared
	maxShort    = 40      // average size of a short text; about eight words of a long one are enough
	maxLong     = 48
	enoughText  = 24 // bytes after which no further text is needed
)

// appendFeatures appends the values of the features of a row. The name of the row is in
// dst since from.
func (l *Labels) appendFeatures(dst []byte, from, row int) []byte {
	if !l.chosen {
		l.chosen = true
		l.chooseFeatures()
	}
	for i := range l.features {
		f := &l.features[i]
		var x cell.Cell
		if f.column != nil && f.inner.IsMissing() {
			x = f.column.Cells[row]
		} else {
			x = l.featureCell(f, row)
		}
		if x.IsMissing() {
			continue
		}
		before := len(dst)
		if before > from {
			dst = append(dst, ',', ' ')
		}
		dst = append(dst, f.label...)
		at, plain := len(dst), false
		if start, end := int(x.Start), int(x.End); f.skip == 0 && end-start <= maxLong {
			switch first := l.B[start]; {
			case first == '"':
				dst, plain = l.AppendPlain(dst, start+1, end-1)
			case first == '-' || first-'0' <= 9:
				dst, plain = l.AppendPlain(dst, start, end)
			}
		}
		if !plain {
			if x = l.firstScalar(x); !x.IsMissing() {
				dst = l.AppendCaption(dst, trimStart(x, f.skip), maxLong)
			}
		}
		if len(dst) == at || before > from && len(dst)-from > rows.MaxTitle {
			dst = dst[:before]
		}
	}
	return dst
}

// featureCell returns the cell of a feature in a row.
func (l *Labels) featureCell(f *feature, row int) cell.Cell {
	if f.column == nil {
		return f.cells[row]
	}
	x := f.column.Cells[row]
	if f.inner.IsMissing() {
		return x
	}
	for _, m := range l.innerMembers(x) {
		if cell.Same(l.B, column.NameOf(&m), f.inner) {
			return cell.Cell{Start: m.Start, End: m.End}
		}
	}
	return cell.Cell{}
}

// innerMembers returns the members of a cell that is a small object.
func (l *Labels) innerMembers(x cell.Cell) []jsonscan.Member {
	inner := l.Memory.Inner[:0]
	if !x.IsMissing() && l.B[x.Start] == '{' && x.Size() <= maxInner {
		inner = jsonscan.AppendMembers(inner, l.B, jsonscan.Node{Start: x.Start, End: x.End, Kind: jsonscan.Object})
	}
	l.Memory.Inner = inner
	return inner
}

// firstScalar returns a text or number unchanged, and of an array the text that it begins
// with. Other values count as missing.
func (l *Labels) firstScalar(x cell.Cell) cell.Cell {
	switch {
	case l.IsString(x), l.IsNumber(x):
		return x
	case x.IsMissing() || l.B[x.Start] != '[':
		return cell.Cell{}
	}
	at := int(x.Start) + 1
	for l.B[at] <= ' ' {
		at++
	}
	if l.B[at] != '"' {
		return cell.Cell{}
	}
	end, _ := jsonscan.ScanString(l.B, at)
	return cell.Cell{Start: int32(at), End: int32(end)}
}
