package mdscan

import "bytes"

// Title is what a reader sees of a heading's text: link texts without their
// targets, no emphasis, code or HTML marks, no {#anchor}. The bytes are cleaned,
// not parsed: what is odd stays as it is.
func Title(text []byte) []byte {
	if i := bytes.LastIndex(text, []byte("{#")); i > 0 && text[len(text)-1] == '}' {
		text = text[:i]
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if i+1 < len(text) && !letter(text[i+1]) {
				i++
				out = append(out, text[i])
			}
		case '`':
		case '*':
			if i > 0 && text[i-1] == ' ' && i+1 < len(text) && text[i+1] == ' ' {
				out = append(out, c)
			}
		case '<':
			if end := tagEnd(text[i:]); end > 0 {
				i += end
				continue
			}
			out = append(out, c)
		case '!':
			if i+1 == len(text) || text[i+1] != '[' {
				out = append(out, c)
			}
		case '[':
			label, rest, ok := link(text[i:])
			if !ok {
				out = append(out, c)
				continue
			}
			out = append(out, Title(label)...)
			i += rest - 1
		default:
			out = append(out, c)
		}
	}
	return bytes.TrimSpace(out)
}

// link reads [label](target) or [label][name] and returns its length.
func link(b []byte) (label []byte, n int, ok bool) {
	end := bytes.IndexByte(b, ']')
	if end < 0 || end+1 == len(b) || bytes.IndexByte(b[1:end], '[') >= 0 {
		return nil, 0, false
	}
	closer := map[byte]byte{'(': ')', '[': ']'}[b[end+1]]
	if closer == 0 {
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
