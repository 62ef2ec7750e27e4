package diff

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/grow"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// hunk reads a hunk by the counts of lines in its first one: a line of it may
// look like the begin of anything.
func (s *scanner) hunk(line []byte, end int) bool {
	parents := 0
	for parents < len(line) && line[parents] == '@' {
		parents++
	}
	parents--
	was, is, ok := counts(line, parents)
	if !ok {
		return false
	}
	h := hunk{span: span{int32(s.at), int32(end)}, line: s.line + 1}
	s.next(end)
	s.inside++
	for s.at < len(s.b) {
		minus, plus := s.signs(parents)
		if was <= 0 && is <= 0 && s.b[s.at] != '\\' && (parents == 1 || minus == 0) {
			break
		}
		if s.b[s.at] != '\\' {
			if minus == 0 && plus == 0 && !s.isContext() {
				break // cut off
			}
			if plus == 0 {
				was--
			}
			if minus == 0 {
				is--
			}
			if parents > 1 {
				was = is // only the lines of the result can be counted
			}
		}
		h.minus, h.plus = h.minus+minus, h.plus+plus
		s.next(lines.End(s.b, s.at))
		h.end = int32(s.at)
		s.inside++
	}
	f := &s.files[len(s.files)-1]
	if int(f.first) == len(s.hunks) {
		f.head = h.start
	}
	f.end, f.plus, f.minus = h.end, f.plus+h.plus, f.minus+h.minus
	if len(s.hunks) == cap(s.hunks) {
		s.hunks = grow.Slice(s.hunks, s.at, len(s.b), len(s.b))
	}
	s.hunks = append(s.hunks, h)
	return true
}

// signs reports whether the line at hand was taken away or added in one of the
// parents.
func (s *scanner) signs(parents int) (minus, plus int32) {
	for _, c := range s.b[s.at:min(len(s.b), s.at+parents)] {
		switch c {
		case '-':
			return 1, 0
		case '+':
			plus = 1
		case '\n', '\r':
			return 0, plus
		}
	}
	return 0, plus
}

// isContext reports whether the line at hand may be one that did not change. Some
// programs take away the blank of an empty one.
func (s *scanner) isContext() bool {
	switch s.b[s.at] {
	case ' ', '\n', '\r', '\t':
		return true
	}
	return false
}

// counts reads "@@ -12,7 +12,9 @@": how many lines there were and are. Of a merge
// there are as many of the first as it has parents; the last is what counts.
func counts(line []byte, parents int) (was, is int, ok bool) {
	p := parents + 1
	for range parents {
		if was, p, ok = count(line, p, '-'); !ok {
			return 0, 0, false
		}
	}
	if is, p, ok = count(line, p, '+'); !ok || parents < 1 {
		return 0, 0, false
	}
	if parents > 1 {
		was = is
	}
	return was, is, bytes.HasPrefix(line[p:], line[:parents+1]) || bytes.HasPrefix(line[p:], append([]byte(" "), line[:parents+1]...))
}

// count reads " -12,7", from its blank on; without a count it is 1.
func count(line []byte, p int, sign byte) (n, end int, ok bool) {
	const most = 1 << 30
	if p+2 >= len(line) || line[p] != ' ' || line[p+1] != sign || line[p+2]-'0' > 9 {
		return 0, 0, false
	}
	for p += 2; p < len(line) && line[p]-'0' <= 9; p++ {
	}
	if p == len(line) || line[p] != ',' {
		return 1, p, true
	}
	for p++; p < len(line) && line[p]-'0' <= 9 && n < most; p++ {
		n, ok = n*10+int(line[p]-'0'), true
	}
	return n, p, ok
}
