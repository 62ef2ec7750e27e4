package syntax

import "github.com/mcpctl/mcpctl/plugins/src/internal/lines"

// readUsualLine reads a line of the most frequent forms: "key: value", "key:",
// "- key: value", "- key:" and "- value", with plain scalars and no comment above.
// It is equivalent to readNode but takes fewer calls, which are slow in Wasm. It
// reports whether it has read the line.
func (s *scanner) readUsualLine(from, p int) bool {
	b, start, item := s.b, p, false
	if s.lead >= 0 || p+3 >= len(b) {
		return false
	}
	if b[p] == '-' && b[p+1] == ' ' {
		start, item = p+2, true
	}
	if class[b[start]]&simple == 0 {
		return false
	}
	seen, end := uint8(0), start
	for end < len(b) && class[b[end]]&ending == 0 {
		seen |= class[b[end]]
		end++
	}
	if end+1 >= len(b) || b[end-1] <= ' ' {
		return false
	}
	value, keyed := start, b[end] == ':'
	if keyed {
		for value = end + 1; value+1 < len(b) && b[value] == ' '; value++ {
		}
		if b[value] != '\n' && (value == end+1 || class[b[value]]&simple == 0) {
			return false
		}
	} else if !item || b[end] != '\n' {
		return false
	}
	begin, ok := s.placeEntry(from, int32(p-from), item)
	if !ok {
		return false
	}
	if item {
		s.addItem(begin)
	}
	if keyed {
		if item {
			s.openCollection(int32(start-from), false)
		}
		s.addKey(begin, start, end, seen)
	}
	if b[value] != '\n' {
		colon := false
		if keyed {
			end, colon = plainEnd(b, value)
		}
		s.addPlainValue(value, end, colon)
		return true
	}
	s.state, s.head, s.at = pending, -1, value+1
	if begin != from || seen&ambiguous != 0 { // the line is not structural
		s.head = begin
	}
	return true
}

// placeEntry makes the collection of an entry in column col the innermost one. It
// returns the beginning of the entry.
func (s *scanner) placeEntry(from int, col int32, item bool) (begin int, ok bool) {
	n := s.openAbove(col, item)
	switch {
	case n > 0 && s.open[n-1].col == col && s.open[n-1].seq == item:
		if n < len(s.open) {
			s.closeCollections(n, from)
		}
		s.endEntry(from)
		return from, true
	case s.canOpen(n, col, item):
		if begin = from; s.head >= 0 {
			begin = s.head
		}
		s.openCollection(col, item)
		return begin, true
	}
	return 0, false
}

// addPlainValue sets the plain value b[p:end] of the entry just read. end and colon
// are the results of plainEnd.
func (s *scanner) addPlainValue(p, end int, colon bool) {
	if colon {
		s.evidence.Odd++
	}
	c := &s.open[len(s.open)-1]
	s.evidence.addText(s.b[p:end], c.col)
	s.state, s.head, s.at = running, -1, end+1
	if end == len(s.b) || s.b[end] != '\n' { // a comment follows
		s.at = lines.End(s.b, end)
	}
	if c.entry >= 0 {
		s.setValue(c.entry, Plain, p)
	}
}
