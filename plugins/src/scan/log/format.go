package logscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
)

// format is how the records of a log begin.
type format struct {
	layout *layout
	token  int // words before the time
	web    bool
	// Records have no times, and begin with a level behind so many words; meek: as
	// remarks in a text do.
	leveled, meek bool
	size          int // bytes of a record on average
}

const (
	sampleLines = 200
	sampleBytes = 1 << 17
	maxTokens   = 6
	maxLead     = 160 // bytes before the time
	maxName     = 64  // bytes before its digits: brackets, a key, the names of day and month
)

// guess finds the format of most lines at the start of a text that may be the
// first of a record, and reports whether those are enough.
func guess(b []byte, at int, lenient bool) (format, bool) {
	var v votes
	from, all, bare, loose := at, 0, 0, 0
	numbers := numbers{b: b[:min(len(b), from+sampleBytes+2*maxLead)], next: -1}
	for at < len(b) && all < sampleLines && at < from+sampleBytes {
		start := at
		at = lines.End(b, start)
		line := b[start:at]
		if line = line[:trimmed(line)]; len(line) == 0 {
			continue
		}
		numbers.from(start)
		if numbers.none() && all-bare < leastStamped && !lenient {
			return format{}, false // most code and prose
		}
		if all++; numbers.next < at && v.take(line, numbers.next-start) {
			continue
		}
		if bare++; continues(line) {
			loose++
		}
		if !lenient && bare >= sampleLines/2 && (bare-loose)*10 > sampleLines*2 {
			return format{}, false // whatever follows: see enough
		}
	}
	most, token, pattern := v.most()
	if most == 0 {
		return format{}, false
	}
	f := format{layout: &layouts[pattern], token: token, size: max(16, (at-from)/max(1, most))}
	f.web = f.layout.pattern == "DD/N/YYYY:hh:mm:ss"
	return f, enough(f, most, all, loose, lenient)
}

// votes are lines, by the words before their time and the pattern of that.
type votes [maxTokens][len(patterns)]uint8

// take counts a line if it has a time. See find for number.
func (v *votes) take(line []byte, number int) bool {
	pattern, token, ok := find(line, number)
	if ok {
		v[token][pattern]++
	}
	return ok
}

// most is how many lines have the same, the first of those that as many have.
func (v *votes) most() (most, token, pattern int) {
	for k := range v {
		for i, n := range v[k] {
			if int(n) > most {
				most, token, pattern = int(n), k, i
			}
		}
	}
	return most, token, pattern
}

// leastStamped is how many lines must begin with a time where no name says that they
// are a log.
const leastStamped = 3

// enough reports whether so many lines of all begin with a time that it is no
// chance; loose ones look as if they went on with the record before.
func enough(f format, stamped, all, loose int, lenient bool) bool {
	switch {
	case lenient:
		return stamped >= 2 && stamped*10 >= all || stamped == all
	case stamped < leastStamped:
		return false
	case f.token > 0 || f.layout.pattern == "hh:mm:ss" || f.layout.pattern == "E":
		return stamped*10 >= all*8
	}
	return stamped*20 >= all && (stamped+loose)*10 >= all*8 || stamped*2 > all
}

// find finds a time in the first words of a line, which has the first two digits side
// by side at number: all times begin there, or with a name, or a letter, not far before.
func find(line []byte, number int) (pattern, token int, ok bool) {
	if number >= maxLead+maxName {
		return 0, 0, false
	}
	for p := 0; token < maxTokens && p < min(len(line), maxLead); token++ {
		at := len(line)
		if p+maxName >= number {
			at = opened(line, p)
		}
		if at < len(line) && begins(line[at:]) {
			for i := range layouts {
				if isLetter(line[at]) != isNamed(patterns[i]) {
					continue
				}
				if s, ok := layouts[i].read(line, at); ok && (token == 0 || i != len(patterns)-1) {
					return i, token, goesOn(line, s.end) && !isItem(line, token, i)
				}
			}
		}
		next := lines.IndexByte(line[p:], ' ')
		if next < 0 {
			return 0, 0, false
		}
		for p += next; p < len(line) && line[p] == ' '; p++ {
		}
	}
	return 0, 0, false
}

// begins reports whether a text begins as a time of one of the patterns does, so far
// that hardly anything else is left to compare with all of them: with as many digits,
// and the sign behind them.
func begins(text []byte) bool {
	if !couldBegin(text) || len(text) < 4 {
		return false
	}
	n := 0
	for n < len(text) && n < 14 && text[n]-'0' <= 9 {
		n++
	}
	next := byte(0)
	if n < len(text) {
		next = text[n]
	}
	switch n {
	case 0: // a name; a letter is that of a level
		return text[3] == ' ' || text[3]-'0' <= 9
	case 2:
		return next == ':' || next == '-' || next == '/' || next == '.' || next == ' '
	case 4:
		return next == '-' || next == '/' || next == '.'
	case 6:
		return next == ' '
	case 8:
		return separates(next)
	}
	return n == 10 || n == 13
}

// couldBegin reports whether a time may begin with text: two digits, the name of a
// month or day, or the letter of a level before a digit.
func couldBegin(text []byte) bool {
	switch {
	case len(text) < 3:
		return false
	case text[1]-'0' <= 9:
		return text[0]-'0' <= 9 || text[0]-'A' < 26
	}
	return times.Month(text) > 0 || isWeekday(string(text[:3]))
}

// isItem reports whether the words before a time make it an item of a list.
func isItem(line []byte, token, pattern int) bool {
	return token == 1 && isMarked(line) && patterns[pattern] != "E"
}

// opened is where a word begins behind brackets, a priority, and "time=".
func opened(line []byte, p int) int {
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

// goesOn reports whether what follows a time may follow it in a log. A comma is
// that of a table; a tab too, unless the next word is a level.
func goesOn(line []byte, end int) bool {
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

// continues reports whether a line looks as if it belonged to a record before
// it: indented, or of a stack trace.
func continues(line []byte) bool {
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

// stampOf reads the time of a line that begins a record, and if records have none
// where it goes on behind its level.
func (f *format) stampOf(line []byte) (s stamp, ok bool) {
	if f.leveled {
		l, ok := f.leadOf(line)
		s.end = l.end
		return s, ok
	}
	p := 0
	for range f.token {
		next := bytes.IndexByte(line[p:min(len(line), maxLead)], ' ')
		if next < 0 {
			return s, false
		}
		for p += next; p < len(line) && p < maxLead && line[p] == ' '; p++ {
		}
		if p >= maxLead {
			return s, false
		}
	}
	at := p
	if at < len(line) && line[at]-'0' > 9 {
		at = opened(line, p)
	}
	if at >= len(line) || !couldBegin(line[at:]) {
		return s, false
	}
	return f.layout.read(line, at)
}
