package iostreams

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf8"
)

// Stream prints the rows of a table immediately. Columns become wider when a cell needs it.
type Stream struct {
	w      io.Writer
	widths []int
	fit    int
}

// Stream prints the header, with columns as wide as the rows of the table need, and returns
// a Stream for the rows.
func (t *Table) Stream(w io.Writer) (*Stream, error) {
	s := &Stream{w: w, widths: t.widths(), fit: t.fit}
	return s, s.Row(slices.Clone(t.header)...)
}

// Row prints one row, which may have fewer cells than the table has columns.
func (s *Stream) Row(cells ...string) error {
	for i, c := range clean(cells) {
		s.widths[i] = max(s.widths[i], utf8.RuneCountInString(c))
	}
	widths := slices.Clone(s.widths)
	if s.fit > 0 {
		narrow(widths, s.fit)
	}
	var b bytes.Buffer
	writeLine(&b, cells, widths)
	_, err := s.w.Write(b.Bytes())
	return err
}
