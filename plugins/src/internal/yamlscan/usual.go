package yamlscan

import "github.com/mcpctl/mcpctl/plugins/src/internal/lines"

// usual reads a line of the kinds that most lines are of: "key: value", "key:",
// "- key: value", "- key:" and "- value", all of plain scalars, below no comment.
// It does what node does, in one go: calls are what costs in Wasm. Any other line
// it leaves alone.
func (s *scanner) usual(from, p int) bool {
	b, key, item := s.b, p, false
	if s.lead >= 0 || p+3 >= len(b) {
		return false
	}
	if b[p] == '-' && b[p+1] == ' ' {
		key, item = p+2, true
	}
	if class[b[key]]&simple == 0 {
		return false
	}
	seen, end := uint8(0), key
	for end < len(b) && class[b[end]]&ending == 0 {
		seen |= class[b[end]]
		end++
	}
	if end+1 >= len(b) || b[end-1] <= ' ' {
		return false
	}
	value, keyed := key, b[end] == ':'
	if keyed {
		for value = end + 1; value+1 < len(b) && b[value] == ' '; value++ {
		}
		if b[value] != '\n' && (value == end+1 || class[b[value]]&simple == 0) {
			return false
		}
	} else if !item || b[end] != '\n' {
		return false
	}
	begin, ok := s.place(from, int32(p-from), item)
	if !ok {
		return false
	}
	if item {
		s.item(begin)
	}
	if keyed {
		if item {
			s.push(int32(key-from), false)
		}
		s.keyed(begin, key, end, seen)
	}
	if b[value] != '\n' {
		colon := false
		if keyed {
			end, colon = s.plainEnd(value)
		}
		s.plain(value, end, colon)
		return true
	}
	s.state, s.head, s.at = pending, -1, value+1
	if begin != from || seen&ambiguous != 0 { // as structural says
		s.head = begin
	}
	return true
}

// place makes the collection the innermost one that an entry at a column is of. It
// returns where the entry begins.
func (s *scanner) place(from int, col int32, item bool) (begin int, ok bool) {
	n := len(s.open)
	for n > 0 && (s.open[n-1].col > col || s.open[n-1].col == col && s.open[n-1].seq && !item) {
		n--
	}
	switch {
	case n > 0 && s.open[n-1].col == col && s.open[n-1].seq == item:
		if n < len(s.open) {
			s.close(n, from)
		}
		s.sibling(from)
		return from, true
	case s.state == pending && n == len(s.open) && (n == 0 || s.open[n-1].col < col || item):
		if begin = from; s.head >= 0 {
			begin = s.head
		}
		s.push(col, item)
		return begin, true
	}
	return 0, false
}

// plain notes the plain value b[p:end] of the entry just read, as plainEnd found it.
func (s *scanner) plain(p, end int, colon bool) {
	if colon {
		s.census.odd++
	}
	l := &s.open[len(s.open)-1]
	s.census.said(s.b[p:end], l.col)
	s.state, s.head, s.at = running, -1, end+1
	if end == len(s.b) || s.b[end] != '\n' { // behind a comment
		s.at = lines.End(s.b, end)
	}
	if l.entry >= 0 {
		s.holds(l.entry, plain, p)
	}
}
