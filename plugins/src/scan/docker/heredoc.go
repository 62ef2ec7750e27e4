package docker

import "bytes"

// maxSearches is the number of heredocs without an end in a text. Each is searched to the
// end of the text.
const maxSearches = 8

// skipHeredocs returns the end of the instruction in b[at:end] with its heredocs, each of
// which begins with a word <<MARK. A heredoc without an end is none.
func (s *scanner) skipHeredocs(at, end int) int {
	rest := s.Text[at:end]
	next := end
	for s.searches < maxSearches {
		n := bytes.Index(rest, []byte("<<"))
		if n < 0 {
			break
		}
		before := bytes.TrimRight(rest[:n], "0123456789")
		rest = rest[n+len("<<"):]
		if len(before) > 0 && before[len(before)-1] != ' ' && before[len(before)-1] != '\t' && before[len(before)-1] != '\n' {
			continue
		}
		mark, tabs := cutMark(rest)
		if len(mark) == 0 {
			continue
		}
		if after, ok := s.findMark(next, mark, tabs); ok {
			next = after
		} else {
			s.searches++
		}
	}
	return next
}

// cutMark returns the mark of a heredoc at the start of text, without quotes. tabs reports
// whether tabs may be before the mark at its end.
func cutMark(text []byte) (mark []byte, tabs bool) {
	if text, tabs = bytes.CutPrefix(text, []byte("-")); len(text) == 0 {
		return nil, false
	}
	if q := text[0]; q == '"' || q == '\'' {
		n := bytes.IndexByte(text[1:], q)
		return text[1 : 1+max(0, n)], tabs
	}
	n := 0
	for n < len(text) && (text[n]|0x20-'a' < 26 || text[n]-'0' < 10 || text[n] == '_' || text[n] == '.' || text[n] == '-') {
		n++
	}
	return text[:n], tabs
}

// findMark returns the offset after the line that consists of a mark.
func (s *scanner) findMark(at int, mark []byte, tabs bool) (after int, ok bool) {
	for at < len(s.Text) {
		next := s.lines.End(at)
		line := bytes.TrimRight(s.Text[at:next], "\r\n")
		if tabs {
			line = bytes.TrimLeft(line, "\t")
		}
		if bytes.Equal(line, mark) {
			return next, true
		}
		at = next
	}
	return 0, false
}
