package markdown

import "bytes"

// inlineMarks are the bytes that may be invisible marks.
var inlineMarks = [256]bool{'\\': true, '`': true, '*': true, '<': true, '!': true, '[': true}

// AppendTitle appends the visible text of a heading: link texts without their targets,
// no marks of emphasis, code and HTML, no {#anchor}. It does not parse the text: malformed
// marks and surrounding blanks are unchanged.
func AppendTitle(dst, text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] == '}' {
		if i := bytes.LastIndex(text, []byte("{#")); i > 0 {
			text = trimRight(text[:i])
		}
	}
	for i := 0; i < len(text); {
		plain := i
		for i < len(text) && !inlineMarks[text[i]] {
			i++
		}
		if dst = append(dst, text[plain:i]...); i < len(text) {
			var size int
			dst, size = appendMark(dst, text, i)
			i += size
		}
	}
	return dst
}

// appendMark appends the visible text of the mark at text[i] and returns the size of the
// mark.
func appendMark(dst, text []byte, i int) (_ []byte, size int) {
	c, rest := text[i], text[i+1:]
	switch c {
	case '\\':
		if len(rest) > 0 && !isLetter(rest[0]) {
			return append(dst, rest[0]), 2
		}
		return dst, 1
	case '*':
		if i > 0 && text[i-1] == ' ' && len(rest) > 0 && rest[0] == ' ' {
			break
		}
		return dst, 1
	case '<':
		if end := tagEnd(text[i:]); end > 0 {
			return dst, end + 1
		}
	case '!':
		if len(rest) > 0 && rest[0] == '[' {
			return dst, 1
		}
	case '[':
		if label, n, ok := parseLink(text[i:]); ok {
			return AppendTitle(dst, bytes.TrimSpace(label)), n // the label contains no links
		}
	default:
		return dst, 1
	}
	return append(dst, c), 1
}

// parseLink parses [label](target) or [label][name] at the start of b and returns its size
// in bytes.
func parseLink(b []byte) (label []byte, n int, ok bool) {
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

// tagEnd returns the offset of the > that ends the tag at the start of b, 0 if there is no
// tag.
func tagEnd(b []byte) int {
	if len(b) < 3 || !isLetter(b[1]) && b[1] != '/' && b[1] != '!' {
		return 0
	}
	return max(0, bytes.IndexByte(b, '>'))
}
