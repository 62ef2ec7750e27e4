package table

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
)

// appendCell appends a scalar as a reader writes it, in one line of at most max
// bytes: strings without quotes and escapes.
func (t *Table) appendCell(dst []byte, c cell, max int) []byte {
	start, end := int(c.start), int(c.end)
	if t.b[start] == '"' {
		start, end = start+1, end-1
	}
	if end-start <= max { // as appendLine does, with one call less
		if out, ok := t.appendPlain(dst, start, end); ok {
			return out
		}
	} else if out, ok := t.appendLine(dst, start, end, max); ok {
		return out
	}
	return caption.Append(dst, t.plain(c, 4*max), max)
}

// appendLine is caption.Append for a stretch of the text of which all that can be
// shown is plain. Not ok: nothing was appended.
func (t *Table) appendLine(dst []byte, start, end, max int) (out []byte, ok bool) {
	if end-start <= max {
		return t.appendPlain(dst, start, end)
	}
	if out, ok = t.appendPlain(dst, start, start+max+1); ok {
		out = caption.Cut(out, len(dst), max)
	}
	return out, ok
}

// plain is the start of the text of a scalar, about max bytes of it, without
// quotes and escapes. It is good until the next call.
func (t *Table) plain(c cell, max int) []byte {
	start, end := int(c.start), int(c.end)
	if end-start >= 2 && t.b[start] == '"' {
		start, end = start+1, end-1
	}
	stop := min(end, start+max)
	if start > int(c.start) && escaped(t.b, start, stop) {
		t.buf = jsonscan.Unquote(t.buf[:0], t.text(c), max)
		return t.buf
	}
	return t.b[start:stop]
}

// say is caption.Of for a cell.
func (t *Table) say(c cell, max int) string {
	var room [maxTitle + 16]byte // with what appendPlain needs beside it
	return string(t.appendCell(room[:0], c, max))
}

// exact is the whole text of a scalar, without quotes and escapes.
func (t *Table) exact(c cell) string { return string(t.plain(c, c.size())) }
