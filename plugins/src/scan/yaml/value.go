package yaml

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml/syntax"
)

// field returns the value of a field of a mapping. It is empty unless the value is a
// scalar on one line.
func (t *tree) field(item int32, name string) []byte {
	c := t.child(item, name)
	if c < 0 {
		return nil
	}
	start, end := t.scalar(c)
	return t.Text[start:end]
}

// scalar returns the span of the text of a plain or quoted scalar. It is empty if
// the value is something else, has several lines, or has escapes.
func (t *tree) scalar(i int32) (start, end int32) {
	n := t.Node(i)
	if n.Kind != syntax.Plain && n.Kind != syntax.Quoted {
		return 0, 0
	}
	line := t.Text[n.Value:t.Parts[i].End]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		if n.Kind == syntax.Plain && hasContent(line[i+1:]) {
			return 0, 0
		}
		line = line[:i]
	}
	switch n.Kind {
	case syntax.Plain:
		if i := commentStart(line); i >= 0 {
			line = line[:i]
		}
		return n.Value, n.Value + int32(len(bytes.TrimRight(line, " \t\r")))
	case syntax.Quoted:
		if i := bytes.IndexByte(line[1:], line[0]); i >= 0 && bytes.IndexByte(line[:i+1], '\\') < 0 && !(i+2 < len(line) && line[i+2] == '\'') {
			return n.Value + 1, n.Value + 1 + int32(i)
		}
	}
	return 0, 0
}

// scalarStart returns the start of a scalar without its opening quote, about max
// bytes of it.
func (t *tree) scalarStart(i int32, max int) []byte {
	n := t.Node(i)
	text := t.Text[n.Value:t.Parts[i].End]
	switch n.Kind {
	case syntax.Plain:
		text = text[:min(len(text), max)]
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		if i := commentStart(line); i >= 0 {
			text = text[:i]
		} else if !hasContent(rest) {
			text = line
		}
	case syntax.Quoted:
		text = text[1:]
		if i := bytes.IndexByte(text, t.Text[n.Value]); i >= 0 {
			text = text[:i]
		}
	case syntax.Literal:
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
		}
	}
	return text[:min(len(text), max)]
}

// commentStart returns the offset of the blank before a comment in a line, or -1.
func commentStart(line []byte) int {
	for at := 0; ; at++ {
		i := bytes.IndexByte(line[at:], '#')
		if i < 0 {
			return -1
		}
		if at += i; at > 0 && line[at-1] == ' ' {
			return at - 1
		}
	}
}

// hasContent reports whether the text has lines that are neither blank nor comments nor actions of a template.
func hasContent(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && !syntax.IsAction(line) {
			return true
		}
	}
	return false
}

// appendKeyText appends the text of a key without quotes and escapes.
func appendKeyText(dst, key []byte) []byte {
	if len(key) < 2 || key[0] != '"' && key[0] != '\'' {
		return append(dst, key...)
	}
	body := key[1 : len(key)-1]
	if key[0] == '\'' {
		return append(dst, bytes.ReplaceAll(body, []byte("''"), []byte("'"))...)
	}
	for {
		i := bytes.IndexByte(body, '\\')
		if i < 0 || i+1 == len(body) {
			return append(dst, body...)
		}
		dst = append(dst, body[:i]...)
		r, n := unescape(body[i+1:])
		dst, body = utf8.AppendRune(dst, r), body[i+1+n:]
	}
}

// escapes are the escapes of one character.
var escapes = map[byte]rune{
	'0': 0, 'a': '\a', 'b': '\b', 't': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', 'e': 0x1b,
	'N': 0x85, '_': 0xa0, 'L': 0x2028, 'P': 0x2029,
}

// hexDigits holds the number of hexadecimal digits of each numeric escape.
var hexDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// unescape decodes the escape after a backslash and returns its length.
func unescape(b []byte) (r rune, n int) {
	if r, ok := escapes[b[0]]; ok {
		return r, 1
	}
	if n := hexDigits[b[0]]; n > 0 && len(b) > n {
		if v, err := strconv.ParseUint(string(b[1:1+n]), 16, 32); err == nil {
			return rune(min(v, utf8.MaxRune)), 1 + n
		}
	}
	return utf8.DecodeRune(b)
}
