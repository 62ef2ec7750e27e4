// Package entity decodes the character references of XML and HTML.
package entity

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// maxSize is the size of the longest reference in bytes, with & and semicolon.
const maxSize = 12

// Decode decodes the reference at the start of text, which begins with &. It returns
// the size of the reference. An & that begins no known reference is a character.
func Decode(text []byte) (r rune, size int) {
	end := bytes.IndexByte(text[:min(len(text), maxSize)], ';')
	if end < 2 {
		return '&', 1
	}
	name := string(text[1:end])
	if name[0] != '#' {
		if r, ok := named[name]; ok {
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

// named holds the entities of XML, and those of HTML that are frequent in headings.
var named = map[string]rune{
	"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\'', "nbsp": ' ', "copy": '©', "reg": '®', "trade": '™',
	"ndash": '–', "mdash": '—', "hellip": '…', "lsquo": '‘', "rsquo": '’', "ldquo": '“', "rdquo": '”', "laquo": '«', "raquo": '»',
	"middot": '·', "bull": '•', "para": '¶', "sect": '§', "times": '×', "rarr": '→', "larr": '←', "pi": 'π', "sum": '∑',
}
