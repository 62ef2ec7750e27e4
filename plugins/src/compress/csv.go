package compress

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/scan/csv"
)

// compactCSV returns delimited text without padding and quotes that are not needed. Columns
// with one value in all records are stated once, in a line above the table. ok is false if b is
// no table.
func compactCSV(b []byte) (out []byte, ok bool) {
	r, ok := csv.NewReader(b, true)
	if !ok || r.Columns < 2 {
		return nil, false
	}
	w := csvWriter{Reader: r, out: make([]byte, 0, len(b))}
	w.survey()
	w.stateConstants()
	for r.Rewind(); r.Next(); {
		w.writeRow()
	}
	return w.out, true
}

// csvWriter writes the records of a table.
type csvWriter struct {
	*csv.Reader
	out       []byte
	header    [][]byte
	first     [][]byte // values of the first record
	constant  []bool   // by column: it is stated above the table
	rows      int      // without the header
	keepEmpty bool     // "" may differ from an empty cell, because there are both
}

const (
	minConstantRows   = 3
	maxConstantValue  = 200 // bytes of a value that is stated above the table
	maxConstantColumn = 1 << 12
)

// survey finds the columns with one value in all records. There are none if records have
// different numbers of fields.
func (w *csvWriter) survey() {
	quoted, unquoted := false, false // there are such empty cells
	regular := w.Columns <= maxConstantColumn
	for w.Next() {
		regular = regular && len(w.Row) == w.Columns
		for _, c := range w.Row {
			if c.Size() == 0 {
				quoted, unquoted = quoted || w.IsQuoted(c), unquoted || !w.IsQuoted(c)
			}
		}
		switch {
		case w.HasHeader && w.header == nil:
			w.header = w.values()
		case w.first == nil:
			w.rows++
			w.first = w.values()
			w.constant = make([]bool, len(w.first))
			for i, v := range w.first {
				w.constant[i] = len(v) <= maxConstantValue && bytes.IndexByte(v, '\n') < 0
			}
		default:
			w.rows++
			w.compare()
		}
	}
	w.keepEmpty = quoted && unquoted
	for i := range w.constant {
		w.constant[i] = w.constant[i] && !(w.keepEmpty && len(w.first[i]) == 0) // they may be of both kinds
	}
	if !regular || w.rows < minConstantRows || !slices.Contains(w.constant, false) {
		clear(w.constant)
	}
}

// compare notes which cells of a record differ from the first record.
func (w *csvWriter) compare() {
	for i, c := range w.Row[:min(len(w.Row), len(w.constant))] {
		if w.constant[i] && !bytes.Equal(w.Bytes(c), w.first[i]) {
			w.constant[i] = false
		}
	}
}

// values returns the values of the record.
func (w *csvWriter) values() [][]byte {
	out := make([][]byte, len(w.Row))
	for i, c := range w.Row {
		out[i] = w.Bytes(c)
	}
	return out
}

// stateConstants writes a line with the names and values of the constant columns, if that is
// shorter than the columns.
func (w *csvWriter) stateConstants() {
	line := []byte(csv.Shared)
	saved, seen := 0, make(map[string]bool)
	for i, is := range w.constant {
		name := w.nameOf(i)
		if seen[name] {
			clear(w.constant)
			return // values could not be assigned to their columns
		}
		seen[name] = true
		if !is {
			continue
		}
		if saved > 0 {
			line = append(line, w.Delimiter)
		}
		line = w.appendValue(line, slices.Concat([]byte(name), []byte("="), w.first[i]))
		saved += (len(w.first[i])+1)*w.rows + len(name)
	}
	if saved <= len(line) {
		clear(w.constant)
		return
	}
	w.out = append(append(w.out, line...), '\n')
}

// nameOf returns the name of a column: c and its number if it has none.
func (w *csvWriter) nameOf(i int) string {
	if i < len(w.header) && len(w.header[i]) > 0 {
		return string(w.header[i])
	}
	return "c" + strconv.Itoa(i+1)
}

// writeRow writes the record without the constant columns.
func (w *csvWriter) writeRow() {
	start := len(w.out)
	fields := 0
	for i, c := range w.Row {
		if i < len(w.constant) && w.constant[i] {
			continue
		}
		if fields++; fields > 1 {
			w.out = append(w.out, w.Delimiter)
		}
		w.writeCell(c)
	}
	if len(w.out) == start { // a line without text is no record
		w.out = append(w.out, `""`...)
	}
	w.out = append(w.out, '\n')
}

func (w *csvWriter) writeCell(c cell.Cell) {
	text := w.Bytes(c)
	switch {
	case !w.IsQuoted(c):
		w.out = append(w.out, text...)
	case len(text) == 0 && w.keepEmpty:
		w.out = append(w.out, `""`...)
	default:
		w.out = w.appendValue(w.out, text)
	}
}

// appendValue appends a value, with quotes if it needs them.
func (w *csvWriter) appendValue(dst, text []byte) []byte {
	if len(text) == 0 || text[0] > ' ' && text[len(text)-1] > ' ' && bytes.IndexByte(text, w.Delimiter) < 0 && !bytes.ContainsAny(text, "\"\r\n") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for _, c := range text {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}
