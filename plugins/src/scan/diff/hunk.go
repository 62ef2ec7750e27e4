package diff

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/grow"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// readHunk reads a hunk by the line counts in its header, because its lines may look like
// the start of anything.
func (s *scanner) readHunk(line []byte, end int) bool {
	parents := 0
	for parents < len(line) && line[parents] == '@' {
		parents++
	}
	parents--
	was, is, ok := readCounts(line, parents)
	if !ok {
		return false
	}
	h := hunk{span: span{int32(s.at), int32(end)}, line: s.line + 1}
	s.next(end)
	s.inside++
	for s.at < len(s.b) {
		minus, plus := s.readSigns(parents)
		if was <= 0 && is <= 0 && s.b[s.at] != '\\' && (parents == 1 || minus == 0) {
			break
		}
		if s.b[s.at] != '\\' {
			if minus == 0 && plus == 0 && !s.isContext() {
				break // truncated
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

// readSigns returns 1 if the current line was removed or added relative to one of the
// parents.
func (s *scanner) readSigns(parents int) (minus, plus int32) {
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

// isContext reports whether the current line may be unchanged. Some programs strip the
// blank of an empty line.
func (s *scanner) isContext() bool {
	switch s.b[s.at] {
	case ' ', '\n', '\r', '\t':
		return true
	}
	return false
}

// readCounts reads the numbers of lines before and after the change in "@@ -12,7 +12,9 @@".
// The header of a merge has one count for each parent; only the count of the result is used.
func readCounts(line []byte, parents int) (was, is int, ok bool) {
	p := parents + 1
	for range parents {
		if was, p, ok = readCount(line, p, '-'); !ok {
			return 0, 0, false
		}
	}
	if is, p, ok = readCount(line, p, '+'); !ok || parents < 1 {
		return 0, 0, false
	}
	if parents > 1 {
		was = is
	}
	return was, is, bytes.HasPrefix(line[p:], line[:parents+1]) || bytes.HasPrefix(line[p:], append([]byte(" "), line[:parents+1]...))
}

// readCount reads " -12,7" from the blank on. The default count is 1.
func readCount(line []byte, p int, sign byte) (n, end int, ok bool) {
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
