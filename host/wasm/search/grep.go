package search

import (
	"encoding/binary"
	"io"
	"regexp"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// The cost of a search is at most the pattern's steps times the bytes, about 18 ns
// each. Up to quickCost, 0.3 s, a search runs at full speed and cannot be stopped; a
// longer one calls check as it goes, which takes up to twice as long.
const (
	quickCost   = 1 << 24
	attemptCost = 16      // bytes that are searched in the time that an attempt takes to begin
	batchSize   = 1 << 16 // matches that the engine lists at once, 100 B each
)

// Matches receives the spans of matches as records of the ABI, as long as there is
// room.
type Matches struct {
	out    []byte
	offset int32 // of the data in its buffer
	n      int32
}

// NewMatches returns Matches that writes to out. offset is added to all positions.
func NewMatches(out []byte, offset int32) *Matches { return &Matches{out: out, offset: offset} }

// Len returns the number of matches.
func (m *Matches) Len() int32 { return m.n }

func (m *Matches) room() int { return len(m.out) / abi.MatchRecordSize }

func (m *Matches) add(start, end int) {
	binary.LittleEndian.PutUint32(m.out, uint32(int(m.offset)+start))
	binary.LittleEndian.PutUint32(m.out[4:], uint32(int(m.offset)+end))
	m.out = m.out[abi.MatchRecordSize:]
	m.n++
}

// addBatch adds the first matches in data. It reports whether there may be more, and
// returns the last one.
func (m *Matches) addBatch(re *regexp.Regexp, data []byte) (last []int, more bool) {
	limit := min(m.room(), batchSize)
	if limit == 0 {
		return nil, false
	}
	found := re.FindAllIndex(data, limit)
	for _, span := range found {
		m.add(span[0], span[1])
	}
	if len(found) < limit || m.room() == 0 {
		return nil, false
	}
	return found[limit-1], true
}

// Search adds the matches in data. A long search calls check repeatedly, which may
// panic to end it.
func (p *Pattern) Search(data []byte, m *Matches, check func()) error {
	switch {
	case p.literal != "":
		p.searchLiteral(data, m, check)
		return nil
	case p.steps*len(data) <= quickCost:
		last, more := m.addBatch(p.re, data)
		if !more {
			return nil
		}
		return p.searchChecked(data, last, m, check)
	}
	return p.searchChecked(data, nil, m, check)
}

func (p *Pattern) searchLiteral(data []byte, m *Matches, check func()) {
	needle := []byte(p.literal)
	for at := 0; m.room() > 0; {
		if m.n%batchSize == 0 {
			check()
		}
		found := Index(data[at:], needle)
		if found < 0 {
			return
		}
		m.add(at+found, at+found+len(needle))
		at += found + len(needle)
	}
}

// searchChecked continues after the match last, nil at the start, like FindAllIndex,
// and calls check as it reads. Every search but the first starts one character before
// the end of the last match, which an added prefix consumes, so that ^ and \b see the
// same text as in FindAllIndex.
func (p *Pattern) searchChecked(data []byte, last []int, m *Matches, check func()) error {
	s, err := p.newSearcher(data, check)
	if err != nil {
		return err
	}
	at, end := 0, -1
	if last != nil {
		at, end = continueAt(last, data), last[1]
	}
	for m.room() > 0 && at <= len(data) {
		found := s.find(at)
		if found == nil {
			break
		}
		if found[0] != found[1] || found[0] != end { // not an empty match directly after another
			m.add(found[0], found[1])
		}
		at, end = continueAt(found, data), found[1]
	}
	return nil
}

// continueAt returns the position at which the search continues after a match.
func continueAt(match []int, data []byte) int {
	at := match[1]
	if match[0] == match[1] {
		_, n := utf8.DecodeRune(data[at:])
		at += max(n, 1)
	}
	return at
}

// searcher finds one match after another.
type searcher struct {
	*Pattern
	next     *regexp.Regexp
	anchored *regexp.Regexp
	data     []byte
	check    func()
	attempts int // bytes that failed attempts after prefixes may still read
}

func (p *Pattern) newSearcher(data []byte, check func()) (*searcher, error) {
	next, err := p.next()
	if err != nil {
		return nil, err
	}
	anchored, err := p.anchored()
	if err != nil {
		return nil, err
	}
	return &searcher{Pattern: p, next: next, anchored: anchored, data: data, check: check, attempts: len(data)}, nil
}

// find returns the next match that begins at at or later. If matches begin with plain
// text, it tries only where that occurs, until attempts is used up: so no pattern makes
// a search more than twice as long.
func (s *searcher) find(at int) []int {
	for len(s.prefix) > 0 && s.attempts > 0 {
		next := Index(s.data[at:], s.prefix)
		if next < 0 {
			return nil
		}
		at += next
		r := &checkedReader{data: s.data[at:], check: s.check}
		if m := s.anchored.FindReaderIndex(r); m != nil {
			return []int{m[0] + at, m[1] + at}
		}
		s.attempts -= r.at + attemptCost
		at++
	}
	if at == 0 {
		return s.re.FindReaderIndex(&checkedReader{data: s.data, check: s.check})
	}
	_, back := utf8.DecodeLastRune(s.data[:at])
	at -= back
	m := s.next.FindReaderSubmatchIndex(&checkedReader{data: s.data[at:], check: s.check})
	if m == nil {
		return nil
	}
	return []int{m[2] + at, m[3] + at}
}

// checkedReader reads data and calls check for each character.
type checkedReader struct {
	data  []byte
	at    int
	check func()
}

// ReadRune implements io.RuneReader.
func (r *checkedReader) ReadRune() (rune, int, error) {
	if r.at >= len(r.data) {
		return 0, 0, io.EOF
	}
	r.check()
	if c := r.data[r.at]; c < utf8.RuneSelf {
		r.at++
		return rune(c), 1, nil
	}
	c, n := utf8.DecodeRune(r.data[r.at:])
	r.at += n
	return c, n, nil
}
