package csvscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// cells reads the fields of a text.
type cells struct {
	b         []byte
	delimiter byte
	repeated  uint64    // eight delimiters
	stops     [256]bool // what ends a field without quotes
}

func newCells(b []byte, delimiter byte) cells {
	c := cells{b: b, delimiter: delimiter, repeated: uint64(delimiter) * ones}
	c.stops[delimiter], c.stops['\n'] = true, true
	return c
}

// Eight bytes are looked at in one go.
const (
	ones = 0x0101010101010101
	tops = 0x80 * ones
)

// stopsIn marks each delimiter and line feed among the eight bytes of a word, by
// the top bit of its byte.
func (c *cells) stopsIn(word uint64) uint64 {
	x, y := word^c.repeated, word^'\n'*ones
	return ^((x&^tops + (tops - ones) | x) & (y&^tops + (tops - ones) | y)) & tops
}

// record finds the fields of the record at p, of which it notes as many as there
// is room for in row, and returns how many there are and where the line feed after
// them stands or the text ends. Lines inside quotes are added to line.
func (c *cells) record(p int, row []cell, line *int32) (fields, next int) {
	b := c.b
	for {
		var start, end int
		if p < len(b) && b[p] == '"' {
			start, end, next = c.field(p, line)
		} else if fields, start, next = c.plain(p, row, fields); next < 0 {
			p = start // a quote
			continue
		} else if end = next; end > start && b[end-1] == '\r' {
			end--
		}
		if fields < len(row) {
			row[fields] = cell{int32(start), int32(end)}
		}
		if fields++; next == len(b) || b[next] == '\n' {
			return fields, next
		}
		p = next + 1
	}
}

// plain notes the fields from start on that end at a delimiter. It ends where a
// field begins with a quote, and next is negative then, or with the last field
// of the record, which is left to the caller.
func (c *cells) plain(start int, row []cell, fields int) (count, last, next int) {
	b, p := c.b, start
	for p+8 <= len(b) {
		for hits := c.stopsIn(binary.LittleEndian.Uint64(b[p:])); hits != 0; hits &= hits - 1 {
			at := p + bits.TrailingZeros64(hits)>>3
			if b[at] == '\n' {
				return fields, start, at
			}
			if fields < len(row) {
				row[fields] = cell{int32(start), int32(at)}
			}
			fields++
			if start = at + 1; start < len(b) && b[start] == '"' {
				return fields, start, -1
			}
		}
		p += 8
	}
	for ; p < len(b) && b[p] != '\n'; p++ {
		if b[p] != c.delimiter {
			continue
		}
		if fields < len(row) {
			row[fields] = cell{int32(start), int32(p)}
		}
		fields++
		if start = p + 1; start < len(b) && b[start] == '"' {
			return fields, start, -1
		}
	}
	return fields, start, p
}

// field returns the span of what the field at p holds, without its quotes, and
// where the delimiter or line end after it stands. Lines inside quotes are added
// to line. A quote that is not closed before a delimiter or line end is a
// character like others.
func (c *cells) field(p int, line *int32) (start, end, next int) {
	b := c.b
	if p < len(b) && b[p] == '"' {
		if end, next, ok := c.quoted(p); ok {
			if i := lines.IndexByte(b[p+1:end], '\n'); i >= 0 {
				*line += int32(bytes.Count(b[p+1+i:end], newline))
			}
			return p + 1, end, next
		}
	}
	next = c.stop(p)
	end = next
	if end > p && b[end-1] == '\r' && (end == len(b) || b[end] == '\n') {
		end--
	}
	return p, end, next
}

// stop is where the first delimiter or line feed from p on stands, or the end.
func (c *cells) stop(p int) int {
	for ; p+8 <= len(c.b); p += 8 {
		if hits := c.stopsIn(binary.LittleEndian.Uint64(c.b[p:])); hits != 0 {
			return p + bits.TrailingZeros64(hits)>>3
		}
	}
	for p < len(c.b) && !c.stops[c.b[p]] {
		p++
	}
	return p
}

var newline = []byte("\n")

// quoted reads the field that begins with the quote at p.
func (c *cells) quoted(p int) (end, next int, ok bool) {
	b := c.b
	for p++; ; p += 2 {
		i := lines.IndexByte(b[p:], '"')
		if i < 0 {
			return 0, 0, false
		}
		p += i
		switch rest := b[p+1:]; {
		case len(rest) == 0 || rest[0] == c.delimiter || rest[0] == '\n':
			return p, p + 1, true
		case rest[0] == '\r' && (len(rest) == 1 || rest[1] == '\n'):
			return p, p + 2, true
		case rest[0] != '"':
			return 0, 0, false
		}
	}
}
