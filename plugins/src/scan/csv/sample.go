package csvscan

const (
	sampleRows  = 200
	sampleBytes = 1 << 16
	mostFields  = 4096
)

// sample is the start of a text read with one delimiter.
type sample struct {
	dialect
	rows, same int // records, and those with as many fields as most
	cells      [][]cell
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
	from, counts, memory := at, tally{}, []cell(nil)
	most := 0 // records with the same number of fields, of two or more
	for at = skipEmpty(c.b, at, &line); at < end && s.rows < sampleRows; at = skipEmpty(c.b, at, &line) {
		var row []cell
		next := 0
		row, next, memory = c.row(at, memory)
		if next == end && end < len(b) || row == nil {
			break
		}
		if s.rows == 0 { // room for as many records of that kind as there may be
			rows := min(sampleRows, (end-from)/(next-at+1)+1)
			s.cells, memory = make([][]cell, 0, rows), make([]cell, 0, rows*len(row))
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
func (c *cells) row(at int, memory []cell) (row []cell, next int, rest []cell) {
	from, line := len(memory), int32(0)
	fields, next := c.record(at, memory[from:cap(memory)], &line)
	if fields > mostFields {
		return nil, next, memory
	}
	if fields > cap(memory)-from { // the first one, and where later ones have more
		memory, from = make([]cell, 0, max(2*fields, 256)), 0
		c.record(at, memory[:cap(memory)], &line)
	}
	end := from + fields
	return memory[from:end:end], next, memory[:end]
}
