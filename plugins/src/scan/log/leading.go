package logscan

import (
	"bytes"
	"math/bits"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// maxLeads is how many words may stand before the level of a record that has no
// time: npm ERR!, [main] INFO, app | WARN.
const maxLeads = 3

// lead is the level that a line says at its start, or near to it.
type lead struct {
	of    level
	meek  bool // Warning: a text may say so too
	token int  // words before it
	end   int
}

// guessLead finds how the records of a log without times begin: with a level
// behind as many words as on most lines.
func guessLead(b []byte, at int, lenient bool) (format, bool) {
	type vote struct{ lines, meek, seen int }
	var votes [maxLeads + 1]vote
	from, all, loose := at, 0, 0
	for at < len(b) && all < sampleLines && at < from+sampleBytes {
		end := lines.End(b, at)
		line := bytes.TrimRight(b[at:end], " \t\r\n")
		at = end
		if len(line) == 0 {
			continue
		}
		if all++; all > firstLines && !lenient && votes == [maxLeads + 1]vote{} {
			return format{}, false
		}
		if l, ok := findLead(line); ok {
			v := &votes[l.token]
			v.lines++
			v.seen |= 1 << l.of
			if l.meek {
				v.meek++
			}
		} else if continues(line) {
			loose++
		}
	}
	best := 0
	for token, v := range votes {
		if v.lines > votes[best].lines {
			best = token
		}
	}
	v := votes[best]
	f := format{layout: &layout{pattern: "E"}, leveled: true, token: best, meek: v.meek*2 > v.lines, size: max(16, (at-from)/max(1, v.lines))}
	n, kinds := v.lines, bits.OnesCount(uint(v.seen))
	switch {
	case n == 0:
		return f, false
	case lenient:
		return f, n >= 2 && n*10 >= all || n == all
	case n < leastLed, n < 2*kinds, v.meek*2 > n && kinds < 2: // names of levels, remarks in a text
		return f, false
	case best > 0:
		return f, n*10 >= all*8
	}
	return f, n*5 >= all && (n+loose)*10 >= all*8
}

// firstLines without a level say that there will be none.
const firstLines = 40

// leastLed is how many lines must begin with a level where no name says that they
// are a log.
const leastLed = 6

// findLead finds the level in the first words of a line. Behind a number, or the
// mark of a list, it is a cell of a table or a word of a text.
func findLead(line []byte) (lead, bool) {
	for token, p := 0, 0; token <= maxLeads; token++ {
		p = pastBlanks(line, p)
		if p < len(line) && mayLead(line, p, token) {
			if l, ok := leadAt(line, p, token); ok {
				return l, token == 0 || line[0]-'0' > 9 && !isMarked(line)
			}
		}
		if p = wordAfter(line, p); p == len(line) || p > maxLead {
			break
		}
	}
	return lead{}, false
}

// mayLead reports whether the word at p, by its first byte, could say what leadAt reads.
func mayLead(line []byte, p, token int) bool {
	switch c := line[p]; {
	case closing(c) != 0, c-'A' < 26, c == 'l', c == 's': // a key begins so
		return true
	case token == 0:
		return isLetter(c)
	}
	return token == 1 && line[0] == 'n' // of npm
}

// isMarked reports whether a line begins like one of a list, quote or table.
func isMarked(line []byte) bool {
	return len(line) > 1 && line[1] == ' ' && bytes.IndexByte([]byte("-*+#>|"), line[0]) >= 0
}

// wordAfter is where the word behind the one at p begins.
func wordAfter(line []byte, p int) int {
	p = pastBlanks(line, p)
	for p < len(line) && line[p] != ' ' {
		p++
	}
	return pastBlanks(line, p)
}

func pastBlanks(line []byte, p int) int {
	for p < len(line) && line[p] == ' ' {
		p++
	}
	return p
}

// leadAt reads the level that is the word at p: in brackets, behind "level=", in
// capitals, or before a colon at the start of the line.
func leadAt(line []byte, p, token int) (l lead, ok bool) {
	at, key := pastBlanks(line, p), 0
	indented := token == 0 && at > 0
	if at == len(line) {
		return l, false
	}
	closed := closing(line[at])
	if closed != 0 {
		at = pastBlanks(line, at+1)
	} else if key = levelKey(line[at:]); key > 0 {
		at += key
	}
	start, upper := at, true
	for at < len(line) && isLetter(line[at]) {
		upper = upper && line[at] < 'a'
		at++
	}
	l = lead{of: levelWord(line[start:at]), token: token, end: at}
	rest := line[at:]
	switch {
	case l.of == unknown:
		return l, false
	case closed != 0:
		blank := pastBlanks(line, at)
		return l, blank < len(line) && (line[blank] == closed || upper && blank > at)
	case key > 0:
		return l, len(rest) == 0 || rest[0] == ' ' || rest[0] == '"' || rest[0] == ','
	case len(rest) == 0 || indented:
		return l, false
	case upper || token == 1 && bytes.HasPrefix(line, []byte("npm ")):
		return l, opensMessage(rest)
	}
	l.meek = line[start] < 'a'
	return l, token == 0 && rest[0] == ':'
}

// closing is the bracket that closes the one which c opens, 0 for no bracket.
func closing(c byte) byte {
	switch c {
	case '[':
		return ']'
	case '<':
		return '>'
	case '(':
		return ')'
	}
	return 0
}

// levelKey is the length of the key before a level, as logfmt has it, with its
// equal sign and the quote behind it.
func levelKey(text []byte) int {
	if text[0] != 'l' && text[0] != 's' {
		return 0
	}
	for _, key := range []string{"level=", "lvl=", "severity=", "loglevel="} {
		if !bytes.HasPrefix(text, []byte(key)) {
			continue
		}
		if n := len(key); n < len(text) && text[n] == '"' {
			return n + 1
		}
		return len(key)
	}
	return 0
}

// opensMessage reports whether what follows a level in capitals may follow it in a
// log: INFO:root, ERR! text, WARN[0003] text, and not DEBUG = 1.
func opensMessage(rest []byte) bool {
	switch rest[0] {
	case ':', '!', ']':
		return true
	case '[':
		return len(rest) > 1 && rest[1]-'0' <= 9
	case ' ':
		at := pastBlanks(rest, 0)
		return at < len(rest) && rest[at] != '='
	}
	return false
}

// leadOf reads the level of a line that begins a record of the format.
func (f *format) leadOf(line []byte) (lead, bool) {
	p := 0
	for range f.token {
		if p = wordAfter(line, p); p == len(line) || p > maxLead {
			return lead{}, false
		}
	}
	l, ok := leadAt(line, p, f.token)
	return l, ok && (f.meek || !l.meek)
}
