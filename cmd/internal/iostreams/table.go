package iostreams

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// Table prints rows in columns of minimal width, separated by two blanks, like kubectl.
// Cells are cleaned with Line.
type Table struct {
	header []string
	rows   [][]string
	fit    int  // maximum width of a line; 0: no limit
	wrap   bool // wrap long cells instead of truncating them
}

// NewTable returns a table with a header line.
func NewTable(header ...string) *Table { return &Table{header: header} }

// Row adds a row. An empty cell is printed as "-".
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

// Rows returns the cells as they are printed, without the header.
func (t *Table) Rows() [][]string { return t.rows }

// Fit truncates cells so that no line is longer than width, but never those of the first
// column. It returns t.
func (t *Table) Fit(width int) *Table {
	t.fit = width
	return t
}

// Wrap breaks cells into several lines, so that no line is longer than width; 0 means no
// limit. It returns t.
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

// writeLine writes the cells of a row in columns, without trailing blanks.
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

// writeWrapped writes a row on as many lines as needed.
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

// wrapCell breaks a cell at blanks, and words that are longer than width at any character.
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

// gap is the number of blanks between two columns.
const gap = 2

// narrow reduces the widest column, or the last one of equal width, until all fit. It does
// not reduce the first of several columns.
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

// cut truncates a cell to n characters, the last of which is an ellipsis.
func cut(c string, n int) string {
	if utf8.RuneCountInString(c) <= n {
		return c
	}
	return string([]rune(c)[:max(0, n-1)]) + "…"
}
