package table

import (
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
)

// Line makes one line of at most max bytes of the start of a text: white space
// and control characters become single blanks, what is left out three dots.
func Line(text []byte, max int) string { return string(AppendLine(nil, text, max)) }

// AppendLine appends Line(text, max) to dst.
func AppendLine(dst, text []byte, max int) []byte {
	start := len(dst)
	for gap := false; len(text) > 0 && len(dst)-start <= max; {
		n := plainRun(text[:min(len(text), max+1)])
		if n == 0 {
			r, width := utf8.DecodeRune(text)
			if r < utf8.RuneSelf || r == utf8.RuneError || unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf) {
				gap = len(dst) > start
				text = text[width:]
				continue
			}
			n = width
		}
		if gap {
			dst = append(dst, ' ')
			gap = false
		}
		dst, text = append(dst, text[:n]...), text[n:]
	}
	return cut(dst, start, max)
}

// plainRun is the length of what stands at the front of text and stays as it
// is: ASCII words with single blanks between them. It looks at eight bytes at a
// time, and ends before the last seven or a little early at most.
func plainRun(text []byte) int {
	const (
		ones  = 0x0101010101010101
		tops  = 0x80 * ones
		blank = 0x20 * ones
	)
	n, gap := 0, uint64(tops&0xff) // a blank at the start is not plain
	for n+8 <= len(text) {
		x := binary.LittleEndian.Uint64(text[n:])
		other := x ^ blank
		blanks := ^(((other &^ tops) + (tops - ones)) | other) & tops
		odd := ((x - blank) | (x + ones) | x | blanks&(blanks<<8|gap)) & tops
		if odd != 0 {
			n += bits.TrailingZeros64(odd) >> 3
			break
		}
		gap = blanks >> 56
		n += 8
	}
	for n+8 > len(text) && n < len(text) && text[n] > ' ' && text[n] < 0x7f {
		n++
	}
	for n > 0 && text[n-1] == ' ' { // kept only if a word follows, which is for the caller to see
		n--
	}
	return n
}

// clip cuts s at a rune border to at most max bytes, and says so by three dots.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	return string(cut([]byte(s), 0, max))
}

// cut is clip for what stands in dst from start on.
func cut(dst []byte, start, max int) []byte {
	const dots = "..."
	if len(dst)-start <= max {
		return dst
	}
	end := start + max - len(dots)
	for end > start && !utf8.RuneStart(dst[end]) {
		end--
	}
	for end > start && dst[end-1] == ' ' {
		end--
	}
	return append(dst[:end], dots...)
}

// appendCell appends a scalar as a reader writes it, in one line of at most max
// bytes: strings without quotes and escapes.
func (t *Table) appendCell(dst []byte, c cell, max int) []byte {
	start, end := int(c.start), int(c.end)
	if t.b[start] == '"' {
		start, end = start+1, end-1
	}
	if end-start <= max {
		if out, ok := appendPlain(dst, t.b, start, end); ok {
			return out
		}
	}
	return AppendLine(dst, t.plain(c, 4*max), max)
}

// plain is the start of the text of a scalar, about max bytes of it, without
// quotes and escapes. It is good until the next call.
func (t *Table) plain(c cell, max int) []byte {
	raw := t.text(c)
	if len(raw) < 2 || raw[0] != '"' {
		return raw[:min(len(raw), max)]
	}
	if body := raw[1 : len(raw)-1]; !escaped(t.b, int(c.start)+1, int(c.start)+1+min(len(body), max)) {
		return body[:min(len(body), max)]
	}
	t.buf = jsonscan.Unquote(t.buf[:0], raw, max)
	return t.buf
}

// say is Line for a cell.
func (t *Table) say(c cell, max int) string { return string(t.appendCell(nil, c, max)) }

// exact is the whole text of a scalar, without quotes and escapes.
func (t *Table) exact(c cell) string { return string(t.plain(c, c.size())) }
