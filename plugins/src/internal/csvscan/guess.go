package csvscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// dialect is how a text is delimited.
type dialect struct {
	delimiter byte
	columns   int  // fields of most records
	header    bool // the first record names the columns
	size      int  // bytes of a record on average
}

const (
	sampleRows  = 200
	sampleBytes = 1 << 16
	mostFields  = 4096
)

// sample is the start of a text read with one delimiter.
type sample struct {
	dialect
	rows, same int // records, and those with as many fields as most
	cells      [][]span
}

type span struct{ start, end int }

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

// take reads the start of a text, whole records only. It ends where so many have no
// other field, or not as many as most, that it is no table: in other text soon.
func take(b []byte, at int, delimiter byte) sample {
	end, line := len(b), int32(0)
	if end-at > sampleBytes {
		end = at + sampleBytes
	}
	c := newCells(b[:end], delimiter)
	s := sample{dialect: dialect{delimiter: delimiter}}
	from, counts, memory := at, tally{}, make([]span, 0, 256)
	most := 0 // records with the same number of fields, of two or more
	for at = skipEmpty(c.b, at, &line); at < end && s.rows < sampleRows; at = skipEmpty(c.b, at, &line) {
		var row []span
		next := 0
		row, next, memory = c.row(at, memory)
		if next == end && end < len(b) || row == nil {
			break
		}
		s.cells, s.rows, at = append(s.cells, row), s.rows+1, min(next+1, end)
		n := counts.add(len(row))
		if n > s.same || n == s.same && len(row) > s.columns {
			s.columns, s.same = len(row), n
		}
		if n > most && len(row) > 1 {
			most = n
		} else if s.rows-most > maxOthers {
			break
		}
	}
	s.size = max(1, (at-from)/max(1, s.rows))
	return s
}

// maxOthers is how many records of a sample may have another number of fields than most.
const maxOthers = sampleRows / 10

// tally counts records by their number of fields.
type tally struct {
	few  [32]uint8
	many map[int]uint8
}

// add counts one more, and returns how many there are of the same.
func (t *tally) add(fields int) int {
	if fields < len(t.few) {
		t.few[fields]++
		return int(t.few[fields])
	}
	if t.many == nil {
		t.many = make(map[int]uint8)
	}
	t.many[fields]++
	return int(t.many[fields])
}

// differ reports whether the first records have so many numbers of fields that take
// would end there. In code and prose they do, and nothing is noted for that.
func (c *cells) differ(at int) bool {
	var counts tally
	line, most := int32(0), 0
	for rows := 1; rows <= 2*maxOthers; rows++ {
		if at = skipEmpty(c.b, at, &line); at == len(c.b) {
			return false
		}
		fields, next := c.record(at, nil, &line)
		if next == len(c.b) || fields >= len(counts.few) {
			return false // it may be cut off, or a table of that many
		}
		if n := counts.add(fields); n > most && fields > 1 {
			most = n
		} else if rows-most > maxOthers {
			return true
		}
		at = next + 1
	}
	return false
}

// row reads the fields of a record into memory, of which it returns the rest; nil
// if they are more than any table has.
func (c *cells) row(at int, memory []span) (row []span, next int, rest []span) {
	from := len(memory)
	for line := int32(0); len(memory)-from < mostFields; at = next + 1 {
		start, end := 0, 0
		start, end, next = c.field(at, &line)
		memory = append(memory, span{start, end})
		if next == len(c.b) || c.b[next] == '\n' {
			return memory[from:len(memory):len(memory)], next, memory
		}
	}
	return nil, at, memory
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
		if len(bytes.TrimSpace(b[last.start:last.end])) == 0 {
			lastEmpty++
		}
		if unbalanced(b, row) {
			open++
		}
		if len(row) > 1 && b[min(row[1].start, len(b)-1)] == ' ' {
			spaced++
		}
		if len(bytes.Trim(b[first.start:last.end], "-|: +")) == 0 {
			rule++
		}
	}
	n := s.rows
	switch {
	case open*5 > n, firstEmpty*2 > n && s.delimiter == '\t', rule > 0 && s.delimiter == '|':
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
		if start == ' ' || start == '\t' && s.delimiter != '\t' || bytes.IndexByte([]byte("{}()<>*|/"), start) >= 0 || hasListMark(b[row[0].start:]) {
			n++
		}
	}
	return n*5 > s.rows
}

func hasListMark(line []byte) bool {
	return len(line) > 1 && line[1] == ' ' && bytes.IndexByte([]byte("-*+#>"), line[0]) >= 0
}

// unbalanced reports whether brackets open in one field and close in another.
func unbalanced(b []byte, row []span) bool {
	for _, f := range row {
		if f.start > 0 && b[f.start-1] == '"' {
			continue
		}
		round, square, curly := 0, 0, 0
		for _, c := range b[f.start:f.end] {
			switch c {
			case '(':
				round++
			case ')':
				round--
			case '[':
				square++
			case ']':
				square--
			case '{':
				curly++
			case '}':
				curly--
			}
		}
		if round != 0 || square != 0 || curly != 0 {
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
	blanks, cells := make([]int, s.columns), make([]int, s.columns)
	for _, row := range s.cells {
		if len(row) != s.columns {
			continue
		}
		for i, f := range row {
			if f.start > 0 && b[f.start-1] == '"' {
				return false
			}
			blanks[i] += bytes.Count(bytes.TrimSpace(b[f.start:f.end]), []byte(" "))
			cells[i]++
		}
	}
	for i, n := range blanks {
		if n < cells[i] {
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
		others, again := s.under(b, i, name)
		if again {
			return false
		}
		sure = sure || others
	}
	return empty*4 <= s.columns && (sure || s.named(b))
}

// under reports whether column i holds mostly what is no text, and whether the
// first cell of it occurs again.
func (s *sample) under(b []byte, i int, name []byte) (others, again bool) {
	n, all := 0, 0
	for _, row := range s.cells[1:] {
		if i >= len(row) || row[i].start == row[i].end {
			continue
		}
		cell := b[row[i].start:row[i].end]
		all++
		if kindOf(cell) != text {
			n++
		}
		if bytes.Equal(cell, name) {
			return false, true
		}
	}
	return n*5 > all*4 && all > 0, false
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
