// Package grep goes through the matches of a pattern that may match everywhere.
package grep

import "github.com/mcpctl/mcpctl/sdk-go/stage"

// batch is how many matches are fetched at a time.
const batch = 512

// Each shows visit the matches in order. Visit answers from where on further matches
// are of interest, which may be inside of what has matched, and whether any are.
//
// What is asked for is a bounded number of matches at a time, so a pattern that matches
// at each byte costs no more memory than another one. With the first match behind a
// batch the text begins anew for the pattern: where visit goes on behind a line end, ^
// is right with stage.ByLine.
//
// Errors: BadArg with what is wrong in the pattern.
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
