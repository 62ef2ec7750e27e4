package mdscan

import "bytes"

// marks are the bytes that may not be meant to be read.
var marks = [256]bool{'\\': true, '`': true, '*': true, '<': true, '!': true, '[': true}

// AppendTitle appends what a reader sees of a heading's text: link texts without
// their targets, no emphasis, code or HTML marks, no {#anchor}. The bytes are
// cleaned, not parsed: what is odd stays as it is, and so do blanks at the ends.
func AppendTitle(dst, text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] == '}' {
		if i := bytes.LastIndex(text, []byte("{#")); i > 0 {
			text = trimmed(text[:i])
		}
	}
	for i := 0; i < len(text); i++ {
		plain := i
		for i < len(text) && !marks[text[i]] {
			i++
		}
		dst = append(dst, text[plain:i]...)
		if i == len(text) {
			break
		}
		switch c := text[i]; c {
		case '\\':
			if i+1 < len(text) && !letter(text[i+1]) {
				i++
				dst = append(dst, text[i])
			}
		case '*':
			if i > 0 && text[i-1] == ' ' && i+1 < len(text) && text[i+1] == ' ' {
				dst = append(dst, c)
			}
		case '<':
			if end := tagEnd(text[i:]); end > 0 {
				i += end
				continue
			}
			dst = append(dst, c)
		case '!':
			if i+1 == len(text) || text[i+1] != '[' {
				dst = append(dst, c)
			}
		case '[':
			label, rest, ok := link(text[i:])
			if !ok {
				dst = append(dst, c)
				continue
			}
			dst = AppendTitle(dst, bytes.TrimSpace(label)) // holds no links
			i += rest - 1
		}
	}
	return dst
}

// link reads [label](target) or [label][name] and returns its length.
func link(b []byte) (label []byte, n int, ok bool) {
	end := bytes.IndexByte(b, ']')
	if end < 0 || end+1 == len(b) || bytes.IndexByte(b[1:end], '[') >= 0 {
		return nil, 0, false
	}
	closer := byte(')')
	switch b[end+1] {
	case '(':
	case '[':
		closer = ']'
	default:
		return nil, 0, false
	}
	target := bytes.IndexByte(b[end+2:], closer)
	if target < 0 {
		return nil, 0, false
	}
	return b[1:end], end + 2 + target + 1, true
}

// tagEnd is the offset of the > that ends the tag b begins with, 0 if it
// begins with none.
func tagEnd(b []byte) int {
	if len(b) < 3 || !letter(b[1]) && b[1] != '/' && b[1] != '!' {
		return 0
	}
	return max(0, bytes.IndexByte(b, '>'))
}
