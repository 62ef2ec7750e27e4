package detect

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code"
)

// numbered is the name of the proof of code with numbers before its lines.
const numbered Type = "numbered"

const (
	minNumbered  = 5   // lines that are enough to tell
	manyNumbered = 256 // more are not looked at where a look is enough
	numberSkips  = 16  // one line in so many may have another number than expected, or none
)

// number reads the number that a tool put before a line: "12:", "12|", "12→" and
// "    12\t", which is a field of a table if it is not set to the right. after is
// where the line itself begins, 0 if it has no number.
func number(line []byte) (n, after int) {
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

// numbering is what the numbers before the lines of a text say of it.
type numbering struct {
	lines, ascending, next int // that are not blank; numbers above the last, one above it
}

// numbers counts up to most lines. A text that does not begin with a number is not
// read.
func numbers(b []byte, most int) (m numbering) {
	last := 0
	for at := Start(b); at < len(b) && m.lines < most; {
		end := lines.End(b, at)
		line := b[at:end]
		at = end
		n, after := number(line)
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

// numbered reports whether nearly all lines begin with ascending numbers that are
// those of lines: no keys, whatever stands behind them.
func (m numbering) numbered() bool {
	return m.lines >= minNumbered && (m.lines-m.ascending)*numberSkips <= m.lines
}

// whole reports whether the lines are all of a text, or a stretch of one: not
// some, as those that a search finds.
func (m numbering) whole() bool {
	return m.numbered() && (m.lines-m.next)*numberSkips <= m.lines
}

// proveNumbered finds code behind the numbers of its lines. It is read without
// them: parts are whole lines, so their places in the text are known.
func proveNumbered(s *survey, o Options) (Result, bool) {
	if !numbers(s.b, manyNumbered).whole() || !numbers(s.b, len(s.b)).whole() {
		return Result{}, false
	}
	bare, starts := withoutNumbers(s.b)
	doc, ok := code.Scan(bare, part.Clues{File: o.Hint})
	if !ok {
		return Result{}, false
	}
	doc.Parts = slices.Clone(doc.Parts) // names are read from bare, by where parts lie in that
	moveParts(doc.Parts, bare, s.b, starts)
	return Result{Type: Code, Parts: doc}, true
}

// withoutNumbers is a text without the numbers before its lines, nor the blank that
// follows the first of them, and where the lines begin in the text.
func withoutNumbers(b []byte) (bare []byte, starts []int32) {
	bare = make([]byte, 0, len(b))
	_, first := number(b[Start(b):])
	spaced := b[Start(b)+first] == ' '
	for at := Start(b); at < len(b); {
		starts = append(starts, int32(at))
		end := lines.End(b, at)
		_, after := number(b[at:end])
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
			p.Start = int32(Start(b))
		}
		*before = int32(i + 1)
	}
	for _, last := range latest { // parents stand before their children
		if last == 0 {
			continue
		}
		p := &parts[last-1]
		if p.End = int32(len(b)); p.Parent >= 0 {
			p.End = parts[p.Parent].End
		}
	}
}
