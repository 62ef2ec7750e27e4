package xmlscan

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

// appendRaw appends a title of what is no markup, or instead.
func appendRaw(dst, text []byte, instead string) []byte {
	start := len(dst)
	if dst = caption.Append(dst, text, maxTitle); len(dst) == start {
		dst = append(dst, instead...)
	}
	return dst
}

// appendText appends a title of text, or instead where it shows nothing.
func appendText(dst, text []byte, instead string) []byte {
	start := len(dst)
	if dst = appendUnescaped(dst, text, maxTitle); len(dst) == start {
		dst = append(dst, instead...)
	}
	return dst
}

// appendUnescaped appends one line of the start of a text.
func appendUnescaped(dst, text []byte, max int) []byte {
	text = text[skip(text, 0):]
	if cut := text[:min(len(text), 4*max)]; Find(cut, 0, '&', '<') == len(cut) {
		return caption.Append(dst, text, max)
	}
	var plain [6 * maxTitle]byte
	return caption.Append(dst, AppendPlain(plain[:0], text, max+1), max)
}

// AppendPlain appends the start of a text, which are max bytes and a few more,
// without its tags and with its entities replaced. It is for titles: entities of
// a text's own stay as they are.
func AppendPlain(dst, text []byte, max int) []byte {
	for start := len(dst); len(text) > 0 && len(dst)-start < max; {
		switch c := text[0]; {
		case c == '<' && bytes.HasPrefix(text, []byte("<![CDATA[")):
			text = text[len("<![CDATA["):]
		case c == ']' && bytes.HasPrefix(text, []byte("]]>")):
			text = text[len("]]>"):]
		case c == '<' && len(text) > 1 && (class[text[1]]&nameStart != 0 || bytes.IndexByte([]byte("/!?"), text[1]) >= 0):
			end := markupEnd(text)
			if end < 0 {
				return dst
			}
			text = text[end:]
		case c == '&':
			r, n := Entity(text)
			dst, text = utf8.AppendRune(dst, r), text[n:]
		default:
			dst, text = append(dst, c), text[1:]
		}
	}
	return dst
}

// markupEnd is the offset behind the markup that begins a text, -1 if it does
// not end.
func markupEnd(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("<!--")):
		return after(text, 4, "-->")
	case text[1] == '?':
		return after(text, 2, "?>")
	}
	return after(text, 1, ">")
}

// maxEntity is the size of a reference that is looked at, its signs included.
const maxEntity = 12

// Entity reads the reference at the start of a text. What is none is "&".
func Entity(text []byte) (r rune, n int) {
	end := bytes.IndexByte(text[:min(len(text), maxEntity)], ';')
	if end < 2 {
		return '&', 1
	}
	name := string(text[1:end])
	if name[0] != '#' {
		if r, ok := entities[name]; ok {
			return r, end + 1
		}
		return '&', 1
	}
	base := 10
	if name = name[1:]; name != "" && name[0]|0x20 == 'x' {
		name, base = name[1:], 16
	}
	v, err := strconv.ParseUint(name, base, 31)
	if err != nil || !utf8.ValidRune(rune(v)) {
		return '&', 1
	}
	return rune(v), end + 1
}

// entities of XML, and those of HTML that stand in headings.
var entities = map[string]rune{
	"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\'', "nbsp": ' ', "copy": '©', "reg": '®', "trade": '™',
	"ndash": '–', "mdash": '—', "hellip": '…', "lsquo": '‘', "rsquo": '’', "ldquo": '“', "rdquo": '”', "laquo": '«', "raquo": '»',
	"middot": '·', "bull": '•', "para": '¶', "sect": '§', "times": '×', "rarr": '→', "larr": '←', "pi": 'π', "sum": '∑',
}
