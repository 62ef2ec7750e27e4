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
	if end-start <= max {
		if out, ok := appendPlain(dst, t.b, start, end); ok {
			return out
		}
	}
	return caption.Append(dst, t.plain(c, 4*max), max)
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

// say is caption.Of for a cell.
func (t *Table) say(c cell, max int) string { return string(t.appendCell(nil, c, max)) }

// exact is the whole text of a scalar, without quotes and escapes.
func (t *Table) exact(c cell) string { return string(t.plain(c, c.size())) }
