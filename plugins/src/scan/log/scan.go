// Package log finds the records of logs as byte spans.
//
// A record begins with a line that has a time at the place where most lines have one.
// Lines without a time, such as those of a stack trace, continue the record. Records are
// grouped by their times, or by their levels if the times are not in order. If no line
// has a time, records begin with a level. Control sequences that color text are
// ignored.
package log

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
)

// Hints are the extensions and media types of logs.
const Hints = "log text/x-log"

// Scan is the part.Scan of logs: most lines that do not continue others have a time, or
// else a level, at the same place.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	at := lines.Start(b)
	lenient := c.Forced || len(c.File) > len(".log") && strings.EqualFold(c.File[len(c.File)-len(".log"):], ".log")
	text := b
	if isColored(b) {
		text = removeColors(b)
	}
	f, ok := guessFormat(text, at, lenient)
	if !ok {
		f, ok = guessLevelFormat(text, at, lenient)
	}
	if !ok {
		return nil, false
	}
	l := newLog(text, f)
	if !l.read(at, lenient) {
		return nil, false
	}
	if l.place = l.start; len(text) < len(b) {
		l.place = findLines(b, at, l.line)
	}
	return l.document(), true
}

// log is a text as records.
type log struct {
	b         []byte // without control sequences
	f         format
	head      int           // offset of the lines before the first record
	start     []int32       // offset of each record, then the end of the text
	place     []int32       // the same in the original text
	line      []int32       // by record: the number of its first line
	stamps    []times.Stamp // by record
	levels    []level       // by record
	clocks    []uint8       // by record: offset of the time of day in it
	templates templates
}

func newLog(b []byte, f format) *log {
	n := len(b)/f.size + len(b)/f.size/8 + 16
	return &log{
		b: b, f: f, start: make([]int32, 0, n+1), line: make([]int32, 0, n),
		stamps: make([]times.Stamp, 0, n), levels: make([]level, 0, n), clocks: make([]uint8, 0, n),
	}
}

// read reads all records. It reports whether the rest of the text is like its start.
func (l *log) read(at int, lenient bool) bool {
	b, number, other := l.b, int32(1), 0 // other: lines that neither begin nor continue a record
	l.head = at
	for at < len(b) {
		end := lines.End(b, at)
		line := b[at:end]
		if s, ok := l.f.read(line); ok {
			l.add(at, number, &s, contentSize(line))
		} else if line = line[:contentSize(line)]; len(line) > 0 && !isContinuation(line) {
			other++
		}
		at = end
		number++
		if n := len(l.start); !lenient && number&4095 == 0 && n*4 < other {
			return false
		}
	}
	l.start = append(l.start, int32(len(b)))
	n := len(l.start) - 1
	if l.f.byLevel {
		other *= 2 // most lines begin with a level or continue a record
	}
	return n > 0 && (lenient || n*2 >= other)
}

// add adds a record whose first line begins at "at" and has the given size.
func (l *log) add(at int, number int32, s *stamp, size int) {
	var of level
	after := s.end
	line := l.b[at : at+size]
	switch {
	case l.f.byLevel:
		lead, _ := l.f.readLevel(line)
		of = lead.level
	case l.f.layout.isWeb:
		of, after = findStatus(line, s.end, size)
	case l.f.layout.hasLevel:
		of = levelOfLetter(line[0])
	default:
		of, after = findLevel(line, min(s.end, size), size)
	}
	l.start = append(l.start, int32(at))
	l.line = append(l.line, number)
	l.stamps = append(l.stamps, s.Stamp)
	l.levels = append(l.levels, of)
	l.clocks = append(l.clocks, uint8(min(s.clock, 255)))
	l.templates.add(l.b, at+after, at+size)
}
