package logscan

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
)

// layout is a pattern laid out in places, one for each byte of a time, so that a
// text is compared with eight of them at once. In Wasm that takes a fraction of
// what it takes to read it byte by byte, see read.
type layout struct {
	pattern         string
	size            int  // places; 0: the pattern has no width
	exact           bool // what is not of the layout is not of the pattern
	low, high, used [words]uint64

	none                               times.Stamp // what a time says that has no digits
	pairs                              []pair      // its digits
	clock                              int
	blank, padding, month, day, letter int // the places of ?, _, N, W and L, -1 for none
}

const (
	words  = 3
	places = 8 * words // of the longest pattern
	tops   = 0x8080808080808080
)

// pair are two digits: where they stand in a time, and where in a stamp.
type pair struct{ from, to uint8 }

// layouts are those of the patterns. They are made when a guest starts, which no call
// waits for.
var layouts = func() (all [len(patterns)]layout) {
	for i, pattern := range patterns {
		all[i] = newLayout(pattern)
	}
	return all
}()

// newLayout lays out a pattern. Where that leaves a width open, it is the one that
// most logs have: numbers have two digits, a day of one digit stands behind a
// blank, a year behind no fraction.
func newLayout(pattern string) layout {
	l := layout{pattern: pattern, exact: !strings.ContainsAny(pattern, "_H") && !strings.Contains(pattern, "ss ")}
	if pattern == "E" {
		return l
	}
	signs := spread(pattern)
	l.size, l.clock = len(signs), max(0, bytes.IndexByte(signs, 'h'))
	l.blank, l.padding = bytes.IndexByte(signs, '?'), bytes.IndexByte(signs, '_')
	l.month, l.day, l.letter = bytes.IndexByte(signs, 'N'), bytes.IndexByte(signs, 'W'), bytes.IndexByte(signs, 'L')
	copy(l.none[:], noTime)
	l.pairs = make([]pair, 0, len("YYMDhm"))
	if year := bytes.IndexByte(signs, 'Y'); year >= 0 {
		l.pairs = append(l.pairs, pair{uint8(year), 0}, pair{uint8(year + 2), 2})
	}
	for i, c := range []byte("yMDhm") {
		from := bytes.IndexByte(signs, c)
		if c == 'D' && l.padding >= 0 {
			from = l.padding
		}
		if from >= 0 {
			l.pairs = append(l.pairs, pair{uint8(from), uint8(2 + 3*i)})
		}
	}
	if bytes.IndexByte(signs, 'y') >= 0 {
		copy(l.none[:], "20")
	}
	for i, c := range signs {
		low, high := c, c
		switch c {
		case 'y', 'Y', 'M', 'D', 'h', 'm':
			low, high = '0', '9'
		case '_':
			low, high = ' ', '9'
		case 's':
			low, high = '0', '9'
		case '?':
			low, high = ' ', '_'
		case 'N', 'W', 'L':
			low, high = 'A', 'z'
		}
		l.low[i/8] |= uint64(low) << (i % 8 * 8)
		l.high[i/8] |= uint64(high) << (i % 8 * 8)
		l.used[i/8] |= 0x80 << (i % 8 * 8)
	}
	return l
}

// isNamed reports whether times of a pattern begin with a letter.
func isNamed(pattern string) bool { return pattern[0] == 'N' || pattern[0] == 'W' || pattern[0] == 'L' }

// spread is a pattern with a sign for each place.
func spread(pattern string) (signs []byte) {
	for i := range len(pattern) {
		switch c := pattern[i]; c {
		case 'H':
			signs = append(signs, "hh"...)
		case 'I':
			signs = append(signs, "mm"...)
		case 'S':
			signs = append(signs, "ss"...)
		case 'N', 'W':
			signs = append(signs, c, c, c)
		default:
			signs = append(signs, c)
		}
	}
	return signs
}

// read reads the time at b[p].
func (l *layout) read(b []byte, p int) (s stamp, ok bool) {
	if l.size > 0 && p+places <= len(b) {
		if s, ok = l.fixed(b, p); ok || l.exact {
			return s, ok
		}
	}
	return read(l.pattern, b, p)
}

// fixed reads a time of the layout. It compares each byte with the least and the
// greatest that may stand in its place: none borrows from the next one, as its top
// bit is set before another is taken off.
func (l *layout) fixed(b []byte, p int) (s stamp, ok bool) {
	text := b[p : p+places]
	for i := range words {
		x := binary.LittleEndian.Uint64(text[8*i:])
		good := ((x | tops) - l.low[i]) & ((l.high[i] | tops) - x&^tops) &^ x
		if good&l.used[i] != l.used[i] {
			return s, false
		}
	}
	if l.blank >= 0 && !separates(text[l.blank]) || l.letter >= 0 && levelLetter(text[l.letter]) == unknown ||
		l.day >= 0 && !isWeekday(string(text[l.day:l.day+3])) {
		return s, false
	}
	s.Stamp = l.none
	for _, two := range l.pairs {
		s.Stamp[two.to], s.Stamp[two.to+1] = text[two.from], text[two.from+1]
	}
	if l.padding >= 0 && s.Stamp[8]-'0' > 9 {
		if s.Stamp[8] != ' ' {
			return s, false
		}
		s.Stamp[8] = '0'
	}
	if l.month >= 0 {
		n := times.Month(text[l.month:])
		if n == 0 {
			return s, false
		}
		s.set(5, n)
	}
	s.clock = p + l.clock
	return s, s.ends(b, p+l.size)
}
