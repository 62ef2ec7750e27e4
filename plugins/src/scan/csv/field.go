package csv

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// fieldReader reads the fields of records.
type fieldReader struct {
	b         []byte
	delimiter byte
	repeated  uint64    // eight delimiters
	stops     [256]bool // bytes that end a field without quotes
}

func newFieldReader(b []byte, delimiter byte) fieldReader {
	r := fieldReader{b: b, delimiter: delimiter, repeated: uint64(delimiter) * ones}
	r.stops[delimiter], r.stops['\n'] = true, true
	return r
}

// Text is read eight bytes at a time.
const (
	ones = 0x0101010101010101
	tops = 0x80 * ones
)

// markStops sets the top bit of each byte of a word that is a delimiter or line feed.
func (r *fieldReader) markStops(word uint64) uint64 {
	x, y := word^r.repeated, word^'\n'*ones
	return ^((x&^tops + (tops - ones) | x) & (y&^tops + (tops - ones) | y)) & tops
}

// record reads the record at p. It stores the cells of as many fields as row has room
// for, and returns the number of fields and the offset of the line feed after them or
// of the end of the text. It adds the number of lines inside quotes to line.
func (r *fieldReader) record(p int, row []cell.Cell, line *int32) (fields, next int) {
	b := r.b
	for {
		var start, end int
		if p < len(b) && b[p] == '"' {
			start, end, next = r.field(p, line)
		} else if fields, start, next = r.unquoted(p, row, fields); next < 0 {
			p = start // a quote
			continue
		} else if end = next; end > start && b[end-1] == '\r' {
			end--
		}
		if fields < len(row) {
			row[fields] = cell.Cell{Start: int32(start), End: int32(end)}
		}
		if fields++; next == len(b) || b[next] == '\n' {
			return fields, next
		}
		p = next + 1
	}
}

// unquoted stores the fields from start on that end at a delimiter. It stops at a field
// that begins with a quote, with a negative next, or at the last field of the record,
// which it does not store.
func (r *fieldReader) unquoted(start int, row []cell.Cell, fields int) (count, last, next int) {
	b, p := r.b, start
	for p+8 <= len(b) {
		for hits := r.markStops(binary.LittleEndian.Uint64(b[p:])); hits != 0; hits &= hits - 1 {
			at := p + bits.TrailingZeros64(hits)>>3
			if b[at] == '\n' {
				return fields, start, at
			}
			if fields < len(row) {
				row[fields] = cell.Cell{Start: int32(start), End: int32(at)}
			}
			fields++
			if start = at + 1; start < len(b) && b[start] == '"' {
				return fields, start, -1
			}
		}
		p += 8
	}
	for ; p < len(b) && b[p] != '\n'; p++ {
		if b[p] != r.delimiter {
			continue
		}
		if fields < len(row) {
			row[fields] = cell.Cell{Start: int32(start), End: int32(p)}
		}
		fields++
		if start = p + 1; start < len(b) && b[start] == '"' {
			return fields, start, -1
		}
	}
	return fields, start, p
}

// field returns the span of the field at p, without its quotes, and the offset of the
// delimiter or line end after it. It adds the number of lines inside quotes to line. A
// quote without a closing quote before a delimiter or line end is an ordinary
// character.
func (r *fieldReader) field(p int, line *int32) (start, end, next int) {
	b := r.b
	if p < len(b) && b[p] == '"' {
		if end, next, ok := r.quoted(p); ok {
			if i := lines.IndexByte(b[p+1:end], '\n'); i >= 0 {
				*line += int32(bytes.Count(b[p+1+i:end], newline))
			}
			return p + 1, end, next
		}
	}
	next = r.findStop(p)
	end = next
	if end > p && b[end-1] == '\r' && (end == len(b) || b[end] == '\n') {
		end--
	}
	return p, end, next
}

// findStop returns the offset of the first delimiter or line feed from p on, or the end
// of the text.
func (r *fieldReader) findStop(p int) int {
	for ; p+8 <= len(r.b); p += 8 {
		if hits := r.markStops(binary.LittleEndian.Uint64(r.b[p:])); hits != 0 {
			return p + bits.TrailingZeros64(hits)>>3
		}
	}
	for p < len(r.b) && !r.stops[r.b[p]] {
		p++
	}
	return p
}

var newline = []byte("\n")

// quoted reads the field that begins with the quote at p. It returns the offset of the
// closing quote and of the delimiter or line end after it.
func (r *fieldReader) quoted(p int) (end, next int, ok bool) {
	b := r.b
	for p++; ; p += 2 {
		i := lines.IndexByte(b[p:], '"')
		if i < 0 {
			return 0, 0, false
		}
		p += i
		switch rest := b[p+1:]; {
		case len(rest) == 0 || rest[0] == r.delimiter || rest[0] == '\n':
			return p, p + 1, true
		case rest[0] == '\r' && (len(rest) == 1 || rest[1] == '\n'):
			return p, p + 2, true
		case rest[0] != '"':
			return 0, 0, false
		}
	}
}

// skipEmpty returns the offset of the first line from "at" on that is not empty, and
// adds the skipped lines to line.
func skipEmpty(b []byte, at int, line *int32) int {
	for at < len(b) {
		switch {
		case b[at] == '\n':
			at++
		case b[at] == '\r' && at+1 < len(b) && b[at+1] == '\n':
			at += 2
		default:
			return at
		}
		*line++
	}
	return at
}
