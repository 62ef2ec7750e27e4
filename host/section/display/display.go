// Package display prepares text for the lines of an index: Clean makes one safe
// line of any bytes, Size writes a number of bytes, and Tokens estimates how
// many tokens a text takes. It knows neither sections nor answers.
package display

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Ellipsis ends a text that was cut.
const Ellipsis = "..."

// Clean returns text as one line of at most limit bytes. Each run of white space
// becomes one blank. Control sequences of terminals and characters that change
// the direction of writing are removed.
func Clean(text []byte, limit int) string {
	if limit <= len(Ellipsis) {
		return ""
	}
	out := make([]byte, 0, limit+utf8.UTFMax)
	blank := false
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		switch {
		case unicode.IsSpace(r):
			blank = len(out) > 0
			continue
		case r == escape:
			text = text[escapeLength(text):]
			continue
		case r == utf8.RuneError || r < utf8.RuneSelf && unicode.IsControl(r) || r >= utf8.RuneSelf && unicode.In(r, unicode.Cc, unicode.Cf):
			continue
		case blank:
			out, blank = append(out, ' '), false
		}
		if out = utf8.AppendRune(out, r); len(out) > limit {
			return string(clipAtWord(out, limit-len(Ellipsis))) + Ellipsis
		}
	}
	return string(out)
}

const escape = '\x1b'

// escapeLength returns the length of the escape sequence that continues in text
// after the escape character. ECMA-48 defines three forms: a control sequence
// (parameters and a final byte, as for a colour), a command string up to its
// terminator (as for a title or a link), and a single byte.
func escapeLength(text []byte) int {
	isIn := func(i int, low, high byte) bool { return i < len(text) && low <= text[i] && text[i] <= high }
	switch {
	case isIn(0, '[', '['):
		i := 1
		for isIn(i, ' ', '?') {
			i++
		}
		if isIn(i, '@', '~') {
			return i + 1
		}
	case isIn(0, ']', ']'):
		const longest = 2048 // anything longer is text, not a command
		if i := bytes.IndexAny(text[:min(len(text), longest)], "\a\x1b"); i >= 0 {
			return i // Clean removes the terminator itself
		}
	case isIn(0, '@', '_'):
		return 1
	}
	return 0
}

// CleanLines returns text with its line breaks, all as \n, and without characters
// that control a terminal or the direction of writing.
func CleanLines(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch {
		case r == '\u2028' || r == '\u2029':
			return '\n'
		case r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r
	}, text)
}

// Clip cuts b to at most limit bytes, between two characters.
func Clip(b []byte, limit int) []byte {
	if len(b) <= limit {
		return b
	}
	for limit > 0 && !utf8.RuneStart(b[limit]) {
		limit--
	}
	return bytes.TrimRight(b[:limit], " ")
}

// clipAtWord is like Clip but cuts after a word if that loses at most a third.
// Half a word costs tokens and adds little.
func clipAtWord(b []byte, limit int) []byte {
	b = Clip(b, limit)
	if at := bytes.LastIndexByte(b, ' '); at > 0 && len(b) >= limit-1 && at >= limit*2/3 {
		return bytes.TrimRight(b[:at], " ")
	}
	return b
}

// Size writes a number of bytes: 532B, 1.5K, 20K, 1.2M.
func Size(n int) string {
	unit := byte('B')
	div := 1
	switch {
	case n >= 999_500:
		unit, div = 'M', 1_000_000
	case n >= 1000:
		unit, div = 'K', 1000
	}
	tenths := (n*10 + div/2) / div
	text := strconv.Itoa((n + div/2) / div)
	if div > 1 && tenths < 100 && tenths%10 != 0 {
		text = strconv.Itoa(tenths/10) + "." + strconv.Itoa(tenths%10)
	}
	return text + string(unit)
}

// Count writes a number with its noun, in the plural unless n is 1.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
