package stage

import (
	"iter"
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Span is the range [Start, End) of a Buf in bytes.
type Span struct{ Start, End int }

// Len returns the length of the span.
func (s Span) Len() int { return s.End - s.Start }

// Lines iterates over the lines from an offset on, each with its newline. Together
// they are the rest of the Buf.
func (b Buf) Lines(off int) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		if b.call == nil {
			return
		}
		page := b.call.page()
		defer b.call.returnPage(page)
		for {
			n := b.call.count(raw.BufLines(b.id(), word(off), unsafe.Pointer(&page[0]), pageSize))
			if n == 0 {
				return
			}
			for i := 1; i < n; i++ {
				next := u32(page, i)
				if !yield(Span{off, next}) {
					return
				}
				off = next
			}
			if n < pageSize/raw.LineRecordSize {
				yield(Span{off, b.Len()})
				return
			}
		}
	}
}

// GrepFlags are the flags of Grep.
type GrepFlags int32

// The flags of Grep, which can be joined with |.
const (
	IgnoreCase = GrepFlags(raw.GrepIgnoreCase)
	ByLine     = GrepFlags(raw.GrepLines)   // ^ and $ match at line ends
	DotAll     = GrepFlags(raw.GrepDotAll)  // the dot matches a newline
	Literal    = GrepFlags(raw.GrepLiteral) // the pattern is plain text
)

// Grep returns all matches of an RE2 pattern of up to 4 KiB from an offset on, which
// do not overlap. For the pattern the text begins at off.
//
// Errors: BadArg if the pattern is invalid.
func (b Buf) Grep(off int, pattern string, flags GrepFlags) ([]Span, error) {
	shared := b.call.page()
	defer b.call.returnPage(shared)
	for page := shared; ; page = make([]byte, 8*len(page)) {
		n := raw.BufGrep(b.id(), word(off), pattern, int32(flags), unsafe.Pointer(&page[0]), word(len(page)))
		if n < 0 {
			return nil, newError(n)
		}
		if int(n) == len(page)/raw.MatchRecordSize {
			continue // there may be more
		}
		spans := make([]Span, n)
		for i := range spans {
			spans[i] = Span{u32(page, 2*i), u32(page, 2*i+1)}
		}
		return spans, nil
	}
}

// GrepN is like Grep, for at most n matches.
func (b Buf) GrepN(off, n int, pattern string, flags GrepFlags) ([]Span, error) {
	page := make([]byte, min(max(n, 1), 1<<16)*raw.MatchRecordSize)
	found := raw.BufGrep(b.id(), word(off), pattern, int32(flags), unsafe.Pointer(&page[0]), word(len(page)))
	if found < 0 {
		return nil, newError(found)
	}
	spans := make([]Span, found)
	for i := range spans {
		spans[i] = Span{u32(page, 2*i), u32(page, 2*i+1)}
	}
	return spans, nil
}

// u32 returns the i-th number of a page.
func u32(page []byte, i int) int {
	p := page[4*i : 4*i+4]
	return int(uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24)
}
