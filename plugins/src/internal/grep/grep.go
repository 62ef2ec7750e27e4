// Package grep iterates over the matches of a pattern that may match anywhere.
package grep

import "github.com/mcpctl/mcpctl/sdk-go/stage"

// batch is the number of matches fetched at a time.
const batch = 512

// Each calls visit for the matches in order. visit returns the offset from which further
// matches are of interest, which may be inside the match, and whether to continue.
//
// Matches are fetched in batches, so a pattern that matches at each byte needs no more
// memory than another. After a batch the pattern is applied to the rest of the text: if
// visit continues after a line end, ^ is correct with stage.ByLine.
//
// Errors: BadArg with the error in the pattern.
func Each(b stage.Buf, pattern string, flags stage.GrepFlags, visit func(m stage.Span) (next int, more bool)) error {
	for next := 0; next <= b.Len(); {
		matches, err := b.GrepN(next, batch, pattern, flags)
		if err != nil {
			return err
		}
		for _, m := range matches {
			if m.Start < next {
				continue
			}
			to, more := visit(m)
			if !more {
				return nil
			}
			next = max(to, m.Start+1)
		}
		if len(matches) < batch {
			return nil
		}
		next = max(next, matches[batch-1].End)
	}
	return nil
}
