package json

import "github.com/mcpctl/mcpctl/plugins/src/internal/lines"

// Records reads a sequence of values from at on: NDJSON, or concatenated values. A line
// that is no array or object becomes a Broken node, its line end included. A value may
// extend over several lines.
//
// ok is false, and the nodes are meaningless, unless there are at least two arrays or
// objects and nine in ten records are one.
func (s *Scanner) Records(at int) (ok bool) {
	good, broken, wasted := 0, 0, 0
	for p := SkipSpace(s.b, at); p < len(s.b); p = SkipSpace(s.b, p) {
		end, valid := p, false
		if c := s.b[p]; c == '{' || c == '[' {
			end, valid = s.Scan(p)
		}
		if valid {
			good++
			p = end
			continue
		}
		broken++
		wasted += end - p
		if broken > 2+good/9 || wasted > len(s.b) { // the second bound keeps the time linear for truncated documents
			return false
		}
		end = lines.End(s.b, p)
		s.addBroken(p, end)
		p = end
	}
	return good >= 2 && good >= 9*broken
}

// ExtendToLines extends the span of a record to whole lines, unless another record is on its first or
// last line.
func ExtendToLines(b []byte, start, end int) (int, int) {
	from := start
	for from > 0 && (b[from-1] == ' ' || b[from-1] == '\t') {
		from--
	}
	if from == 0 || b[from-1] == '\n' {
		start = from
	}
	to := end
	for to < len(b) && (b[to] == ' ' || b[to] == '\t' || b[to] == '\r') {
		to++
	}
	switch {
	case to == len(b):
		end = to
	case b[to] == '\n' && (end == start || b[end-1] != '\n'):
		end = to + 1
	}
	return start, end
}
