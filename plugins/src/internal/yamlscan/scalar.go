package yamlscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// class says what a byte can mean in a key or a plain scalar.
var class = classes()

const (
	ending    uint8 = 1 << iota // it can end one
	blank                       // it parts words
	unlikely                    // code has it, keys rarely have
	indicator                   // a plain one does not begin so
	ambiguous                   // what stands alone on a line could be read in two ways
	simple                      // a plain one may begin so, and means nothing else
)

func classes() (c [256]uint8) {
	for chars, is := range map[string]uint8{
		"\n:#": ending, " ": blank, "(=;<": unlikely, "{}[],-&!*?|>%@`": indicator, "#:\"\\\r": ambiguous,
	} {
		for i := range len(chars) {
			c[chars[i]] |= is
		}
	}
	c['\''] |= ambiguous // it ends a key in such quotes
	for i := range ' ' {
		c[i] |= ambiguous
	}
	for b := range c {
		if b := byte(b); b|0x20 >= 'a' && b|0x20 <= 'z' || b-'0' <= 9 || b == '_' || b == '/' || b == '.' || b == '$' {
			c[b] |= simple
		}
	}
	return c
}

// key reads a key at p, if it is one.
func (s *scanner) key(p int) token {
	b := s.b
	if p >= len(b) {
		return token{}
	}
	switch b[p] {
	case '"', '\'':
		end := s.quoted(p)
		if end < 0 {
			return token{}
		}
		after := s.blanks(end)
		if after == len(b) || b[after] != ':' || !separated(b, after+1) || bytes.IndexByte(b[p:end], '\n') >= 0 {
			return token{}
		}
		return token{is: key, start: p, end: end, after: s.blanks(after + 1)}
	case '[', ']', '{', '}', ',', '#', '|', '>', '@', '`', '\n':
		return token{}
	}
	seen := uint8(0)
	for i := p; i < len(b); i++ {
		f := class[b[i]]
		if seen |= f; f&ending == 0 {
			continue
		}
		switch c := b[i]; {
		case c == ':' && i > p && separated(b, i+1):
			return token{is: key, start: p, end: trimmed(b, p, i), after: s.blanks(i + 1), seen: seen}
		case c == '\n' || c == '#' && i > p && (b[i-1] == ' ' || b[i-1] == '\t'):
			return token{}
		}
	}
	return token{}
}

// trimmed is the end of b[start:end] without blanks at its end.
func trimmed(b []byte, start, end int) int {
	for end > start && (b[end-1] == ' ' || b[end-1] == '\t') {
		end--
	}
	return end
}

// plainEnd returns where the text at p ends on its line, and whether there is
// something in it that looks like a key.
func (s *scanner) plainEnd(p int) (end int, colon bool) {
	b := s.b
	for i := p; i < len(b); i++ {
		if class[b[i]]&ending == 0 {
			continue
		}
		switch c := b[i]; {
		case c == '\n':
			return i, colon
		case c == '#' && i > p && (b[i-1] == ' ' || b[i-1] == '\t'):
			return i, colon
		case c == ':' && i > p && separated(b, i+1):
			colon = true
		}
	}
	return len(b), colon
}

// properties passes over anchors and tags and the blanks behind them.
func (s *scanner) properties(p int) int {
	for p < len(s.b) && (s.b[p] == '&' || s.b[p] == '!') {
		for !separated(s.b, p) {
			p++
		}
		p = s.blanks(p)
	}
	return p
}

// value reads the value at p of an entry in a collection on column col, up to
// the end of the line it ends on.
func (s *scanner) value(p int, col int32) kind {
	s.state, s.head = closed, -1
	switch c := s.b[p]; c {
	case '|', '>':
		if end := s.header(p); end >= 0 {
			s.at = end
			s.block(col)
			return literal
		}
	case '"', '\'':
		if end := s.quoted(p); end >= 0 {
			s.rest(end)
			return quoted
		}
	case '[', '{':
		if s.b[p] == '{' && p+1 < len(s.b) && s.b[p+1] == '{' {
			break // a template, which may go on behind it
		}
		if end := s.flow(p); end >= 0 {
			s.rest(end)
			return flow
		}
	case '@', '`', '%':
		s.census.odd++
	case '*', '-', '?':
		if separated(s.b, p+1) {
			s.census.odd++
		}
	}
	end, colon := s.plainEnd(p)
	if colon {
		s.census.odd++
	}
	s.census.said(s.b[p:end], col)
	s.state = running
	s.at = lines.End(s.b, end)
	return plain
}

// rest reads the line behind a value that says where it ends.
func (s *scanner) rest(p int) {
	if after := s.blanks(p); !s.ends(after) || after == p && after < len(s.b) && s.b[after] == '#' {
		s.census.odd++
	}
	s.at = lines.End(s.b, p)
}

// header returns the end of the line that begins a block scalar, -1 if it does
// not.
func (s *scanner) header(p int) int {
	p++
	for p < len(s.b) && (s.b[p] == '+' || s.b[p] == '-' || s.b[p]-'1' <= 8) {
		p++
	}
	if !separated(s.b, p) || !s.ends(s.blanks(p)) {
		return -1
	}
	return lines.End(s.b, p)
}

// block passes over the lines of a block scalar: those that are blank or
// indented deeper than col.
func (s *scanner) block(col int32) {
	for s.at < len(s.b) {
		p := s.spaces(s.at)
		if p-s.at <= int(col) && !s.blankFrom(p) || col < 0 && p == s.at && IsMark(s.b[p:]) {
			return
		}
		s.at = lines.End(s.b, p)
	}
}

// limit is how far a value that begins at p is looked for its end: once there was
// one without, no further than its line.
func (s *scanner) limit(p int) int {
	if s.census.open {
		return lines.End(s.b, p)
	}
	return len(s.b)
}

// quoted returns the end of the quoted scalar at p, -1 if it does not end.
func (s *scanner) quoted(p int) int {
	q, b := s.b[p], s.b[:s.limit(p)]
	for i := p + 1; ; {
		n := bytes.IndexByte(b[i:], q)
		if n < 0 {
			s.census.open = true
			return -1
		}
		i += n + 1
		if q == '\'' {
			if i == len(b) || b[i] != q {
				return i
			}
			i++
			continue
		}
		slashes := i - 2
		for b[slashes] == '\\' {
			slashes--
		}
		if (i-slashes)%2 == 0 {
			return i
		}
	}
}

// flow returns the end of the flow collection at p, -1 if it does not end.
func (s *scanner) flow(p int) int {
	depth, limit := 0, s.limit(p)
	for i := p; i < limit; i++ {
		switch s.b[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			if !opens(s.b[i-1]) {
				continue // inside a word
			}
			end := s.quoted(i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case '#':
			if s.b[i-1] == ' ' || s.b[i-1] == '\t' || s.b[i-1] == '\n' {
				i = lines.End(s.b, i) - 1
			}
		}
	}
	s.census.open = true
	return -1
}

// opens reports whether a quote behind c begins a scalar.
func opens(c byte) bool {
	return bytes.IndexByte([]byte(" \t\r\n,[{:"), c) >= 0
}
