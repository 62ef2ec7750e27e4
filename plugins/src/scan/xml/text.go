package xml

import (
	"bytes"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/entity"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	"github.com/mcpctl/mcpctl/plugins/src/scan/xml/syntax"
)

// maxShown is the size in bytes of a value in a title.
const maxShown = 40

// appendRaw appends a title of text without markup, or fallback if it is empty.
func appendRaw(dst, text []byte, fallback string) []byte {
	start := len(dst)
	if dst = caption.Append(dst, text, rows.MaxTitle); len(dst) == start {
		dst = append(dst, fallback...)
	}
	return dst
}

// appendText appends a title of text with entities, or fallback if it is empty.
func appendText(dst, text []byte, fallback string) []byte {
	start := len(dst)
	if dst = appendUnescaped(dst, text, rows.MaxTitle); len(dst) == start {
		dst = append(dst, fallback...)
	}
	return dst
}

// appendUnescaped appends the start of a text as one line of at most max bytes.
func appendUnescaped(dst, text []byte, max int) []byte {
	text = text[syntax.SkipSpace(text, 0):]
	if cut := text[:min(len(text), 4*max)]; syntax.Find(cut, 0, '&', '<') == len(cut) {
		return caption.Append(dst, text, max)
	}
	var plain [6 * rows.MaxTitle]byte
	return caption.Append(dst, appendPlain(plain[:0], text, max+1), max)
}

// appendName appends a name of at most max bytes. Of a longer one that consists of several,
// such as a.b.Type.method(int), it keeps the end, which distinguishes it from others.
func appendName(dst, name []byte, max int) []byte {
	end := bytes.IndexAny(name, " \t\r\n(&<")
	if end < 0 {
		end = len(name)
	}
	if len(name) > max && bytes.Count(name[:end], []byte(".")) > 1 {
		for from := bytes.IndexByte(name[:end], '.') + 1; from < end; from++ {
			if end-from+len("...") <= max && name[from-1] == '.' {
				return append(append(dst, "..."...), name[from:end]...)
			}
		}
	}
	return appendUnescaped(dst, name, max)
}

// appendPlain appends the start of a text without tags and with decoded entities, a
// few bytes more than max. Entities that the text defines itself are not decoded.
func appendPlain(dst, text []byte, max int) []byte {
	for start := len(dst); len(text) > 0 && len(dst)-start < max; {
		switch c := text[0]; {
		case c == '<' && bytes.HasPrefix(text, []byte("<![CDATA[")):
			text = text[len("<![CDATA["):]
		case c == ']' && bytes.HasPrefix(text, []byte("]]>")):
			text = text[len("]]>"):]
		case c == '<' && len(text) > 1 && (syntax.IsNameStart(text[1]) || bytes.IndexByte([]byte("/!?"), text[1]) >= 0):
			end := markupEnd(text)
			if end < 0 {
				return dst
			}
			text = text[end:]
		case c == '&':
			r, n := entity.Decode(text)
			dst, text = utf8.AppendRune(dst, r), text[n:]
		default:
			dst, text = append(dst, c), text[1:]
		}
	}
	return dst
}

// markupEnd returns the end of the markup at the start of a text, -1 if it does not
// end.
func markupEnd(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("<!--")):
		return syntax.MarkEnd(text, 4, "-->")
	case text[1] == '?':
		return syntax.MarkEnd(text, 2, "?>")
	}
	return syntax.MarkEnd(text, 1, ">")
}

// appendAttribute appends an attribute as it is shown in a title.
func appendAttribute(dst []byte, a syntax.Attributes) []byte {
	dst = caption.Append(dst, a.Name, maxShown)
	return appendUnescaped(append(dst, '='), a.Value, maxShown)
}

// separate appends sep unless dst is empty from start on.
func separate(dst []byte, start int, sep string) []byte {
	if len(dst) > start {
		dst = append(dst, sep...)
	}
	return dst
}
