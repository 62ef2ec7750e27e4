package csv

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// Reader reads the records of delimited text, for stages that write them again.
//
//	for r.Next() {
type Reader struct {
	Delimiter byte
	Columns   int         // fields of most records
	HasHeader bool        // the first record names the columns
	Row       []cell.Cell // the cells of the record, without their quotes; valid until the next one

	fields fieldReader
	at     int
}

// NewReader returns a Reader of b. ok is false if b is no table; lenient is set if it is known to
// be one.
func NewReader(b []byte, lenient bool) (r *Reader, ok bool) {
	at := lines.Start(b)
	d, ok := guessDialect(b, at, lenient)
	return &Reader{Delimiter: d.delimiter, Columns: d.columns, HasHeader: d.header, fields: newFieldReader(b, d.delimiter), at: at}, ok
}

// Rewind continues with the first record.
func (r *Reader) Rewind() { r.at = lines.Start(r.fields.b) }

// Next reads the next record, empty lines skipped. It returns false at the end.
func (r *Reader) Next() bool {
	line := int32(0)
	at := skipEmpty(r.fields.b, r.at, &line)
	if at == len(r.fields.b) {
		return false
	}
	n, next := r.fields.record(at, r.Row[:cap(r.Row)], &line)
	if n > cap(r.Row) {
		r.Row = make([]cell.Cell, n)
		r.fields.record(at, r.Row, &line)
	}
	r.Row = r.Row[:n]
	r.at = min(next+1, len(r.fields.b))
	return true
}

// IsQuoted reports whether a cell has quotes around it.
func (r *Reader) IsQuoted(c cell.Cell) bool { return c.Start > 0 && r.fields.b[c.Start-1] == '"' }

// Bytes returns the text of a cell. Blanks around a cell without quotes are padding.
func (r *Reader) Bytes(c cell.Cell) []byte {
	text := r.fields.b[c.Start:c.End]
	if !r.IsQuoted(c) {
		return bytes.Trim(text, " ")
	}
	if bytes.IndexByte(text, '"') >= 0 {
		return bytes.ReplaceAll(text, []byte(`""`), []byte(`"`))
	}
	return text
}
