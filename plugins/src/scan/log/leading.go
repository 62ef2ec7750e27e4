package log

import (
	"bytes"
	"math/bits"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

const (
	maxLevelSkip  = 3  // words before the level of a record without a time: npm ERR!, [main] INFO, app | WARN
	maxUnleveled  = 40 // lines without a level after which no level is expected
	minLevelLines = 6  // lines that must begin with a level, unless the file name marks a log
)

// leadingLevel is the level at the start of a line.
type leadingLevel struct {
	level     level
	ambiguous bool // prose may begin so too: "Warning: ..."
	skip      int  // words before it
	end       int
}

// levelVote counts lines with a level after the same number of words.
type levelVote struct {
	lines, ambiguous int
	seen             int // a bit for each level
}

// guessLevelFormat finds the format of a log without times: most lines begin with a level
// after the same number of words.
func guessLevelFormat(b []byte, at int, lenient bool) (format, bool) {
	var votes [maxLevelSkip + 1]levelVote
	from, all, loose := at, 0, 0
	for at < len(b) && all < sampleLines && at < from+sampleBytes {
		end := lines.End(b, at)
		line := bytes.TrimRight(b[at:end], " \t\r\n")
		at = end
		if len(line) == 0 {
			continue
		}
		if all++; all > maxUnleveled && !lenient && votes == [maxLevelSkip + 1]levelVote{} {
			return format{}, false
		}
		if l, ok := findLeadingLevel(line); ok {
			v := &votes[l.skip]
			v.lines++
			v.seen |= 1 << l.level
			if l.ambiguous {
				v.ambiguous++
			}
		} else if isContinuation(line) {
			loose++
		}
	}
	best := 0
	for skip, v := range votes {
		if v.lines > votes[best].lines {
			best = skip
		}
	}
	v := votes[best]
	return format{
		layout: &layout{isEpoch: true}, byLevel: true, skip: best, ambiguous: v.ambiguous*2 > v.lines, size: max(16, (at-from)/max(1, v.lines)),
	}, v.isEnough(best, all, loose, lenient)
}

// isEnough reports whether so many of all lines begin with a level that this is no
// coincidence. Loose lines look as if they continue a record.
func (v *levelVote) isEnough(skip, all, loose int, lenient bool) bool {
	n, kinds := v.lines, bits.OnesCount(uint(v.seen))
	switch {
	case n == 0:
		return false
	case lenient:
		return n >= 2 && n*10 >= all || n == all
	case n < minLevelLines, n < 2*kinds, v.ambiguous*2 > n && kinds < 2: // a list of level names, or remarks in prose
		return false
	case skip > 0:
		return n*10 >= all*8
	}
	return n*5 >= all && (n+loose)*10 >= all*8
}

// findLeadingLevel finds a level in the first words of a line. After a number or the mark
// of a list it is a cell of a table or a word of prose.
func findLeadingLevel(line []byte) (leadingLevel, bool) {
	for skip, p := 0, 0; skip <= maxLevelSkip; skip++ {
		p = skipBlanks(line, p)
		if p < len(line) && mayBeLevel(line, p, skip) {
			if l, ok := readLevelAt(line, p, skip); ok {
				return l, skip == 0 || line[0]-'0' > 9 && !isMarked(line)
			}
		}
		if p = nextWord(line, p); p == len(line) || p > maxBefore {
			break
		}
	}
	return leadingLevel{}, false
}

// mayBeLevel reports whether readLevelAt may succeed at p, by the first byte.
func mayBeLevel(line []byte, p, skip int) bool {
	switch c := line[p]; {
	case closingBracket(c) != 0, c-'A' < 26, c == 'l', c == 's': // the keys of levels begin with l and s
		return true
	case skip == 0:
		return isLetter(c)
	}
	return skip == 1 && line[0] == 'n' // of npm
}

// nextWord returns the offset of the word after the word at p.
func nextWord(line []byte, p int) int {
	p = skipBlanks(line, p)
	for p < len(line) && line[p] != ' ' {
		p++
	}
	return skipBlanks(line, p)
}

// readLevelAt reads the level at p: in brackets, after "level=", in capitals, or before a
// colon at the start of the line.
func readLevelAt(line []byte, p, skip int) (l leadingLevel, ok bool) {
	at, key := skipBlanks(line, p), 0
	indented := skip == 0 && at > 0
	if at == len(line) {
		return l, false
	}
	closing := closingBracket(line[at])
	if closing != 0 {
		at = skipBlanks(line, at+1)
	} else if key = levelKeySize(line[at:]); key > 0 {
		at += key
	}
	start := at
	at, upper := skipLetters(line, at)
	l = leadingLevel{level: levelOfWord(line[start:at]), skip: skip, end: at}
	rest := line[at:]
	switch {
	case l.level == unknown:
		return l, false
	case closing != 0:
		blank := skipBlanks(line, at)
		return l, blank < len(line) && (line[blank] == closing || upper && blank > at)
	case key > 0:
		return l, len(rest) == 0 || rest[0] == ' ' || rest[0] == '"' || rest[0] == ','
	case len(rest) == 0 || indented:
		return l, false
	case upper || skip == 1 && bytes.HasPrefix(line, []byte("npm ")):
		return l, mayFollowLevel(rest)
	}
	l.ambiguous = line[start] < 'a'
	return l, skip == 0 && rest[0] == ':'
}

// closingBracket returns the bracket that closes c, 0 if c is no opening bracket.
func closingBracket(c byte) byte {
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

// levelKeySize returns the length of the key of a level in logfmt, with its equal sign
// and a quote after it; 0 if there is none.
func levelKeySize(text []byte) int {
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

// mayFollowLevel reports whether a text may follow a level in capitals in a log: as in
// INFO:root, ERR! text and WARN[0003] text, but not DEBUG = 1.
func mayFollowLevel(rest []byte) bool {
	switch rest[0] {
	case ':', '!', ']':
		return true
	case '[':
		return len(rest) > 1 && rest[1]-'0' <= 9
	case ' ':
		at := skipBlanks(rest, 0)
		return at < len(rest) && rest[at] != '='
	}
	return false
}

// readLevel reads the level of a line that begins a record.
func (f *format) readLevel(line []byte) (leadingLevel, bool) {
	p := 0
	for range f.skip {
		if p = nextWord(line, p); p == len(line) || p > maxBefore {
			return leadingLevel{}, false
		}
	}
	l, ok := readLevelAt(line, p, f.skip)
	return l, ok && (f.ambiguous || !l.ambiguous)
}
