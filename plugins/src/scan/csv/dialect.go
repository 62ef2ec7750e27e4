package csv

import (
	"bytes"
	"encoding/binary"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// dialect is how a text is delimited.
type dialect struct {
	delimiter byte
	columns   int    // fields of most records
	header    bool   // the first record names the columns
	size      int    // average size of a record in bytes
	ragged    bool   // records have any number of fields
	names     [2]int // of a table in TOON: the span of the names of its columns
}

// guessDialect finds the delimiter that gives nearly all records at the start of a text
// the same number of fields. If lenient, the text is declared to be delimited.
func guessDialect(b []byte, at int, lenient bool) (dialect, bool) {
	var best sample
	for _, delimiter := range []byte(",\t;|") {
		if lines.IndexByte(b[at:min(len(b), at+sampleBytes)], delimiter) < 0 {
			continue
		}
		if first := newFieldReader(b[:min(len(b), at+sampleBytes)], delimiter); first.isIrregular(at) {
			continue
		}
		s := takeSample(b, at, delimiter)
		if s.columns < 2 || s.same*10 < s.rows*9 || !s.isLargeEnough(lenient) || !lenient && s.isOtherText(b) {
			continue
		}
		if best.rows == 0 || s.same*best.rows > best.same*s.rows || s.same*best.rows == best.same*s.rows && s.columns > best.columns {
			best = s
		}
	}
	if best.rows == 0 {
		return quotedDialect(b, at)
	}
	best.header = best.hasHeader(b)
	return best.dialect, true
}

// leastQuoted is the least number of records of a table that is known by its quotes.
const leastQuoted = 5

// quotedDialect returns the dialect of a table in which all fields are quoted. Its records may differ in their number
// of fields, but have at least two on average. It has the columns of the first record.
func quotedDialect(b []byte, at int) (d dialect, ok bool) {
	if at >= len(b) || b[at] != '"' {
		return d, false
	}
	first := lines.End(b, at)
	for _, delimiter := range []byte(",\t;|") {
		if !bytes.Contains(b[at:first], []byte{'"', delimiter, '"'}) {
			continue
		}
		end := min(len(b), at+sampleBytes)
		r, line := newFieldReader(b[:end], delimiter), int32(0)
		rows, fields, columns := 0, 0, 0
		from := at
		for from = skipEmpty(r.b, from, &line); from < end && rows < sampleRows; from = skipEmpty(r.b, from, &line) {
			n, next := r.record(from, nil, &line)
			if next == end && end < len(b) {
				break
			}
			if !isQuoted(b[from:next], delimiter) {
				return d, false
			}
			if rows++; rows == 1 {
				columns = n
			}
			fields, from = fields+n, min(next+1, end)
		}
		return dialect{delimiter: delimiter, columns: columns, header: true, size: max(1, (from-at)/max(1, rows)), ragged: true}, rows >= leastQuoted && fields >= 2*rows
	}
	return d, false
}

// isQuoted reports whether the fields of a record begin and end with quotes, as far as its ends and the marks between
// fields show. The last field may be empty.
func isQuoted(record []byte, delimiter byte) bool {
	record = bytes.TrimRight(record, "\r\n")
	record = bytes.TrimSuffix(record, []byte{delimiter})
	return len(record) > 1 && record[0] == '"' && record[len(record)-1] == '"'
}

// isLargeEnough reports whether so many records are unlikely to be alike by chance.
func (s *sample) isLargeEnough(lenient bool) bool {
	if lenient {
		return s.rows >= 2
	}
	return s.rows >= 3 && s.same*(s.columns-1) >= 8
}

// traits counts the records of a sample that look like code, markup or prose.
type traits struct {
	unbalanced, spaced, firstEmpty, lastEmpty, rules int
}

// countTraits counts the traits of a sample.
func (s *sample) countTraits(b []byte) (n traits) {
	for _, row := range s.cells {
		first, last := row[0], row[len(row)-1]
		if first.Start == first.End {
			n.firstEmpty++
		}
		if isBlank(b[last.Start:last.End]) {
			n.lastEmpty++
		}
		if isUnbalanced(b, row) {
			n.unbalanced++
		}
		if len(row) > 1 && b[min(int(row[1].Start), len(b)-1)] == ' ' {
			n.spaced++
		}
		if s.delimiter == '|' && len(bytes.Trim(b[first.Start:last.End], "-|: +")) == 0 {
			n.rules++
		}
	}
	return n
}

// isOtherText reports whether the sample is code, markup or prose that happens to have
// the same number of commas on each line.
func (s *sample) isOtherText(b []byte) bool {
	if s.isIndented(b) {
		return true
	}
	n, t := s.rows, s.countTraits(b)
	switch {
	case t.unbalanced*5 > n, t.firstEmpty*2 > n && s.delimiter == '\t', t.rules > 0:
		return true
	case s.columns == 2 && t.lastEmpty*2 > n, s.delimiter == ';' && t.lastEmpty*10 > n*9 && s.columns < 4:
		return true
	case t.spaced*2 > n && (s.columns < 4 || t.lastEmpty*2 > n) && s.delimiter != '\t' && s.delimiter != '|':
		return true
	}
	return s.isWordy(b)
}

// isIndented reports whether many lines begin like code, markup or list items.
func (s *sample) isIndented(b []byte) bool {
	n := 0
	for _, row := range s.cells {
		start := b[row[0].Start]
		switch start {
		case ' ', '{', '}', '(', ')', '<', '>', '*', '|', '/':
			n++
		case '\t':
			if s.delimiter != '\t' {
				n++
			}
		case '-', '+', '#':
			if text := b[row[0].Start:]; len(text) > 1 && text[1] == ' ' { // a list item
				n++
			}
		}
	}
	return n*5 > s.rows
}

// isBlank reports whether a field contains only white space.
func isBlank(field []byte) bool {
	for _, c := range field {
		if c > ' ' && c < 0x80 {
			return false
		}
	}
	return len(bytes.TrimSpace(field)) == 0
}

// isUnbalanced reports whether brackets open in one field and close in another.
func isUnbalanced(b []byte, row []cell.Cell) bool {
	if !hasBracket(b[row[0].Start:row[len(row)-1].End]) {
		return false
	}
	for _, f := range row {
		sum := int64(0)
		for _, c := range b[f.Start:f.End] {
			sum += brackets[c]
		}
		if sum != 0 && (f.Start == 0 || b[f.Start-1] != '"') {
			return true
		}
	}
	return false
}

// brackets holds a number for each bracket. Their sum is 0 where each kind of bracket
// closes as often as it opens.
var brackets = [256]int64{'(': 1, ')': -1, '[': 1 << 20, ']': -1 << 20, '{': 1 << 40, '}': -1 << 40}

// hasBracket reports whether a text contains a bracket. It reads eight bytes at a time.
func hasBracket(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		word := binary.LittleEndian.Uint64(b)
		low := word | 0x20*ones // turns [ into { and ] into }
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

// isWordy reports whether all columns hold phrases, like clauses between commas.
func (s *sample) isWordy(b []byte) bool {
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
			if f.Start > 0 && b[f.Start-1] == '"' {
				return false
			}
			for _, c := range bytes.TrimSpace(b[f.Start:f.End]) {
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

// hasHeader reports whether the first record names the columns: each field is a text
// that does not occur again in its column, and either a column below holds numbers or
// times, or all fields are short names.
func (s *sample) hasHeader(b []byte) bool {
	if len(s.cells) < 2 || len(s.cells[0]) != s.columns {
		return false
	}
	empty, sure := 0, false
	for i, f := range s.cells[0] {
		name := bytes.TrimSpace(b[f.Start:f.End])
		if len(name) == 0 {
			empty++
			continue
		}
		if len(name) > 60 || kindOf(name) != text || s.occursAgain(b, i, name) {
			return false
		}
		sure = sure || s.isTyped(b, i)
	}
	return empty*4 <= s.columns && (sure || s.hasNames(b))
}

// occursAgain reports whether a cell below the first one of column i is name.
func (s *sample) occursAgain(b []byte, i int, name []byte) bool {
	for _, row := range s.cells[1:] {
		if i < len(row) && row[i].Size() == len(name) && bytes.Equal(b[row[i].Start:row[i].End], name) {
			return true
		}
	}
	return false
}

// isTyped reports whether most cells of column i are numbers, booleans or times.
func (s *sample) isTyped(b []byte, i int) bool {
	n, all := 0, 0
	for _, row := range s.cells[1:] {
		if i >= len(row) || row[i].Size() == 0 {
			continue
		}
		all++
		if kindOf(b[row[i].Start:row[i].End]) != text {
			n++
		}
	}
	return n*5 > all*4 && all > 0
}

// hasNames reports whether all cells of the first record are short names: few words of
// letters, digits and the signs of identifiers.
func (s *sample) hasNames(b []byte) bool {
	for _, f := range s.cells[0] {
		name := bytes.TrimSpace(b[f.Start:f.End])
		if bytes.Count(name, []byte(" ")) > 3 || bytes.ContainsAny(name, "/@<>{}\\*=") {
			return false
		}
	}
	return true
}
