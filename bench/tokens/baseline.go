package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/bench/internal/count"
)

// Limits of the methods without mcpctl.
const (
	truncated = 2000 // tokens
	slice     = 50   // lines
	clipLine  = 500  // bytes of a line that grep prints
	page      = 8000 // bytes
)

// baseline measures hunts without mcpctl.
type baseline struct {
	count *count.Counter
	text  string
	whole int      // tokens
	head  string   // the truncated text
	first int      // tokens of head
	lines []string // with line ends
	pages []string
	cost  []int // of the pages, in tokens
}

func newBaseline(c *count.Counter, text string) *baseline {
	b := &baseline{count: c, text: text, whole: c.Tokens(text)}
	b.head = truncate(c, text)
	b.first = min(b.whole, truncated)
	for line := range strings.Lines(text) {
		b.lines = append(b.lines, line)
	}
	for rest := text; rest != ""; {
		n := min(page, len(rest))
		for n < len(rest) && n > 1 && !utf8.RuneStart(rest[n]) {
			n--
		}
		b.pages = append(b.pages, rest[:n])
		b.cost = append(b.cost, c.Tokens(rest[:n]))
		rest = rest[n:]
	}
	return b
}

// truncate returns a prefix of text of at most truncated tokens. It is up to 16 bytes shorter
// than the longest such prefix.
func truncate(c *count.Counter, text string) string {
	low, high := 0, min(len(text), 16*truncated)
	for high-low > 16 {
		if mid := (low + high) / 2; c.Tokens(text[:mid]) <= truncated {
			low = mid
		} else {
			high = mid
		}
	}
	if c.Tokens(text[:high]) <= truncated {
		return text[:high]
	}
	return text[:low]
}

// grepCost returns the tokens of a client that reads the start, greps for a word of the target,
// and reads slices of lines from the right hit, which it selects without error.
func (b *baseline) grepCost(t target) int {
	if t.end <= len(b.head) {
		return b.first
	}
	word := t.word()
	if word == "" {
		word = longest(t.hint(b.text))
	}
	var hits strings.Builder
	at, from := 0, 0
	for i, line := range b.lines {
		if at <= t.start {
			from = i
		}
		if strings.Contains(line, word) {
			fmt.Fprintf(&hits, "%d:%s\n", i+1, clip(strings.TrimRight(line, "\r\n"), clipLine))
		}
		at += len(line)
	}
	total := b.first + callCost + b.count.Tokens(hits.String())
	at = 0
	for i, line := range b.lines {
		if i >= from && (i-from)%slice == 0 && at < t.end {
			total += callCost + b.count.Tokens(strings.Join(b.lines[i:min(i+slice, len(b.lines))], ""))
		}
		at += len(line)
	}
	return min(total, b.first+callCost+b.whole)
}

// longest returns the longest word.
func longest(s string) string {
	best := ""
	for _, word := range strings.Fields(s) {
		if len(word) > len(best) {
			best = word
		}
	}
	return best
}

// pagedCost returns the tokens of a client that reads the pages in order up to the target.
func (b *baseline) pagedCost(t target) int {
	total, at := 0, 0
	for i, p := range b.pages {
		total += b.cost[i]
		if i > 0 {
			total += callCost
		}
		if at += len(p); at >= t.end {
			break
		}
	}
	return total
}

// knownCost returns the tokens of a client that reads the first page, then the pages of the
// target, whose numbers it knows.
func (b *baseline) knownCost(t target) int {
	total, at := b.cost[0], 0
	for i, p := range b.pages {
		start := at
		if at += len(p); i > 0 && start < t.end && t.start < at {
			total += callCost + b.cost[i]
		}
	}
	return total
}
