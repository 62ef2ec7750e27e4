package syntax

import "github.com/mcpctl/mcpctl/plugins/src/internal/lines"

// readNode reads the line at from, which begins with a node at p.
func (s *scanner) readNode(from, p int) {
	col := int32(p - from)
	t := s.readToken(p)
	n := s.openAbove(col, t.is == dash)
	begin := from
	if s.lead >= 0 && s.leadCol <= int(col) {
		begin = s.lead
	}
	switch {
	case n > 0 && s.open[n-1].col == col && s.open[n-1].fits(t.is):
		if t.is == colon {
			begin = s.start(s.open[n-1].entry)
		} else {
			s.closeCollections(n, begin)
			s.endEntry(begin)
		}
	case s.canOpen(n, col, t.is == dash) && t.is != colon:
		if t.is == scalar {
			s.readLoneScalar(from, p)
			return
		}
		if begin = from; s.head >= 0 {
			begin = s.head
		}
		s.openCollection(col, t.is == dash)
	default:
		s.skipOdd(from)
		return
	}
	s.lead = -1
	s.readEntries(begin, from, t)
}

// openAbove returns how many collections stay open before an entry in column col.
func (s *scanner) openAbove(col int32, item bool) int {
	n := len(s.open)
	for n > 0 && (s.open[n-1].col > col || s.open[n-1].col == col && s.open[n-1].seq && !item) {
		n--
	}
	return n
}

// canOpen reports whether the pending value may be a collection in column col, if n
// collections stay open.
func (s *scanner) canOpen(n int, col int32, item bool) bool {
	return s.state == pending && n == len(s.open) && (n == 0 || s.open[n-1].col < col || item)
}

// readLoneScalar reads the pending value: a scalar on a line of its own.
func (s *scanner) readLoneScalar(from, p int) {
	s.lead = -1
	value := skipProperties(s.b, p)
	switch {
	case isEnd(s.b, value): // properties of a collection on the next lines
		s.addToHead(from)
		s.at = lines.End(s.b, value)
		return
	case len(s.open) == 0:
		s.readRoot(value)
		return
	}
	s.evidence.more++
	s.readEntryValue(value)
}

// readEntries reads an entry and those that begin in it on the same line.
func (s *scanner) readEntries(begin, from int, t token) {
	for {
		p := s.readEntry(begin, t)
		if isEnd(s.b, p) {
			s.awaitValue(begin, from, p)
			return
		}
		next := token{}
		if t.is != key && t.is != complex {
			next = s.readToken(p)
		}
		if next.is == scalar || next.is == colon {
			if p = skipProperties(s.b, p); isEnd(s.b, p) {
				s.awaitValue(begin, from, p)
			} else {
				s.readInlineValue(p, t.is)
			}
			return
		}
		s.openCollection(int32(p-from), next.is == dash)
		t = next
	}
}

// readEntry adds one entry to the innermost collection and returns the offset of its
// value.
func (s *scanner) readEntry(begin int, t token) int {
	c := &s.open[len(s.open)-1]
	switch t.is {
	case colon:
		c.set = false
	case key:
		s.addKey(begin, t.start, t.end, t.seen)
	case complex:
		s.evidence.entries++
		end, _ := plainEnd(s.b, t.after)
		if i := s.addEntry(begin); i >= 0 {
			s.setKey(i, t.after, keySize(s.b[t.after:end]))
		}
		c.set = true
	default:
		s.addItem(begin)
	}
	return t.after
}

// awaitValue notes that the value of the entry just read begins on a later line.
// The entry begins at begin, its line at from, and p is the end of its text.
func (s *scanner) awaitValue(begin, from, p int) {
	s.state, s.head = pending, -1
	if s.hasComplexKey() {
		s.state = running
	}
	s.at = lines.End(s.b, p)
	if begin != from || !isStructural(s.b, from, s.at) {
		s.head = begin
	}
}

// readInlineValue reads a value at p, after its key or dash.
func (s *scanner) readInlineValue(p int, is tokenKind) {
	if is == complex { // its lines are not examined
		s.state = running
		end, _ := plainEnd(s.b, p)
		s.at = lines.End(s.b, end)
		return
	}
	s.readEntryValue(p)
}

// readEntryValue reads the value at p of the last entry of the innermost collection.
func (s *scanner) readEntryValue(p int) {
	kind := s.readValue(p, s.column())
	if i := s.open[len(s.open)-1].entry; i >= 0 {
		s.setValue(i, kind, p)
		s.addEmbedded(i, p)
	}
}

// readValue reads the value at p of an entry in a collection in column col, to the
// end of its last line.
func (s *scanner) readValue(p int, col int32) Kind {
	s.state, s.head = closed, -1
	switch c := s.b[p]; c {
	case '|', '>':
		if end := blockHeaderEnd(s.b, p); end >= 0 {
			s.at = blockEnd(s.b, end, col)
			return Literal
		}
	case '"', '\'':
		if end := s.quotedEnd(p); end >= 0 {
			s.endValue(end)
			return Quoted
		}
	case '[', '{':
		if c == '{' && p+1 < len(s.b) && s.b[p+1] == '{' {
			break // a template, which may continue after its braces
		}
		if end := s.flowEnd(p); end >= 0 {
			s.endValue(end)
			return Flow
		}
	case '@', '`', '%':
		s.evidence.Odd++
	case '*', '-', '?':
		if isSeparated(s.b, p+1) {
			s.evidence.Odd++
		}
	}
	end, colon := plainEnd(s.b, p)
	if colon {
		s.evidence.Odd++
	}
	s.evidence.addText(s.b[p:end], col)
	s.state = running
	s.at = lines.End(s.b, end)
	return Plain
}

// endValue reads the rest of the line after a quoted scalar or a flow collection.
func (s *scanner) endValue(p int) {
	if after := skipBlanks(s.b, p); !isEnd(s.b, after) || after == p && after < len(s.b) && s.b[after] == '#' {
		s.evidence.Odd++
	}
	s.at = lines.End(s.b, p)
}
