// Package crawl reads a content by drill-down from outside, as a client does: by
// bracket lines only, down to the leaves, and holds these against the original.
// That is the law of leaves, which a stage's author has checked by mcpctl stage test
// and our own tests check on every corpus. It knows nothing of host/section: any
// reader that answers as read_section does can be held to it.
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

// Read asks for one section, as read_section does.
type Read func(section string) flow.Answer

// Report is what a crawl found. NotSub, Overlap and BadGap are 0 if the leaves,
// and the structure between them, join to the original.
type Report struct {
	NotSub  int // leaves that are not the bytes they claim, and calls that fail
	Overlap int // leaves that share bytes with another
	BadGap  int // bytes between leaves that are more than structure
	Broken  int // answers that break the form: lines, offers, marks of derived text

	Leaves    int
	Derived   int
	Calls     int
	Gap       int // bytes between leaves
	MaxLines  int // of an index
	MaxBytes  int // of an index
	MaxTokens int // of an index, estimated
	MaxDepth  int // calls from the first index to a leaf

	Problems []string // the first few, in words
}

// Err returns nil if the law held, else what broke it first.
func (r Report) Err() error {
	if r.NotSub+r.Overlap+r.BadGap+r.Broken == 0 {
		return nil
	}
	return fmt.Errorf("notsub=%d overlap=%d badgap=%d broken=%d: %s",
		r.NotSub, r.Overlap, r.BadGap, r.Broken, strings.Join(r.Problems, "; "))
}

// maxCalls ends a crawl that goes round in circles.
const maxCalls = 400_000

// Line is the form of an offered section: id, title, size.
var Line = regexp.MustCompile(`(?m)^\[([^\]\n]+)\] (?:.* )?\((\d+(?:\.\d)?[BKM])\)$`)

// Run opens the first index and then each section that a line offers.
func Run(read Read, original []byte) Report {
	c := crawler{read: read, original: original, seen: map[string]bool{}, literals: map[[2]int][]span{}}
	c.open("", 0)
	c.joinLiterals()
	c.join(c.leaves, original, "")
	return c.Report
}

type span struct{ start, end int }

type crawler struct {
	Report
	read     Read
	original []byte
	seen     map[string]bool
	leaves   []span
	literals map[[2]int][]span // decoded leaves by the string they are parts of
}

func (c *crawler) problem(count *int, format string, args ...any) {
	*count++
	if len(c.Problems) < 5 {
		c.Problems = append(c.Problems, fmt.Sprintf(format, args...))
	}
}

func (c *crawler) open(id string, depth int) {
	if c.seen[id] || c.Calls >= maxCalls {
		c.problem(&c.Overlap, "%q offered twice", id)
		return
	}
	c.seen[id] = true
	a := c.call(id)
	c.MaxDepth = max(c.MaxDepth, depth)
	switch a.Meta.Kind {
	case flow.AnswerIndex:
		for _, offer := range c.index(id, a) {
			c.open(offer, depth+1)
		}
	case flow.AnswerLeaf:
		c.Leaves++
		if sp, ok := c.check(id, a, c.original); ok {
			c.leaves = append(c.leaves, sp)
		}
	case flow.AnswerDecoded:
		c.Leaves++
		c.decoded(id, a)
	case flow.AnswerDerived:
		c.Derived++
		if !bytes.Contains(a.Text, []byte("derived")) {
			c.problem(&c.Broken, "%q is derived and does not say so", id)
		}
	default:
		c.problem(&c.NotSub, "%q answered as %q", id, a.Meta.Kind)
	}
}

func (c *crawler) call(id string) flow.Answer {
	c.Calls++
	a := c.read(id)
	if a.IsError {
		c.problem(&c.NotSub, "%q: %.120s", id, a.Text)
	}
	return a
}

// index returns what the lines offer, and holds the answer to its form.
func (c *crawler) index(id string, a flow.Answer) []string {
	var offers []string
	for _, m := range Line.FindAllSubmatch(a.Text, -1) {
		offers = append(offers, string(m[1]))
	}
	brackets := bytes.Count(append([]byte("\n"), a.Text...), []byte("\n["))
	if brackets != len(offers) || !slices.Equal(offers, a.Meta.Offers) {
		c.problem(&c.Broken, "index of %q has %d lines with a bracket, %d well formed, %d offers in _meta", id, brackets, len(offers), len(a.Meta.Offers))
	}
	c.MaxLines = max(c.MaxLines, len(offers))
	c.MaxBytes = max(c.MaxBytes, len(a.Text))
	c.MaxTokens = max(c.MaxTokens, abi.EstimateTokens(a.Text))
	return offers
}

// check compares a leaf with the bytes it claims to be.
func (c *crawler) check(id string, a flow.Answer, text []byte) (span, bool) {
	b := a.Meta.Bytes
	if b == nil || b[0] < 0 || b[0] > b[1] || b[1] > len(text) || !bytes.Equal(text[b[0]:b[1]], a.Text) {
		c.problem(&c.NotSub, "leaf %q is not the bytes %v", id, b)
		return span{}, false
	}
	return span{b[0], b[1]}, true
}

func (c *crawler) decoded(id string, a flow.Answer) {
	lit := a.Meta.Literal
	if lit == nil || lit[0] < 0 || lit[0] >= lit[1] || lit[1] > len(c.original) {
		c.problem(&c.NotSub, "%q is decoded and names no string of the original", id)
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

// joinLiterals makes one leaf of each string whose decoded leaves join to it.
func (c *crawler) joinLiterals() {
	for lit, parts := range c.literals {
		c.join(parts, unquote(c.original[lit[0]:lit[1]]), fmt.Sprintf(" of the string at %d", lit[0]))
		c.leaves = append(c.leaves, span{lit[0], lit[1]})
	}
}

func (c *crawler) join(leaves []span, text []byte, where string) {
	slices.SortFunc(leaves, func(a, b span) int { return a.start - b.start })
	at := 0
	for _, l := range append(leaves, span{len(text), len(text)}) {
		switch {
		case l.start < at:
			c.problem(&c.Overlap, "bytes %d to %d%s come twice", l.start, min(at, l.end), where)
		case l.start > at:
			c.Gap += l.start - at
			if gap := text[at:l.start]; !Structure(gap) {
				c.problem(&c.BadGap, "bytes %d to %d%s are in no leaf: %.60q", at, l.start, where, gap)
				c.BadGap += len(gap) - 1
			}
		}
		at = max(at, l.end)
	}
}

// What may lie between leaves, by the language of the content.
var structures = []*regexp.Regexp{
	regexp.MustCompile(`\A\x{feff}?\s*\z`),
	regexp.MustCompile(`\A\x{feff}?(?:[\s,:{}\[\]]|"(?:[^"\\]|\\.)*"\s*:)*\z`),
	regexp.MustCompile(`\A\x{feff}?(?:\s|</?[\w:.-]+(?:\s+[^\s=>"']+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*/?>|<\?[^>]*\?>|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>)*\z`),
	regexp.MustCompile(`\A\x{feff}?(?:[ \t]*(?:- +|-$)*(?:(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s#"'{}\[\],:-](?:[^\n#:"]|:[^\s"])*):|---|\.\.\.)?[ \t]*\r?(?:\n|\z))*\z`),
}

// Structure reports whether a gap is pure structure in any of the languages:
// white space; JSON punctuation and keys; XML tags; YAML lines that are a key.
func Structure(gap []byte) bool {
	return slices.ContainsFunc(structures, func(re *regexp.Regexp) bool { return re.Match(gap) })
}
