// Package logscan finds the records of logs as byte spans.
//
// A record begins with a line that has a time where most lines have it, and goes
// on over the lines that have none, such as those of a stack trace. Records are
// grouped by their times, or where those run both ways by their levels. Where no
// line has a time, records begin with a level. What colors a terminal is looked
// past.
package logscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
)

// Hints are the extensions and media types that claim a log.
const Hints = "log text/x-log"

// Scan is the part.Scan of logs: times at the same place of most lines that are
// no continuation of others, or else levels.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	at := len(b) - len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))
	lenient := c.Forced || len(c.File) > 4 && bytes.EqualFold([]byte(c.File[len(c.File)-4:]), []byte(".log"))
	text := b
	if isColored(b) {
		text = colorless(b)
	}
	f, ok := guess(text, at, lenient)
	if !ok {
		f, ok = guessLead(text, at, lenient)
	}
	if !ok {
		return nil, false
	}
	l := newLog(text, f)
	if !l.read(at, lenient) {
		return nil, false
	}
	if l.place = l.start; len(text) < len(b) {
		l.place = placed(b, at, l.line)
	}
	return l.doc(), true
}

// log is a text as records.
type log struct {
	b      []byte // without what colors it
	f      format
	head   int // where the lines before the first record begin
	start  []int32
	place  []int32 // where each begins in the text as it came
	line   []int32 // the number of its first line
	stamps []times.Stamp
	levels []level
	clocks []uint8 // where the time of day is in the record
	shapes shapes
}

func newLog(b []byte, f format) *log {
	n := len(b)/f.size + len(b)/f.size/8 + 16
	return &log{
		b: b, f: f, start: make([]int32, 0, n+1), line: make([]int32, 0, n),
		stamps: make([]times.Stamp, 0, n), levels: make([]level, 0, n), clocks: make([]uint8, 0, n),
	}
}

// read reads all records, and reports whether the text goes on as it began.
func (l *log) read(at int, lenient bool) bool {
	b, number, loose, odd := l.b, int32(1), 0, 0
	l.head = at
	for at < len(b) {
		end := lines.End(b, at)
		line := b[at:end]
		if s, ok := l.f.stampOf(line); ok {
			l.note(at, number, &s, trimmed(line))
		} else if line = line[:trimmed(line)]; len(line) > 0 {
			if loose++; !continues(line) {
				odd++
			}
		}
		at = end
		number++
		if n := len(l.start); !lenient && number&4095 == 0 && n*4 < odd {
			return false
		}
	}
	l.start = append(l.start, int32(len(b)))
	n := len(l.start) - 1
	if l.f.leveled {
		odd *= 2 // most lines begin with a level, or go on with a record
	}
	return n > 0 && (lenient || n*2 >= odd)
}

// trimmed is the length of a line without its end.
func trimmed(line []byte) int {
	n := len(line)
	for n > 0 && (line[n-1] == '\n' || line[n-1] == '\r') {
		n--
	}
	return n
}

// note adds a record that begins at "at" with a line of so many bytes.
func (l *log) note(at int, number int32, s *stamp, size int) {
	var of level
	after := s.end
	line := l.b[at : at+size]
	switch {
	case l.f.leveled:
		lead, _ := l.f.leadOf(line)
		of = lead.of
	case l.f.web:
		of, after = findStatus(line, s.end, size)
	case l.f.layout.pattern[0] == 'L':
		of = levelLetter(line[0])
	default:
		of, after = findLevel(line, min(s.end, size), size)
	}
	l.start = append(l.start, int32(at)) // one by one: of two at once Go stores the slices anew
	l.line = append(l.line, number)
	l.stamps = append(l.stamps, s.Stamp)
	l.levels = append(l.levels, of)
	l.clocks = append(l.clocks, uint8(min(s.clock, 255)))
	l.shapes.note(l.b, at+after, at+size)
}
