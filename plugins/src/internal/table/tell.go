package table

import "github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"

// teller is a field by which rows without a name are told apart: one of theirs, or
// a member of an object that they hold.
type teller struct {
	column      *column // of a large table; in a small one the cells are known
	name, inner cell    // inner: of the member; missing: the field itself
	label       []byte  // what stands before the value: a number does not speak for itself
	cells       []cell  // by row that was looked at
	filled      int     // of them
	skip        int     // bytes, the quote included, that begin all of them and tell nothing
	size        int     // bytes that it takes in a title, on average
	class       class
	distinct    int // values among those compared
}

// class is what a teller is worth: the lower the more.
type class int8

const (
	shortText class = iota
	longText
	number
	useless
)

const (
	maxTellers = 3
	maxFound   = 32      // fields that are looked at
	maxRead    = 1 << 10 // bytes of an object that is looked into: what is told of a row stands in small ones
	compared   = 16      // rows that show by what they differ
	maxShort   = 40      // bytes of a short text, on average; about eight words of a long one tell enough
	maxLong    = 48
	enoughTold = 24 // bytes that need no further text
	leastSkip  = 8  // bytes that are worth leaving out
)

// tell appends what tells a row apart, behind what is said of it since from.
func (t *Table) tell(dst []byte, from, row int) []byte {
	if !t.toldApart {
		t.toldApart = true
		t.chooseTellers()
	}
	for i := range t.tellers {
		k := &t.tellers[i]
		var x cell
		if k.column != nil && k.inner.missing() {
			x = k.column.cells[row]
		} else {
			x = t.toldCell(k, row)
		}
		if x.missing() {
			continue
		}
		before := len(dst)
		if before > from {
			dst = append(dst, ',', ' ')
		}
		dst = append(dst, k.label...)
		at, plain := len(dst), false
		if start, end := int(x.start), int(x.end); k.skip == 0 && end-start <= maxLong {
			switch first := t.b[start]; {
			case first == '"':
				dst, plain = t.appendPlain(dst, start+1, end-1)
			case first == '-' || first-'0' <= 9:
				dst, plain = t.appendPlain(dst, start, end)
			}
		}
		if !plain {
			if x = t.firstText(x); !x.missing() {
				dst = t.appendCell(dst, t.behind(x, k.skip), maxLong)
			}
		}
		if len(dst) == at || before > from && len(dst)-from > maxTitle {
			dst = dst[:before]
		}
	}
	return dst
}

// behind is a text without its first bytes, the quote among them, unless that is all
// there is.
func (t *Table) behind(x cell, skip int) cell {
	if skip > 0 && x.size() > skip+1 {
		x.start, x.end = x.start+int32(skip), x.end-1
	}
	return x
}

// toldCell is the cell of a teller in a row.
func (t *Table) toldCell(k *teller, row int) cell {
	if k.column == nil {
		return k.cells[row]
	}
	x := k.column.cells[row]
	if k.inner.missing() {
		return x
	}
	for _, m := range t.inside(x) {
		if same(t.b, name(&m), k.inner) {
			return cell{m.Start, m.End}
		}
	}
	return cell{}
}

// inside are the members of an object that is small.
func (t *Table) inside(x cell) []jsonscan.Member {
	in := t.memory.inner[:0]
	if !x.missing() && t.b[x.start] == '{' && x.size() <= maxRead {
		in = jsonscan.Each(in, t.b, jsonscan.Node{Start: x.start, End: x.end, Kind: jsonscan.Object})
	}
	t.memory.inner = in
	return in
}

// firstText is a text or number as it is, of an array the text it begins with;
// missing for all else.
func (t *Table) firstText(x cell) cell {
	switch {
	case t.isText(x), t.isNumber(x):
		return x
	case x.missing() || t.b[x.start] != '[':
		return cell{}
	}
	at := int(x.start) + 1
	for t.b[at] <= ' ' {
		at++
	}
	if t.b[at] != '"' {
		return cell{}
	}
	end, _ := jsonscan.String(t.b, at)
	return cell{int32(at), int32(end)}
}
