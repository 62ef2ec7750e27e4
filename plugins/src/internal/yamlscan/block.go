package yamlscan

import (
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// token is what stands at the front of a node.
type token struct {
	is         sign
	start, end int // of a key: its text
	after      int // where what follows begins
	seen       uint8
}

type sign uint8

const (
	scalar  sign = iota
	dash         // - item
	key          // key:
	complex      // ? key
	colon        // : value of a complex key
)

// token reads what begins at p. Anchors and tags before a key are passed over.
func (s *scanner) token(p int) token {
	var is sign
	switch s.b[p] {
	case '-':
		is = dash
	case '?':
		is = complex
	case ':':
		is = colon
	default:
		return s.key(s.properties(p))
	}
	if !separated(s.b, p+1) {
		return s.key(p)
	}
	return token{is: is, after: s.blanks(p + 1)}
}

// node reads the line at "from" that begins with a node at p.
func (s *scanner) node(from, p int) {
	col := int32(p - from)
	t := s.token(p)
	n := len(s.open) // collections that stay open
	for n > 0 && (s.open[n-1].col > col || s.open[n-1].col == col && s.open[n-1].seq && t.is != dash) {
		n--
	}
	begin := from
	if s.lead >= 0 && s.leadCol <= int(col) {
		begin = s.lead
	}
	switch {
	case n > 0 && s.open[n-1].col == col && s.open[n-1].fits(t.is):
		if t.is == colon {
			begin = s.complexStart(n - 1)
		} else {
			s.close(n, begin)
			s.sibling(begin)
		}
	case s.state == pending && n == len(s.open) && (n == 0 || s.open[n-1].col < col || t.is == dash) && t.is != colon:
		if t.is == scalar {
			s.first(from, p)
			return
		}
		if begin = from; s.head >= 0 {
			begin = s.head
		}
		s.push(col, t.is == dash)
	default:
		s.odd(from)
		return
	}
	s.lead = -1
	s.entries(begin, from, t)
}

// fits reports whether an entry of a collection can begin so.
func (l *level) fits(is sign) bool {
	switch is {
	case dash:
		return l.seq
	case key, complex:
		return !l.seq
	case colon:
		return l.set
	}
	return false
}

// first reads a scalar on a line of its own, the value of what is pending.
func (s *scanner) first(from, p int) {
	s.lead = -1
	after := s.properties(p)
	switch {
	case s.ends(after): // of a collection on the next lines
		s.above(from)
		s.at = lines.End(s.b, after)
		return
	case len(s.open) == 0:
		s.root(after)
		return
	}
	s.census.more++
	kind := s.value(after, s.column())
	if at := s.open[len(s.open)-1].entry; at >= 0 {
		s.holds(at, kind, after)
		s.embed(at, after)
	}
}

// entries reads an entry and those that begin in it on the same line.
func (s *scanner) entries(begin, from int, t token) {
	for {
		p := s.entry(begin, t)
		if s.ends(p) {
			s.pend(begin, from, p)
			return
		}
		next := token{}
		if t.is != key && t.is != complex {
			next = s.token(p)
		}
		if next.is == scalar || next.is == colon {
			if p = s.properties(p); s.ends(p) {
				s.pend(begin, from, p)
			} else {
				s.inline(p, t.is)
			}
			return
		}
		s.push(int32(p-from), next.is == dash)
		t = next
	}
}

// pend says that the value of the entry just read begins on a later line: this
// one, which began at "from", ends behind p. The entry begins at "begin".
func (s *scanner) pend(begin, from, p int) {
	s.state, s.head = pending, -1
	if s.complexKey() != nil {
		s.state = running
	}
	s.at = lines.End(s.b, p)
	if begin != from || !structural(s.b, from, s.at) {
		s.head = begin
	}
}

// structural reports whether a line holds dashes and one key alone, so that it
// may stand between parts. A key with signs in it that another might have could
// be read in two ways: it may not.
func structural(b []byte, i, end int) bool {
	for end > i && b[end-1] <= ' ' {
		end--
	}
	for i < end && (b[i] == ' ' || b[i] == '\t' || b[i] == '-' && (i+1 == end || b[i+1] == ' ')) {
		i++
	}
	if i == end {
		return true
	}
	if end--; i == end || b[end] != ':' {
		return false
	}
	q := b[i]
	if quoted := q == '"' || q == '\''; quoted {
		if end--; i == end || b[end] != q {
			return false
		}
		i++
	} else if r, _ := utf8.DecodeRune(b[i:end]); class[q]&indicator != 0 || unicode.IsSpace(r) {
		return false
	}
	for ; i < end; i++ {
		if c := b[i]; class[c]&ambiguous != 0 && (q != '"' && q != '\'' || c == q || c == '\\' || c < ' ') {
			return false
		}
	}
	return true
}

// inline reads a value that begins at p, behind the key or dash.
func (s *scanner) inline(p int, is sign) {
	at := s.open[len(s.open)-1].entry
	if is == complex { // its lines are not looked into
		s.state = running
		end, _ := s.plainEnd(p)
		s.at = lines.End(s.b, end)
		return
	}
	kind := s.value(p, s.column())
	if at < 0 {
		return
	}
	s.holds(at, kind, p)
	s.embed(at, p)
}

// entryStart is where a part begins; 0 if it is not noted, which no part inside
// will ask for.
func (s *scanner) entryStart(at int32) int {
	if at < 0 {
		return 0
	}
	return int(s.parts[at].Start)
}

// complexStart is where the entry begins whose value comes now.
func (s *scanner) complexStart(n int) int { return s.entryStart(s.open[n].entry) }
