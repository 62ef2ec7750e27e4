package screen

import (
	"sort"
	"strings"
)

// Row is one line of a Text: clean, of any length.
type Row struct {
	Text  string
	Style Style
	Marks []Mark // sorted, disjoint
}

// Mark styles the bytes [From, To) of a Row, in addition to the style of the row.
type Mark struct {
	From, To int
	Style    Style
}

// Text is rows, wrapped to a width. It is immutable and safe for concurrent use.
type Text struct {
	rows   []Row
	width  int
	starts []int         // index of the first line of each row, and the number of all lines
	breaks map[int][]int // of rows that wrap and are not ASCII: the first byte of each line
}

// Wrap breaks rows into lines of at most width cells. The cost of drawing does not depend
// on the length of the rows.
func Wrap(rows []Row, width int) *Text {
	t := &Text{rows: rows, width: max(width, 2), starts: make([]int, len(rows)+1), breaks: make(map[int][]int)}
	for i, r := range rows {
		t.starts[i+1] = t.starts[i] + t.countLines(i, r.Text)
	}
	return t
}

// countLines returns the lines of a row and stores their breaks if they cannot be computed.
func (t *Text) countLines(i int, s string) int {
	if isASCII(s) {
		return max((len(s)+t.width-1)/t.width, 1)
	}
	at := []int{0}
	for from := 0; ; {
		line, _ := Cut(s[from:], t.width)
		from += len(line)
		if from >= len(s) {
			break
		}
		at = append(at, from)
	}
	if len(at) > 1 {
		t.breaks[i] = at
	}
	return len(at)
}

// Len returns the number of lines.
func (t *Text) Len() int { return t.starts[len(t.rows)] }

// Width returns the width that the text was wrapped to.
func (t *Text) Width() int { return t.width }

// Rewrap returns the text in another width.
func (t *Text) Rewrap(width int) *Text { return Wrap(t.rows, width) }

// Window returns up to height lines from index top.
func (t *Text) Window(top, height int) []Line {
	var out []Line
	row := sort.Search(len(t.rows), func(i int) bool { return t.starts[i+1] > top })
	for ; row < len(t.rows) && len(out) < height; row++ {
		for sub := max(top-t.starts[row], 0); sub < t.starts[row+1]-t.starts[row] && len(out) < height; sub++ {
			from, to := t.bounds(row, sub)
			out = append(out, t.rows[row].slice(from, to))
		}
	}
	return out
}

// bounds returns the bytes of a line of a row.
func (t *Text) bounds(row, sub int) (from, to int) {
	length := len(t.rows[row].Text)
	if at, ok := t.breaks[row]; ok {
		if sub+1 < len(at) {
			return at[sub], at[sub+1]
		}
		return at[sub], length
	}
	if t.starts[row+1]-t.starts[row] == 1 {
		return 0, length
	}
	return sub * t.width, min((sub+1)*t.width, length)
}

// slice returns a part of a row with its marks, without those inside of a character.
func (r Row) slice(from, to int) Line {
	out := r.marked(from, to)
	if whole := r.Text[from:to]; len(out) > 1 && !isASCII(whole) && out.Width() != Width(whole) {
		return Line{{whole, r.Style}}
	}
	return out
}

func (r Row) marked(from, to int) (out Line) {
	add := func(to int, style Style) {
		if to > from {
			out = append(out, Span{r.Text[from:to], style})
			from = to
		}
	}
	first := sort.Search(len(r.Marks), func(i int) bool { return r.Marks[i].To > from })
	for _, m := range r.Marks[first:] {
		if m.From >= to {
			break
		}
		add(m.From, r.Style)
		add(min(m.To, to), r.Style.With(m.Style))
	}
	add(to, r.Style)
	return out
}

// Rows splits an untrusted text into clean rows.
func Rows(s string, style Style) []Row {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	rows := make([]Row, len(lines))
	for i, l := range lines {
		rows[i] = Row{Text: Clean(l), Style: style}
	}
	return rows
}
