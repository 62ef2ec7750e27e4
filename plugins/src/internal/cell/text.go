package cell

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

const (
	wide01 = 0x0101010101010101
	wide20 = 0x20 * wide01
	wide5c = 0x5c * wide01
	wide80 = 0x80 * wide01
)

// maxCaption is the length up to which Caption allocates only the result.
const maxCaption = 80

// Text is a JSON text with cells that are JSON values.
type Text struct {
	B   []byte
	buf []byte // memory for one decoded cell
}

// Bytes returns the exact text of a cell, empty if it is missing.
func (t *Text) Bytes(c Cell) []byte { return t.B[c.Start:c.End] }

// IsString reports whether a cell is a string that is not empty.
func (t *Text) IsString(c Cell) bool { return c.Size() > 2 && t.B[c.Start] == '"' }

// IsScalar reports whether a cell has a value that is neither an array nor an object.
func (t *Text) IsScalar(c Cell) bool {
	return !c.IsMissing() && t.B[c.Start] != '{' && t.B[c.Start] != '['
}

// IsNumber reports whether a cell is a number.
func (t *Text) IsNumber(c Cell) bool {
	return !c.IsMissing() && (t.B[c.Start] == '-' || t.B[c.Start]-'0' <= 9)
}

// AppendCaption appends a scalar as one line of at most max bytes: strings without
// quotes and escapes.
func (t *Text) AppendCaption(dst []byte, c Cell, max int) []byte {
	start, end := int(c.Start), int(c.End)
	if t.B[start] == '"' {
		start, end = start+1, end-1
	}
	if end-start <= max { // as AppendLine does, with one call less
		if out, ok := t.AppendPlain(dst, start, end); ok {
			return out
		}
	} else if out, ok := t.AppendLine(dst, start, end, max); ok {
		return out
	}
	return caption.Append(dst, t.Unquoted(c, 4*max), max)
}

// AppendLine is caption.Append for B[start:end] if the part of it that is shown is
// plain. Otherwise it appends nothing and returns false.
func (t *Text) AppendLine(dst []byte, start, end, max int) (out []byte, ok bool) {
	if end-start <= max {
		return t.AppendPlain(dst, start, end)
	}
	if out, ok = t.AppendPlain(dst, start, start+max+1); ok {
		out = caption.Cut(out, len(dst), max)
	}
	return out, ok
}

// Unquoted returns the start of a scalar, about max bytes, without quotes and escapes.
// It is valid until the next call.
func (t *Text) Unquoted(c Cell, max int) []byte {
	start, end := int(c.Start), int(c.End)
	if end-start >= 2 && t.B[start] == '"' {
		start, end = start+1, end-1
	}
	stop := min(end, start+max)
	if start > int(c.Start) && hasEscape(t.B, start, stop) {
		t.buf = json.Unquote(t.buf[:0], t.Bytes(c), max)
		return t.buf
	}
	return t.B[start:stop]
}

// Caption is AppendCaption as a string.
func (t *Text) Caption(c Cell, max int) string {
	var room [maxCaption + 16]byte // AppendPlain needs some bytes more
	return string(t.AppendCaption(room[:0], c, max))
}

// Exact returns all of a scalar, without quotes and escapes.
func (t *Text) Exact(c Cell) string { return string(t.Unquoted(c, c.Size())) }

// AppendPlain appends B[start:end] if it is plain, that is ASCII words with single
// blanks between them and without escapes. Otherwise it appends nothing and returns
// false. It may do so for a plain text too.
//
// Like those of Words, the words are read and written without bounds checks.
func (t *Text) AppendPlain(dst []byte, start, end int) (out []byte, ok bool) {
	at := len(dst)
	if start >= end || end+8 > len(t.B) || cap(dst)-at < end-start+8 || t.B[end-1] == ' ' {
		return dst, false
	}
	text, _ := WordsOf(t.B)
	room := unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), at)
	gap := uint64(0x80) // a blank at the start is not plain
	for p := start; p < end; p += 8 {
		x := text.At(int32(p))
		*(*uint64)(unsafe.Add(room, p-start)) = x
		if n := end - p; n < 8 { // bytes after the end count as letters
			after := ^uint64(0) << (8 * uint(n) & 63)
			x = x&^after | 'a'*wide01&after
		}
		other, slash := x^wide20, x^wide5c
		blanks := ^(((other &^ wide80) + (wide80 - wide01)) | other) & wide80
		if ((x-wide20)|(x+wide01)|x|(slash-wide01)&^slash|blanks&(blanks<<8|gap))&wide80 != 0 {
			return dst, false
		}
		gap = blanks >> 56
	}
	return dst[:at+end-start], true
}

// hasEscape reports whether b[start:end] contains a backslash.
func hasEscape(b []byte, start, end int) bool {
	for ; start < end && start+8 <= len(b); start += 8 {
		slash := binary.LittleEndian.Uint64(b[start:]) ^ wide5c
		if hit := (slash - wide01) &^ slash & wide80; hit != 0 {
			return start+bits.TrailingZeros64(hit)>>3 < end
		}
	}
	for ; start < end; start++ {
		if b[start] == '\\' {
			return true
		}
	}
	return false
}
