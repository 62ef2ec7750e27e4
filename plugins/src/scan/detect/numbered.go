package detect

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code"
)

// numbered is the name of the proof of code with line numbers.
const numbered Type = "numbered"

const (
	minNumbered  = 5   // lines that are enough for a proof
	manyNumbered = 256 // lines that are enough for a first check
	numberSkips  = 16  // one line in this many may have another number than expected, or none
)

// readNumber reads the number that a tool put before a line: "12:", "12|", "12→" or "    12\t",
// which is a field of a table if it is not right-aligned. after is the offset of the line itself,
// or 0 if it has no number.
func readNumber(line []byte) (n, after int) {
	at := 0
	for at < len(line) && line[at] == ' ' {
		at++
	}
	first := at
	for at < len(line) && line[at]-'0' <= 9 && at-first < 8 {
		n = n*10 + int(line[at]-'0')
		at++
	}
	if at == first || at == len(line) {
		return 0, 0
	}
	switch rest := line[at:]; {
	case rest[0] == ':', rest[0] == '|', rest[0] == '\t' && at >= 5 && first > 0:
		return n, at + 1
	case bytes.HasPrefix(rest, []byte("→")):
		return n, at + len("→")
	}
	return 0, 0
}

// numbering counts the lines of a text with numbers before them.
type numbering struct {
	lines, ascending, next int // lines that are not blank; numbers above the last; numbers one above it
}

// countNumbers counts up to most lines. It stops at once if the text does not begin with a number.
func countNumbers(b []byte, most int) (m numbering) {
	last := 0
	for at := lines.Start(b); at < len(b) && m.lines < most; {
		end := lines.End(b, at)
		line := b[at:end]
		at = end
		n, after := readNumber(line)
		if after == 0 && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if m.lines++; after == 0 {
			if m.lines == 1 {
				return m
			}
			continue
		}
		if m.lines == 1 {
			last = n - 1
		}
		if n > last {
			m.ascending++
		}
		if n == last+1 {
			m.next++
		}
		last = n
	}
	return m
}

// isNumbered reports whether nearly all lines begin with ascending numbers, which are thus line
// numbers and not keys.
func (m numbering) isNumbered() bool {
	return m.lines >= minNumbered && (m.lines-m.ascending)*numberSkips <= m.lines
}

// isWhole reports whether the lines are consecutive, unlike the matches of a search.
func (m numbering) isWhole() bool {
	return m.isNumbered() && (m.lines-m.next)*numberSkips <= m.lines
}

// proveNumbered finds code with line numbers. The code is read without the numbers; because parts are
// whole lines, their spans in the text follow.
func proveNumbered(s *survey, o Options) (Result, bool) {
	if !countNumbers(s.b, manyNumbered).isWhole() || !countNumbers(s.b, len(s.b)).isWhole() {
		return Result{}, false
	}
	bare, starts := stripNumbers(s.b)
	doc, ok := code.Scan(bare, part.Clues{File: o.Hint})
	if !ok {
		return Result{}, false
	}
	doc.Parts = slices.Clone(doc.Parts) // names are read from bare, by the spans there
	moveParts(doc.Parts, bare, s.b, starts)
	return Result{Type: Code, Parts: doc}, true
}

// stripNumbers returns a text without its line numbers, and without the blank after them if the first
// has one, and the offsets of the lines in the text.
func stripNumbers(b []byte) (bare []byte, starts []int32) {
	bare = make([]byte, 0, len(b))
	_, first := readNumber(b[lines.Start(b):])
	spaced := b[lines.Start(b)+first] == ' '
	for at := lines.Start(b); at < len(b); {
		starts = append(starts, int32(at))
		end := lines.End(b, at)
		_, after := readNumber(b[at:end])
		if at += after; after > 0 && spaced && at < end && b[at] == ' ' {
			at++
		}
		bare, at = append(bare, b[at:end]...), end
	}
	return bare, starts
}

// moveParts moves the parts of bare to their lines in b. Blank lines between two
// belong to the first: they have numbers there, which are text.
func moveParts(parts []part.Part, bare, b []byte, starts []int32) {
	latest := make([]int32, len(parts)+1) // by parent + 1: its last child so far, from 1 on
	n := lines.NewCounter(bare)
	for i := range parts {
		p := &parts[i]
		p.Start = starts[n.Line(int(p.Start))-1]
		before := &latest[p.Parent+1]
		switch {
		case *before > 0:
			parts[*before-1].End = p.Start
		case p.Parent >= 0:
			p.Start = parts[p.Parent].Start
		default:
			p.Start = int32(lines.Start(b))
		}
		*before = int32(i + 1)
	}
	for _, last := range latest { // parents precede their children
		if last == 0 {
			continue
		}
		p := &parts[last-1]
		if p.End = int32(len(b)); p.Parent >= 0 {
			p.End = parts[p.Parent].End
		}
	}
}
