package code

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// described reads a call that defines what its first string says: test('adds',
// () => {, it "adds" do.
func (w *writer) described(t []tok) header {
	if len(t) < 2 || t[0].c != 'a' {
		return header{}
	}
	m := w.v.look(w.word(t[0]))
	if m.role != describes {
		return header{}
	}
	if w.v.layout && m.kind == space && t[1].c == 'a' { // describe A do
		return header{kind: space, name: nameOf(t[1])}
	}
	for _, k := range t[1:] {
		switch k.c {
		case '"':
			return header{kind: m.kind, name: w.between(k.at, k.end), text: true}
		case '(':
			at := k.at + 1
			for at < k.end && white(w.b[at]) {
				at++
			}
			if at < k.end && inQuotes.has(w.b[at]) {
				return header{kind: m.kind, name: w.between(at, int32(skipQuote(w.b, int(at), int(k.end)))), text: true}
			}
		case 'a', '.': // test.each(table)('adds %d', ...)
		default:
			return header{}
		}
	}
	return header{}
}

var inQuotes = stopsAt("\"'`")

// between is the text in the quotes at and before two offsets, none if it is
// empty or does not end there.
func (w *writer) between(at, end int32) span {
	if end-at < 3 {
		return span{}
	}
	return nameOf(tok{at: at + 1, end: end - 1})
}

// An id made of a sentence ends after so many bytes: a reader repeats it with
// each call, some words tell tests apart, and the title beside it has them all.
const maxTextID = 32

// appendText appends the first words of a text as a name.
func appendText(dst, text []byte) []byte {
	start, gap := len(dst), false
	for at := 0; at < len(text); {
		end := at
		for end < len(text) && (text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z' || text[end]-'0' <= 9 || text[end] == '_' || text[end] >= 0x80) {
			end++
		}
		if end == at {
			at, gap = at+1, len(dst) > start
			continue
		}
		if gap && len(dst)-start+1+end-at > maxTextID {
			break
		}
		if gap {
			dst = append(dst, '-')
		}
		dst, at, gap = append(dst, text[at:end]...), end, false
	}
	return dst
}

// macroHeader is that of #define NAME.
func (w *writer) macroHeader(at int) header {
	text := w.b[at:lines.End(w.b, at)]
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(text[1:], " \t"), []byte("define"))
	if !ok || len(rest) == 0 || !white(rest[0]) {
		return header{}
	}
	start := at + len(text) - len(bytes.TrimLeft(rest, " \t"))
	end := start
	for end < len(w.b) && w.v.ident[w.b[end]] {
		end++
	}
	return header{kind: value, name: nameOf(tok{at: int32(start), end: int32(end)})}
}
