package csv

import "github.com/mcpctl/mcpctl/plugins/src/internal/cell"

const (
	sampleRows  = 200
	sampleBytes = 1 << 16
	maxFields   = 4096
)

// sample is the start of a text, read with one delimiter.
type sample struct {
	dialect
	rows, same int // records, and those with the most frequent number of fields
	cells      [][]cell.Cell
}

// takeSample reads whole records at the start of a text. It stops early when so many
// records have no other field, or an unusual number of fields, that the text is no
// table.
func takeSample(b []byte, at int, delimiter byte) sample {
	end, line := len(b), int32(0)
	if end-at > sampleBytes {
		end = at + sampleBytes
	}
	r := newFieldReader(b[:end], delimiter)
	s := sample{dialect: dialect{delimiter: delimiter}}
	from, counts, memory := at, fieldCounts{}, []cell.Cell(nil)
	most := 0 // records with the same number of fields, two or more
	for at = skipEmpty(r.b, at, &line); at < end && s.rows < sampleRows; at = skipEmpty(r.b, at, &line) {
		var row []cell.Cell
		next := 0
		row, next, memory = r.row(at, memory)
		if next == end && end < len(b) || row == nil {
			break
		}
		if s.rows == 0 { // allocate for all records, assuming that they are like the first
			rows := min(sampleRows, (end-from)/(next-at+1)+1)
			s.cells, memory = make([][]cell.Cell, 0, rows), make([]cell.Cell, 0, rows*len(row))
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

// maxOthers is the maximum number of records in a sample with an unusual number of fields.
const maxOthers = sampleRows / 10

// fieldCounts counts records by their number of fields.
type fieldCounts struct {
	few  [32]uint8
	many map[int]uint8
}

// add counts a record and returns how many have the same number of fields.
func (c *fieldCounts) add(fields int) int {
	if fields < len(c.few) {
		c.few[fields]++
		return int(c.few[fields])
	}
	if c.many == nil {
		c.many = make(map[int]uint8)
	}
	c.many[fields]++
	return int(c.many[fields])
}

// isIrregular reports whether the numbers of fields of the first records differ so much
// that takeSample would stop there, as in code and prose. It allocates nothing.
func (r *fieldReader) isIrregular(at int) bool {
	var counts fieldCounts
	line, most := int32(0), 0
	for rows := 1; rows <= 2*maxOthers; rows++ {
		if at = skipEmpty(r.b, at, &line); at == len(r.b) {
			return false
		}
		fields, next := r.record(at, nil, &line)
		if next == len(r.b) || fields >= len(counts.few) {
			return false // it may be truncated, or a table of many columns
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

// row reads the fields of a record into memory, of which it returns the rest. It
// returns nil if the record has more than maxFields.
func (r *fieldReader) row(at int, memory []cell.Cell) (row []cell.Cell, next int, rest []cell.Cell) {
	from, line := len(memory), int32(0)
	fields, next := r.record(at, memory[from:cap(memory)], &line)
	if fields > maxFields {
		return nil, next, memory
	}
	if fields > cap(memory)-from { // the first record, or one with more fields than it
		memory, from = make([]cell.Cell, 0, max(2*fields, 256)), 0
		r.record(at, memory[:cap(memory)], &line)
	}
	end := from + fields
	return memory[from:end:end], next, memory[:end]
}
