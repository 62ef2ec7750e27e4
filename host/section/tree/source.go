package tree

import (
	"bytes"
	"sort"
	"sync"
)

// SourceKind is the origin of a text.
type SourceKind uint8

const (
	Original SourceKind = iota // the content itself
	Decoded                    // a decoded JSON string of the content
	Derived                    // a text that a stage wrote
	Joined                     // parts of the content, one after the other
)

// Source is a text that parts are ranges of.
type Source struct {
	Text    []byte
	Kind    SourceKind
	Literal [2]int // if Decoded: the span of the string in the original
	syntax  Syntax // if Decoded
	lines   lineTable
}

// lineBlock is the number of bytes between two entries of a table of lines. For a
// text of 32 MiB the table has 512 entries, and a lookup scans one block.
const lineBlock = 64 << 10

// lineTable holds the numbers of lines of a text. It is built at the first
// lookup; the zero value is ready.
type lineTable struct {
	once   sync.Once
	before []int // line ends before each block
}

var lineEnd = []byte{'\n'}

func (s *Source) lineTable() []int {
	s.lines.once.Do(func() {
		n := 0
		for at := 0; at <= len(s.Text); at += lineBlock {
			s.lines.before = append(s.lines.before, n)
			n += bytes.Count(s.Text[at:min(at+lineBlock, len(s.Text))], lineEnd)
		}
	})
	return s.lines.before
}

// LineEnds returns the number of line ends before at.
func (s *Source) LineEnds(at int) int {
	block := at / lineBlock
	return s.lineTable()[block] + bytes.Count(s.Text[block*lineBlock:at], lineEnd)
}

// LineStart returns the start of line n, counted from 0, or the end of the text.
func (s *Source) LineStart(n int) int {
	before := s.lineTable()
	block := sort.Search(len(before), func(i int) bool { return before[i] >= n }) - 1
	if block < 0 {
		return 0
	}
	at := block * lineBlock
	for n -= before[block]; n > 0; n-- {
		i := bytes.IndexByte(s.Text[at:], '\n')
		if i < 0 {
			return len(s.Text)
		}
		at += i + 1
	}
	return at
}
