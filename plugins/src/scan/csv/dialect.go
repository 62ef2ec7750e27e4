package csvscan

import (
	"bytes"
	"encoding/binary"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// dialect is how a text is delimited.
type dialect struct {
	delimiter byte
	columns   int  // fields of most records
	header    bool // the first record names the columns
	size      int  // bytes of a record on average
}

// guess finds the delimiter that gives nearly all records of the start of a text
// the same number of fields. Lenient: the text is said to be delimited.
func guess(b []byte, at int, lenient bool) (dialect, bool) {
	var best sample
	for _, delimiter := range []byte(",\t;|") {
		if lines.IndexByte(b[at:min(len(b), at+sampleBytes)], delimiter) < 0 {
			continue
		}
		if first := newCells(b[:min(len(b), at+sampleBytes)], delimiter); first.differ(at) {
			continue
		}
		s := take(b, at, delimiter)
		if s.columns < 2 || s.same*10 < s.rows*9 || !s.enough(lenient) || !lenient && s.looksOtherwise(b) {
			continue
		}
		if best.rows == 0 || s.same*best.rows > best.same*s.rows || s.same*best.rows == best.same*s.rows && s.columns > best.columns {
			best = s
		}
	}
	if best.rows == 0 {
		return dialect{}, false
	}
	best.header = best.hasHeader(b)
	return best.dialect, true
}

// enough reports whether the records are too many to be alike by chance.
func (s *sample) enough(lenient bool) bool {
	if lenient {
		return s.rows >= 2
	}
	return s.rows >= 3 && s.same*(s.columns-1) >= 8
}

// looksOtherwise reports whether what the sample holds is code, markup or prose
// that happens to have as many commas on each line.
func (s *sample) looksOtherwise(b []byte) bool {
	if s.indented(b) {
		return true
	}
	open, spaced, firstEmpty, lastEmpty, rule := 0, 0, 0, 0, 0
	for _, row := range s.cells {
		first, last := row[0], row[len(row)-1]
		if first.start == first.end {
			firstEmpty++
		}
		if isBlank(b[last.start:last.end]) {
			lastEmpty++
		}
		if unbalanced(b, row) {
			open++
		}
		if len(row) > 1 && b[min(int(row[1].start), len(b)-1)] == ' ' {
			spaced++
		}
		if s.delimiter == '|' && len(bytes.Trim(b[first.start:last.end], "-|: +")) == 0 {
			rule++
		}
	}
	n := s.rows
	switch {
	case open*5 > n, firstEmpty*2 > n && s.delimiter == '\t', rule > 0:
		return true
	case s.columns == 2 && lastEmpty*2 > n, s.delimiter == ';' && lastEmpty*10 > n*9 && s.columns < 4:
		return true
	case spaced*2 > n && (s.columns < 4 || lastEmpty*2 > n) && s.delimiter != '\t' && s.delimiter != '|':
		return true
	}
	return s.wordy(b)
}

// indented reports whether many lines begin as those of code, markup or lists do.
func (s *sample) indented(b []byte) bool {
	n := 0
	for _, row := range s.cells {
		start := b[row[0].start]
		switch start {
		case ' ', '{', '}', '(', ')', '<', '>', '*', '|', '/':
			n++
		case '\t':
			if s.delimiter != '\t' {
				n++
			}
		case '-', '+', '#':
			if text := b[row[0].start:]; len(text) > 1 && text[1] == ' ' { // the mark of a list
				n++
			}
		}
	}
	return n*5 > s.rows
}

// isBlank reports whether a field has nothing but white space.
func isBlank(field []byte) bool {
	for _, c := range field {
		if c > ' ' && c < 0x80 {
			return false
		}
	}
	return len(bytes.TrimSpace(field)) == 0
}

// unbalanced reports whether brackets open in one field and close in another.
func unbalanced(b []byte, row []cell) bool {
	if !hasBracket(b[row[0].start:row[len(row)-1].end]) {
		return false
	}
	for _, f := range row {
		sum := int64(0)
		for _, c := range b[f.start:f.end] {
			sum += brackets[c]
		}
		if sum != 0 && (f.start == 0 || b[f.start-1] != '"') {
			return true
		}
	}
	return false
}

// brackets are what bytes add to a sum that is 0 where as many brackets of each kind
// close as open.
var brackets = [256]int64{'(': 1, ')': -1, '[': 1 << 20, ']': -1 << 20, '{': 1 << 40, '}': -1 << 40}

// hasBracket reports whether a text has a bracket, eight bytes at once.
func hasBracket(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		word := binary.LittleEndian.Uint64(b)
		low := word | 0x20*ones // [ is {, ] is } then
		x, y, z := (word|ones)^')'*ones, low^'{'*ones, low^'}'*ones
		if ((x-ones)&^x|(y-ones)&^y|(z-ones)&^z)&tops != 0 {
			return true
		}
	}
	for _, c := range b {
		if brackets[c] != 0 {
			return true
		}
	}
	return false
}

// wordy reports whether all columns hold phrases: clauses between commas.
func (s *sample) wordy(b []byte) bool {
	if s.delimiter == '\t' {
		return false
	}
	for i := range s.columns {
		blanks, cells := 0, 0
		for _, row := range s.cells {
			if len(row) != s.columns {
				continue
			}
			f := row[i]
			if f.start > 0 && b[f.start-1] == '"' {
				return false
			}
			for _, c := range bytes.TrimSpace(b[f.start:f.end]) {
				if c == ' ' {
					blanks++
				}
			}
			cells++
		}
		if blanks < cells {
			return false
		}
	}
	return true
}

// hasHeader reports whether the first record names columns: words in each, over
// a column of numbers or times, or such as none of its column has again.
func (s *sample) hasHeader(b []byte) bool {
	if len(s.cells) < 2 || len(s.cells[0]) != s.columns {
		return false
	}
	empty, sure := 0, false
	for i, f := range s.cells[0] {
		name := bytes.TrimSpace(b[f.start:f.end])
		if len(name) == 0 {
			empty++
			continue
		}
		if len(name) > 60 || kindOf(name) != text {
			return false
		}
		if s.again(b, i, name) {
			return false
		}
		sure = sure || s.others(b, i)
	}
	return empty*4 <= s.columns && (sure || s.named(b))
}

// again reports whether the first cell of column i stands in another record, too.
func (s *sample) again(b []byte, i int, name []byte) bool {
	for _, row := range s.cells[1:] {
		if i < len(row) && row[i].size() == len(name) && bytes.Equal(b[row[i].start:row[i].end], name) {
			return true
		}
	}
	return false
}

// others reports whether column i holds mostly what is no text.
func (s *sample) others(b []byte, i int) bool {
	n, all := 0, 0
	for _, row := range s.cells[1:] {
		if i >= len(row) || row[i].size() == 0 {
			continue
		}
		all++
		if kindOf(b[row[i].start:row[i].end]) != text {
			n++
		}
	}
	return n*5 > all*4 && all > 0
}

// named reports whether the cells of the first record are all short names: a
// few letters, digits and the signs of identifiers.
func (s *sample) named(b []byte) bool {
	for _, f := range s.cells[0] {
		name := bytes.TrimSpace(b[f.start:f.end])
		if bytes.Count(name, []byte(" ")) > 3 || bytes.ContainsAny(name, "/@<>{}\\*=") {
			return false
		}
	}
	return true
}
