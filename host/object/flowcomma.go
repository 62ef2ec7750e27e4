package object

import "strings"

// brokenByComma reports whether a key nobody asked for is the rest of the value of the
// key before it, which a comma inside {...} has ended: {help: pumps, and their oil}.
func (f *fields) brokenByComma(got Field) (before string, ok bool) {
	if got.Value.Type != Null && !strings.Contains(got.Name, " ") || !f.src.afterComma(got.At) {
		return "", false
	}
	for _, other := range f.v.Fields {
		if other.Name == got.Name {
			return before, before != ""
		}
		if other.Value.Type == String { // the rest of the rest follows a part without a value
			before = other.Name
		}
	}
	return "", false
}

// afterComma reports whether a comma stands before a place, on its line.
func (s *Source) afterComma(at Position) bool {
	if s == nil || at.Line < 1 {
		return false
	}
	lines := s.lines()
	if at.Line > len(lines) {
		return false
	}
	line := []rune(lines[at.Line-1])
	return strings.HasSuffix(strings.TrimRight(string(line[:min(max(at.Column-1, 0), len(line))]), " \t"), ",")
}
