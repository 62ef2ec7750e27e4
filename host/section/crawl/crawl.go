// Package crawl checks the law of leaves: the leaves of a content join to the
// original. It reads a content as a client does, following the offered lines down
// to the leaves, and compares these with the original.
//
// "mcpctl stage test" checks the law for the authors of stages, and the tests of the
// host check it for every corpus. The package does not depend on host/section, so it
// can check any reader that answers like read_section.
package crawl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Read returns the answer about one section, like read_section.
type Read func(section string) flow.Answer

// Report is the result of a crawl. NotSub, Overlap and BadGap are 0 if the leaves
// and the structure between them join to the original.
type Report struct {
	NotSub  int // leaves that differ from the bytes that they claim, and failed calls
	Overlap int // leaves that share bytes with another leaf
	BadGap  int // bytes between leaves that are not structure
	Broken  int // answers with invalid lines, offers or marks of derived text

	Leaves    int
	Derived   int
	Calls     int
	Gap       int // bytes between leaves
	MaxLines  int // of an index
	MaxBytes  int // of an index
	MaxTokens int // of an index, estimated
	MaxDepth  int // calls from the first index to a leaf

	Problems []string // descriptions of the first few problems
}

// Err returns nil if the law holds, else an error with the first problems.
func (r Report) Err() error {
	if r.NotSub+r.Overlap+r.BadGap+r.Broken == 0 {
		return nil
	}
	return fmt.Errorf("notsub=%d overlap=%d badgap=%d broken=%d: %s",
		r.NotSub, r.Overlap, r.BadGap, r.Broken, strings.Join(r.Problems, "; "))
}

// maxCalls ends a crawl of an endless tree.
const maxCalls = 400_000

// Line matches the line of an offered section: id, title, size.
var Line = regexp.MustCompile(`(?m)^\[([^\]\n]+)\] (?:.* )?\((\d+(?:\.\d)?[BKM])\)$`)

// Run reads the first index and then each section that a line offers. isStructure
// reports whether bytes that are in no leaf are only structure; without it white
// space and the punctuation and keys of JSON are.
func Run(read Read, original []byte, isStructure func(gap []byte) bool) Report {
	if isStructure == nil {
		isStructure = isJSONStructure
	}
	c := crawler{read: read, original: original, isStructure: isStructure, seen: map[string]bool{}, literals: map[[2]int][]span{}}
	c.open("", 0)
	c.joinLiterals()
	c.join(c.leaves, original, "")
	return c.Report
}

type span struct{ start, end int }

type crawler struct {
	Report
	read        Read
	original    []byte
	isStructure func(gap []byte) bool
	seen        map[string]bool
	leaves      []span
	literals    map[[2]int][]span // decoded leaves by the span of their string
}

// report counts a problem, and describes it if it is one of the first.
func (c *crawler) report(count *int, format string, args ...any) {
	*count++
	if len(c.Problems) < 5 {
		c.Problems = append(c.Problems, fmt.Sprintf(format, args...))
	}
}

// open reads a section and all sections that it offers.
func (c *crawler) open(id string, depth int) {
	if c.seen[id] || c.Calls >= maxCalls {
		c.report(&c.Overlap, "%q offered twice", id)
		return
	}
	c.seen[id] = true
	a := c.call(id)
	c.MaxDepth = max(c.MaxDepth, depth)
	switch a.Meta.Kind {
	case flow.AnswerIndex:
		for _, offer := range c.offers(id, a) {
			c.open(offer, depth+1)
		}
	case flow.AnswerLeaf:
		c.Leaves++
		if sp, ok := c.check(id, a, c.original); ok {
			c.leaves = append(c.leaves, sp)
		}
	case flow.AnswerDecoded:
		c.Leaves++
		c.addDecoded(id, a)
	case flow.AnswerDerived:
		c.Derived++
		if !bytes.Contains(a.Text, []byte("derived")) {
			c.report(&c.Broken, "%q is derived and not marked as derived", id)
		}
	default:
		c.report(&c.NotSub, "%q answered as %q", id, a.Meta.Kind)
	}
}

func (c *crawler) call(id string) flow.Answer {
	c.Calls++
	a := c.read(id)
	if a.IsError {
		c.report(&c.NotSub, "%q: %.120s", id, a.Text)
	}
	return a
}

// offers returns the ids that the lines of an index offer, and checks its form.
func (c *crawler) offers(id string, a flow.Answer) []string {
	var offers []string
	for _, m := range Line.FindAllSubmatch(a.Text, -1) {
		offers = append(offers, string(m[1]))
	}
	brackets := bytes.Count(append([]byte("\n"), a.Text...), []byte("\n["))
	if brackets != len(offers) || !slices.Equal(offers, a.Meta.Offers) {
		c.report(&c.Broken, "index of %q has %d lines with a bracket, %d well formed, %d offers in _meta", id, brackets, len(offers), len(a.Meta.Offers))
	}
	c.MaxLines = max(c.MaxLines, len(offers))
	c.MaxBytes = max(c.MaxBytes, len(a.Text))
	c.MaxTokens = max(c.MaxTokens, abi.EstimateTokens(a.Text))
	return offers
}

// check compares a leaf with the bytes that it claims to be.
func (c *crawler) check(id string, a flow.Answer, text []byte) (span, bool) {
	b := a.Meta.Bytes
	if b == nil || b[0] < 0 || b[0] > b[1] || b[1] > len(text) || !bytes.Equal(text[b[0]:b[1]], a.Text) {
		c.report(&c.NotSub, "leaf %q is not the bytes %v", id, b)
		return span{}, false
	}
	return span{b[0], b[1]}, true
}

// addDecoded checks a decoded leaf and records it with its string.
func (c *crawler) addDecoded(id string, a flow.Answer) {
	lit := a.Meta.Literal
	if lit == nil || lit[0] < 0 || lit[0] >= lit[1] || lit[1] > len(c.original) {
		c.report(&c.NotSub, "%q is decoded without the span of a string of the original", id)
		return
	}
	if sp, ok := c.check(id, a, unquote(c.original[lit[0]:lit[1]])); ok {
		c.literals[*lit] = append(c.literals[*lit], sp)
	}
}

func unquote(lit []byte) []byte {
	var text string
	if json.Unmarshal(lit, &text) != nil {
		return nil
	}
	return []byte(text)
}

// joinLiterals checks that decoded leaves join to their strings, and records each
// string as one leaf.
func (c *crawler) joinLiterals() {
	for lit, parts := range c.literals {
		c.join(parts, unquote(c.original[lit[0]:lit[1]]), fmt.Sprintf(" of the string at %d", lit[0]))
		c.leaves = append(c.leaves, span{lit[0], lit[1]})
	}
}

// join checks that leaves cover text without overlap, except structure.
func (c *crawler) join(leaves []span, text []byte, where string) {
	slices.SortFunc(leaves, func(a, b span) int { return a.start - b.start })
	at := 0
	for _, l := range append(leaves, span{len(text), len(text)}) {
		switch {
		case l.start < at:
			c.report(&c.Overlap, "bytes %d to %d%s are in two leaves", l.start, min(at, l.end), where)
		case l.start > at:
			c.Gap += l.start - at
			if gap := text[at:l.start]; !c.isStructure(gap) {
				c.report(&c.BadGap, "bytes %d to %d%s are in no leaf: %.60q", at, l.start, where, gap)
				c.BadGap += len(gap) - 1
			}
		}
		at = max(at, l.end)
	}
}

var jsonStructure = regexp.MustCompile(`\A\x{feff}?(?:[\s,:{}\[\]]|"(?:[^"\\]|\\.)*"\s*:)*\z`)

func isJSONStructure(gap []byte) bool { return jsonStructure.Match(gap) }
