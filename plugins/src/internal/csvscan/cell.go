package csvscan

import "bytes"

// cells reads the fields of a text.
type cells struct {
	b         []byte
	delimiter byte
	stops     [256]bool // what ends a field without quotes
}

func newCells(b []byte, delimiter byte) cells {
	c := cells{b: b, delimiter: delimiter}
	c.stops[delimiter], c.stops['\n'] = true, true
	return c
}

// field returns the span of what the field at p holds, without its quotes, and
// where the delimiter or line end after it stands. Lines inside quotes are added
// to line. A quote that is not closed before a delimiter or line end is a
// character like others.
func (c *cells) field(p int, line *int32) (start, end, next int) {
	b := c.b
	if p < len(b) && b[p] == '"' {
		if end, next, ok := c.quoted(p); ok {
			if i := bytes.IndexByte(b[p+1:end], '\n'); i >= 0 {
				*line += int32(bytes.Count(b[p+1+i:end], newline))
			}
			return p + 1, end, next
		}
	}
	for next = p; next < len(b) && !c.stops[b[next]]; next++ {
	}
	end = next
	if end > p && b[end-1] == '\r' && (end == len(b) || b[end] == '\n') {
		end--
	}
	return p, end, next
}

var newline = []byte("\n")

// quoted reads the field that begins with the quote at p.
func (c *cells) quoted(p int) (end, next int, ok bool) {
	b := c.b
	for p++; ; p += 2 {
		i := bytes.IndexByte(b[p:], '"')
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
