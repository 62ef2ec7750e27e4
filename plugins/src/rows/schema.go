package rows

import (
	"bytes"
	"strconv"
	"strings"
)

const (
	MaxListed = 4 // values of a column that a schema line lists

	maxSchema = 480 // bytes of a schema line: well below a third of an index
)

// Schema builds the line that describes the columns of a table:
//
//	fields: id text unique | kind text a/b | x, y int 0..29
type Schema struct {
	Separate bool // columns never share a description

	line []byte
	head int // bytes before the first column
	last int // offset of the description of the last column
	full bool
}

// NewSchema returns a Schema that begins with head, such as "fields: ".
func NewSchema(head string) *Schema {
	s := &Schema{}
	s.Reset(head)
	return s
}

// Reset removes all columns. The next line uses the memory of the last one.
func (s *Schema) Reset(head string) {
	if s.line == nil {
		s.line = make([]byte, 0, 2*maxSchema)
	}
	*s = Schema{line: append(s.line[:0], head...), head: len(head)}
}

// Add adds a column. Its name must be one line; see package caption. Neighbouring
// columns of the same description share it, unless Separate is set. Add reports
// whether there is room for further columns.
func (s *Schema) Add(name []byte, appendDescription func(dst []byte) []byte) bool {
	if s.full {
		return false
	}
	end, first := len(s.line), len(s.line) == s.head
	if !first {
		s.line = append(s.line, " | "...)
	}
	start := len(s.line)
	s.line = append(append(s.line, name...), ' ')
	about := len(s.line)
	s.line = appendDescription(s.line)
	if !first && !s.Separate && bytes.Equal(s.line[about:], s.line[s.last:end]) {
		end = s.last - len(" ")
		s.line = append(append(s.line[:end], ", "...), s.line[start:]...)
		about -= start - end - len(", ")
	}
	if s.last = about; len(s.line) > maxSchema {
		s.line, s.full = append(s.line[:end], " | ..."...), true
	}
	return !s.full
}

// Finish returns the line, empty if there are no columns. omitted is the number of
// columns that were not added.
func (s *Schema) Finish(omitted int) string {
	switch {
	case len(s.line) == s.head:
		return ""
	case omitted > 0 && !s.full:
		s.line = append(strconv.AppendInt(append(s.line, " | "...), int64(omitted), 10), " more"...)
	}
	return string(s.line)
}

// Values describes the values of a column for a Schema.
type Values struct {
	Type     string // "text", "bool", "int", "number"
	Rows     int
	Distinct int             // number of distinct values
	Many     bool            // there are more of them than Distinct
	List     func() []string // captions of the distinct values, called if they are few
	Range    func() string   // range of numbers; nil if it is not wanted
}

// Append appends how the values are distributed: that all of them differ, the values
// themselves, their range or their number. It appends a blank first, and nothing if
// none of these is informative.
func (v *Values) Append(dst []byte) []byte {
	if text := v.text(); text != "" {
		dst = append(append(dst, ' '), text...)
	}
	return dst
}

func (v *Values) text() string {
	switch {
	case v.Type == "text" && !v.Many && v.Distinct > 1 && v.Distinct == v.Rows:
		return "unique"
	case v.Distinct >= 1 && v.Distinct <= MaxListed && v.Type != "number":
		if s := joinValues(v.List()); s != "" {
			return s
		}
	}
	switch {
	case v.Range != nil && (v.Type == "int" || v.Type == "number"):
		return v.Range()
	case !v.Many && v.Distinct > 1 && v.Distinct*4 <= v.Rows:
		return strconv.Itoa(v.Distinct) + " values"
	}
	return ""
}

// joinValues returns the values separated by slashes, empty if that is too long.
func joinValues(values []string) string {
	if s := strings.Join(values, "/"); len(s) <= MaxID*len(values)/2 && len(s) <= MaxID {
		return s
	}
	return ""
}

// Range returns the lowest and the highest value as they are written, empty if one is
// too long.
func Range(low, high []byte) string {
	if len(low) > MaxID || len(high) > MaxID {
		return ""
	}
	return string(low) + ".." + string(high)
}

// AppendShare appends in per cent how many of all rows have a value, nothing if all
// or none have one.
func AppendShare(dst []byte, n, all int) []byte {
	if n <= 0 || n >= all {
		return dst
	}
	return append(strconv.AppendInt(append(dst, ' '), int64(max(1, n*100/all)), 10), '%')
}
