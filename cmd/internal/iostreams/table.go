package iostreams

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table prints rows in columns that are as wide as they need, two blanks apart,
// as kubectl does. Cells are cleaned; the last column may be any length.
type Table struct {
	header []string
	rows   [][]string
}

// NewTable makes a table with a header line.
func NewTable(header ...string) *Table { return &Table{header: header} }

// Row adds a row; an empty cell is printed as "-".
func (t *Table) Row(cells ...string) {
	for i, c := range cells {
		cells[i] = Line(c)
		if c == "" {
			cells[i] = "-"
		}
	}
	t.rows = append(t.rows, cells)
}

// Fprint writes the table.
func (t *Table) Fprint(w io.Writer) error {
	widths := t.widths()
	var b bytes.Buffer
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, c := range row {
			if i == len(row)-1 {
				b.WriteString(c)
				break
			}
			fmt.Fprintf(&b, "%s%s", c, strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+2))
		}
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
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
