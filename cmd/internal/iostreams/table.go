package iostreams

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// Table prints rows in columns that are as wide as they need, two blanks apart,
// as kubectl does. Cells are cleaned; the last column may be any length.
type Table struct {
	header []string
	rows   [][]string
	fit    int  // 0: as wide as it gets
	wrap   bool // long cells go on below, and are not cut
}

// NewTable makes a table with a header line.
func NewTable(header ...string) *Table { return &Table{header: header} }

// Row adds a row; an empty cell is printed as "-".
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, clean(cells)) }

func clean(cells []string) []string {
	for i, c := range cells {
		cells[i] = Line(c)
		if c == "" {
			cells[i] = "-"
		}
	}
	return cells
}

// Rows are the cells as they are printed, without the header.
func (t *Table) Rows() [][]string { return t.rows }

// Fit cuts cells, never those of the first column, so that no line is longer than
// width. It returns t.
func (t *Table) Fit(width int) *Table {
	t.fit = width
	return t
}

// Wrap breaks cells into several lines, so that no line is longer than width and
// nothing is cut; 0 is no limit. It returns t.
func (t *Table) Wrap(width int) *Table {
	t.fit, t.wrap = width, true
	return t
}

// Fprint writes the table.
func (t *Table) Fprint(w io.Writer) error {
	widths := t.widths()
	if t.fit > 0 {
		narrow(widths, t.fit)
	}
	var b bytes.Buffer
	for _, row := range append([][]string{t.header}, t.rows...) {
		if t.wrap {
			writeWrapped(&b, row, widths)
			continue
		}
		writeLine(&b, row, widths)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeLine writes cells in columns; the last one needs no blanks behind it.
func writeLine(b *bytes.Buffer, row []string, widths []int) {
	for i, c := range row {
		c = cut(c, widths[i])
		b.WriteString(c)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+gap))
		}
	}
	b.WriteByte('\n')
}

// writeWrapped writes a row on as many lines as its longest cell needs.
func writeWrapped(b *bytes.Buffer, row []string, widths []int) {
	columns := make([][]string, len(row))
	lines := 0
	for i, c := range row {
		columns[i] = wrapCell(c, widths[i])
		lines = max(lines, len(columns[i]))
	}
	for n := range lines {
		var line strings.Builder
		for i, parts := range columns {
			part := ""
			if n < len(parts) {
				part = parts[n]
			}
			line.WriteString(part + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(part)+gap))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// wrapCell breaks a cell at blanks, and a word that is longer at any place.
func wrapCell(c string, width int) []string {
	if utf8.RuneCountInString(c) <= width {
		return []string{c}
	}
	var lines []string
	for _, line := range Wrap(c, width) {
		r := []rune(line)
		for len(r) > width {
			lines, r = append(lines, string(r[:width])), r[width:]
		}
		lines = append(lines, string(r))
	}
	return lines
}

func (t *Table) widths() []int {
	widths := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	return widths
}

// gap is the blanks between two columns.
const gap = 2

// narrow takes from the widest column, the last of equals, until all fit.
func narrow(widths []int, limit int) {
	total := gap * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for ; total > limit && len(widths) > 1; total-- {
		widest := len(widths) - 1
		for i := widest - 1; i > 0; i-- {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		widths[widest]--
	}
}

// cut shortens a cell to n characters and says so.
func cut(c string, n int) string {
	if utf8.RuneCountInString(c) <= n {
		return c
	}
	return string([]rune(c)[:max(0, n-1)]) + "…"
}
