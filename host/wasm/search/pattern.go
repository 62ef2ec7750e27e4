// Package search finds text and regular expressions in buffers of a guest.
//
// Index finds plain text. Patterns compiles a Pattern, whose Search can be stopped
// while it runs.
package search

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"sync"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// maxSteps limits a pattern's steps: its instructions with repeats expanded.
const maxSteps = 20_000

// Pattern is a compiled pattern. Safe for concurrent use.
type Pattern struct {
	re      *regexp.Regexp
	steps   int
	literal string // not empty: the pattern matches only this text
	prefix  []byte // the text with which every match begins

	next     func() (*regexp.Regexp, error) // finds a match after an earlier one
	anchored func() (*regexp.Regexp, error) // matches at the start of the text only
}

// Patterns compiles patterns and keeps them: a guest that looks for the same patterns in each
// content would otherwise spend most of a short call on compiling them. It forgets all when
// they become too many. The zero value is ready to use. Safe for concurrent use.
type Patterns struct {
	mu   sync.Mutex
	kept map[source]*Pattern
	size int // of all kept patterns: steps and bytes of text
}

// source identifies a compiled pattern.
type source struct {
	text  string
	flags int32
}

// Limits of the patterns that are kept. When one is exceeded, all are forgotten.
const (
	maxKept     = 128
	maxKeptSize = 2 * maxSteps
)

// Compile returns the pattern of a text with the flags of buf_grep.
func (c *Patterns) Compile(text []byte, flags int32) (*Pattern, error) {
	c.mu.Lock()
	p := c.kept[source{string(text), flags}] // does not copy the text
	c.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := parse(text, flags)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	size := p.steps + len(text)
	if c.kept == nil || len(c.kept) == maxKept || c.size+size > maxKeptSize {
		c.kept, c.size = make(map[source]*Pattern), 0
	}
	c.kept[source{string(text), flags}] = p
	c.size += size
	return p, nil
}

// parse compiles a text with the flags of buf_grep.
func parse(text []byte, flags int32) (*Pattern, error) {
	const all = abi.GrepIgnoreCase | abi.GrepLines | abi.GrepDotAll | abi.GrepLiteral
	switch {
	case flags&^all != 0:
		return nil, fmt.Errorf("grep flags %d", flags)
	case len(text) > abi.LimitPatternBytes:
		return nil, fmt.Errorf("pattern of %d bytes, limit %d", len(text), abi.LimitPatternBytes)
	}
	if flags == abi.GrepLiteral && len(text) > 0 && utf8.Valid(text) {
		return &Pattern{literal: string(text)}, nil
	}
	expr := string(text)
	if flags&abi.GrepLiteral != 0 {
		expr = regexp.QuoteMeta(expr)
	}
	if names := flagNames(flags); names != "" {
		expr = "(?" + names + ")" + expr // not in a group, which the pattern could close
	}
	return compile(expr)
}

func flagNames(flags int32) string {
	var names string
	if flags&abi.GrepIgnoreCase != 0 {
		names += "i"
	}
	if flags&abi.GrepLines != 0 {
		names += "m"
	}
	if flags&abi.GrepDotAll != 0 {
		names += "s"
	}
	return names
}

func compile(expr string) (*Pattern, error) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	steps := countSteps(tree)
	if steps > maxSteps {
		return nil, fmt.Errorf("pattern of %d steps with its repeats, limit %d", steps, maxSteps)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	p := &Pattern{re: re, steps: steps}
	p.next = sync.OnceValues(func() (*regexp.Regexp, error) { return regexp.Compile(`\A(?s:.)(?s:.*?)(` + expr + `)`) })
	p.anchored = sync.OnceValues(func() (*regexp.Regexp, error) { return regexp.Compile(`\A(?:` + expr + `)`) })
	if prefix, complete := re.LiteralPrefix(); complete {
		p.literal = prefix
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	prefix, _ := prog.Prefix() // LiteralPrefix may apply only to the beginning of the text
	p.prefix = []byte(prefix)
	return p, nil
}

// countSteps estimates the instructions of a compiled pattern. The parser has limited
// its depth.
func countSteps(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += countSteps(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Max, re.Min, 1)
	}
	return n
}
