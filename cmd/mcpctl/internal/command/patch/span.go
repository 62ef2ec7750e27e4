package patch

import "strings"

// span is a range of lines of a block-style mapping, or of a field from its key on.
type span struct{ from, to int }

// indentOf returns the indentation of a line; ok is false for blank lines and comments.
func indentOf(line string) (indent string, ok bool) {
	text := strings.TrimLeft(line, " ")
	return line[:len(line)-len(text)], text != "" && text[0] != '#'
}

// indent returns the indentation of the keys of a mapping.
func (s span) indent(lines []string) (string, bool) {
	for _, l := range lines[s.from:s.to] {
		if indent, ok := indentOf(l); ok {
			return indent, true
		}
	}
	return "", false
}

// find returns the lines from a field of the mapping to its end.
func (s span) find(lines []string, key string) (span, bool) {
	want, ok := s.indent(lines)
	if !ok {
		return span{}, false
	}
	for i := s.from; i < s.to; i++ {
		if indent, ok := indentOf(lines[i]); ok && indent == want && keyOf(lines[i]) == key {
			return span{i, s.to}, true
		}
	}
	return span{}, false
}

// below returns the lines indented below the field's key.
func (s span) below(lines []string) span {
	outer, _ := indentOf(lines[s.from])
	to := s.from + 1
	for to < s.to {
		if indent, ok := indentOf(lines[to]); ok && len(indent) <= len(outer) && !strings.HasPrefix(lines[to][len(indent):], "- ") {
			break
		}
		to++
	}
	inner := span{s.from + 1, to}
	if _, ok := inner.indent(lines); !ok {
		return span{inner.from, inner.from} // comments and blank lines only
	}
	return inner
}

// lastLine returns the index of the last line of the mapping that is neither blank nor a comment.
func (s span) lastLine(lines []string) int {
	last := s.from
	for i := s.from; i < s.to; i++ {
		if _, ok := indentOf(lines[i]); ok {
			last = i
		}
	}
	return last
}

// keyOf returns the key of a line without quotes, or "".
func keyOf(line string) string {
	end := keyEnd(line)
	if end == 0 {
		return ""
	}
	key := strings.TrimSpace(line[:end-1])
	if len(key) > 1 && (key[0] == '"' || key[0] == '\'') && key[len(key)-1] == key[0] {
		key = key[1 : len(key)-1]
	}
	return key
}

// keyEnd returns the offset after the colon of a line, or 0 if it has none.
func keyEnd(line string) int {
	if strings.HasSuffix(line, ":") && !strings.Contains(line, ": ") {
		return len(line)
	}
	if i := strings.Index(line, ": "); i >= 0 {
		return i + 1
	}
	return 0
}
