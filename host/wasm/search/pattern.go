// Package search finds text and regular expressions in buffers of a guest.
//
// Index finds plain text. Compile returns a Pattern, whose Search can be stopped
// while it runs.
package search

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// maxSteps limits a pattern's steps: its instructions with repeats expanded.
const maxSteps = 20_000

// Pattern is a compiled pattern.
type Pattern struct {
	expr     string
	re       *regexp.Regexp
	next     *regexp.Regexp // finds a match after an earlier one; compiled when needed
	anchored *regexp.Regexp // matches at the start of the text only; compiled when needed
	steps    int
	literal  string // not empty: the pattern matches only this text
	prefix   []byte // the text with which every match begins
}

// Compile compiles a pattern with the flags of buf_grep. It returns last if that is
// the same pattern; last may be nil.
func Compile(text []byte, flags int32, last *Pattern) (*Pattern, error) {
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
	if last != nil && last.re != nil && last.expr == expr {
		return last, nil
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
	p := &Pattern{expr: expr, re: re, steps: steps}
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
