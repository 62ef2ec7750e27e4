package log

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
)

// format is how the records of a log begin.
type format struct {
	layout *layout // of their times
	skip   int     // words before the time or level
	size   int     // average size of a record in bytes

	byLevel   bool // records have no times and begin with a level
	ambiguous bool // of byLevel: levels may be written as in prose, see leadingLevel
}

const (
	sampleLines = 200
	sampleBytes = 1 << 17
	maxSkip     = 5   // words before the time
	maxBefore   = 160 // bytes before the time
	maxPrefix   = 64  // bytes of a time before its first digits: brackets, a key, the names of day and month
	minStamped  = 3   // lines that must begin with a time, unless the file name marks a log
)

// guessFormat finds the format of most lines at the start of a text that may begin a
// record. It reports whether those lines are enough. If lenient, the text is declared to
// be a log.
func guessFormat(b []byte, at int, lenient bool) (format, bool) {
	var v votes
	from, all, other, loose := at, 0, 0, 0 // lines; those without a time; those that continue a record
	digits := digitPairs{b: b[:min(len(b), from+sampleBytes+2*maxBefore)], next: -1}
	for at < len(b) && all < sampleLines && at < from+sampleBytes {
		start := at
		at = lines.End(b, start)
		line := b[start:at]
		if line = line[:contentSize(line)]; len(line) == 0 {
			continue
		}
		digits.find(start)
		if digits.isEmpty() && all-other < minStamped && !lenient {
			return format{}, false // most code and prose
		}
		if all++; digits.next < at && v.add(line, digits.next-start) {
			continue
		}
		if other++; isContinuation(line) {
			loose++
		}
		if !lenient && other >= sampleLines/2 && (other-loose)*10 > sampleLines*2 {
			return format{}, false // the other lines cannot change this: see isEnough
		}
	}
	most, skip, layout := v.most()
	if most == 0 {
		return format{}, false
	}
	f := format{layout: &layouts[layout], skip: skip, size: max(16, (at-from)/max(1, most))}
	return f, f.isEnough(most, all, loose, lenient)
}

// votes counts lines by the number of words before their time and by its layout.
type votes [maxSkip + 1][len(layouts)]uint8

// add counts a line if it has a time. See findTime for digits.
func (v *votes) add(line []byte, digits int) bool {
	layout, skip, ok := findTime(line, digits)
	if ok {
		v[skip][layout]++
	}
	return ok
}

// most returns the most frequent combination and its number of lines.
func (v *votes) most() (most, skip, layout int) {
	for k := range v {
		for i, n := range v[k] {
			if int(n) > most {
				most, skip, layout = int(n), k, i
			}
		}
	}
	return most, skip, layout
}

// isEnough reports whether so many of all lines have a time that this is no coincidence.
// Loose lines look as if they continue a record.
func (f *format) isEnough(stamped, all, loose int, lenient bool) bool {
	switch {
	case lenient:
		return stamped >= 2 && stamped*10 >= all || stamped == all
	case stamped < minStamped:
		return false
	case f.skip > 0 || f.layout.isClock || f.layout.isEpoch:
		return stamped*10 >= all*8
	}
	return stamped*20 >= all && (stamped+loose)*10 >= all*8 || stamped*2 > all
}

// findTime finds a time in the first words of a line. The first adjacent digits of the
// line are at the offset "digits": all times begin there, or shortly before with a name
// or a letter.
func findTime(line []byte, digits int) (layout, skip int, ok bool) {
	if digits >= maxBefore+maxPrefix {
		return 0, 0, false
	}
	for p := 0; skip <= maxSkip && p < min(len(line), maxBefore); skip++ {
		at := len(line)
		if p+maxPrefix >= digits {
			at = skipOpening(line, p)
		}
		if at < len(line) && isLikelyTime(line[at:]) {
			if i, s, ok := readAny(line, at, skip); ok {
				return i, skip, isFollowedByMessage(line, s.end) && !(skip == 1 && isMarked(line) && !layouts[i].isEpoch)
			}
		}
		next := lines.IndexByte(line[p:], ' ')
		if next < 0 {
			return 0, 0, false
		}
		p = skipBlanks(line, p+next)
	}
	return 0, 0, false
}

// readAny reads the time at line[at] by the first layout that matches. A time of day
// alone must be the first word.
func readAny(line []byte, at, skip int) (layout int, s stamp, ok bool) {
	for i := range layouts {
		l := &layouts[i]
		if isLetter(line[at]) != l.isNamed {
			continue
		}
		if s, ok := l.read(line, at); ok && (skip == 0 || !l.isClock) {
			return i, s, true
		}
	}
	return 0, s, false
}

// isLikelyTime reports whether a text begins with as many digits as a time of one of the
// layouts, and the character after them. It saves comparing most texts with all layouts.
func isLikelyTime(text []byte) bool {
	if !isPossibleTime(text) || len(text) < 4 {
		return false
	}
	n := 0
	for n < len(text) && n < 14 && text[n]-'0' <= 9 {
		n++
	}
	switch n {
	case 0: // a name, or the letter of a level
		return text[3] == ' ' || text[3]-'0' <= 9
	case 10, 13: // an epoch
		return true
	}
	return n < len(text) && strings.IndexByte(afterDigits[n], text[n]) >= 0
}

// afterDigits holds the characters that may follow that many digits at the start of a time.
var afterDigits = [15]string{2: ":-/. ", 4: "-/.", 6: " ", 8: " T_-"}

// isPossibleTime reports whether the first three bytes of a text may begin a time.
func isPossibleTime(text []byte) bool {
	switch {
	case len(text) < 3:
		return false
	case text[1]-'0' <= 9:
		return text[0]-'0' <= 9 || text[0]-'A' < 26
	}
	return times.Month(text) > 0 || isWeekday(string(text[:3]))
}

// skipOpening returns the offset of a word after brackets, a syslog priority and a key
// such as "time=".
func skipOpening(line []byte, p int) int {
	for p < len(line) && (line[p] == '[' || line[p] == '(') {
		p++
	}
	if p < len(line) && line[p] == '<' {
		if i := bytes.IndexByte(line[p:min(len(line), p+6)], '>'); i > 0 {
			p += i + 1
			if p+1 < len(line) && line[p] == '1' && line[p+1] == ' ' {
				p += 2
			}
		}
	}
	return skipKey(line, p)
}

// skipKey returns the offset after a short key at line[p] with its equal sign and a quote.
func skipKey(line []byte, p int) int {
	for i := p; i < len(line) && i < p+12; i++ {
		if line[i] == '=' && i > p {
			if i+1 < len(line) && line[i+1] == '"' {
				i++
			}
			return i + 1
		}
		if !isLetter(line[i]) && line[i] != '@' && line[i] != '_' {
			break
		}
	}
	return p
}

// isFollowedByMessage reports whether the text after a time may follow it in a log. A
// comma is that of a table; a tab too, unless a level follows.
func isFollowedByMessage(line []byte, end int) bool {
	if end == len(line) {
		return true
	}
	switch line[end] {
	case ',':
		return end+1 < len(line) && line[end+1] == ' '
	case '\t':
		of, after := findLevel(line, end, min(len(line), end+24))
		return of != unknown && (after == len(line) || line[after] == '\t' || line[after] == ' ')
	case ' ', ']', ')', ':', '|', '"', '-', '>', '[', '.':
		return true
	}
	return false
}

// isContinuation reports whether a line looks as if it continues a record: it is
// indented or belongs to a stack trace.
func isContinuation(line []byte) bool {
	switch line[0] {
	case ' ', '\t', '}', ')', ']', '{':
		return true
	case 'C', 'T', 'g', 'a', '.':
		for _, start := range []string{"Caused by:", "Traceback ", "goroutine ", "at ", "..."} {
			if bytes.HasPrefix(line, []byte(start)) {
				return true
			}
		}
	}
	colon := lines.IndexByte(line, ':') // java.io.IOException: text, ValueError: text
	if colon < 0 {
		colon = len(line)
	}
	name := line[:colon]
	if colon == 0 || name[colon-1] != 'n' && name[colon-1] != 'r' {
		return false
	}
	return bytes.HasSuffix(name, []byte("Exception")) || bytes.HasSuffix(name, []byte("Error"))
}

// isMarked reports whether a line begins like that of a list, quote or table.
func isMarked(line []byte) bool {
	return len(line) > 1 && line[1] == ' ' && bytes.IndexByte([]byte("-*+#>|"), line[0]) >= 0
}

// read reads the time of a line that begins a record. If records have no times, only the
// end is set, after the level.
func (f *format) read(line []byte) (s stamp, ok bool) {
	if f.byLevel {
		l, ok := f.readLevel(line)
		s.end = l.end
		return s, ok
	}
	p := 0
	for range f.skip {
		next := bytes.IndexByte(line[p:min(len(line), maxBefore)], ' ')
		if next < 0 {
			return s, false
		}
		for p += next; p < len(line) && p < maxBefore && line[p] == ' '; p++ {
		}
		if p >= maxBefore {
			return s, false
		}
	}
	at := p
	if at < len(line) && line[at]-'0' > 9 {
		at = skipOpening(line, p)
	}
	if at >= len(line) || !isPossibleTime(line[at:]) {
		return s, false
	}
	return f.layout.read(line, at)
}
