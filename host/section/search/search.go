// Package search finds the parts of a content that contain a text, and lists the
// hits on the lines of an index.
//
// Hits are ranked: first the Sections with this name, then those with the text in
// their title or id, then the leaves with the text in their bytes. If there are
// more hits than lines, neighbours share a line.
package search

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/find"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/printer"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// Searcher searches one Tree.
type Searcher struct {
	tree     *tree.Tree
	printer  *printer.Printer
	resolver *find.Resolver
	canName  func(name string) bool
}

// New returns a Searcher. canName reports whether elements, keys or headings
// inside leaves may have a name.
func New(t *tree.Tree, pr *printer.Printer, resolver *find.Resolver, canName func(name string) bool) *Searcher {
	return &Searcher{t, pr, resolver, canName}
}

// Hits are the parts that a search found. Each rank is in the order of the text,
// and keeps only as many hits as folds of them may reach.
type Hits struct {
	*Searcher
	Count   int
	Missing []string // words of the text that occur nowhere, if there are hits of the others
	words   []needle // a hit contains all of them
	ranks   [3][]hit
}

const (
	rankName = iota
	rankTitle
	rankBytes
)

// hit is a part that was found.
type hit struct {
	tree.Part
	snippet string    // the text near the hit
	in      *siblings // nil if no index lists the part
	at      int       // position among the siblings
}

// siblings are the parts of one parent.
type siblings struct {
	parent tree.Part
	items  []tree.Part
	run    ids.Run // the items, set after one of them was folded
}

// Find searches base for a text.
func (s *Searcher) Find(base tree.Part, text string) *Hits {
	h := &Hits{Searcher: s, words: []needle{newNeedle(text)}}
	h.visit(hit{Part: base})
	return h
}

// FindWords is like Find, but searches for the words of a text in any order if there is
// no hit, and then without the words that occur nowhere.
func (s *Searcher) FindWords(base tree.Part, text string) *Hits {
	const maxWords = 8
	h := s.Find(base, text)
	words := strings.Fields(text)
	if h.Count > 0 || len(words) < 2 {
		return h
	}
	words = words[:min(len(words), maxWords)]
	if h = s.findAll(base, words); h.Count > 0 {
		return h
	}
	var known, missing []string
	for _, word := range words {
		if s.Find(base, word).Count > 0 {
			known = append(known, word)
		} else {
			missing = append(missing, word)
		}
	}
	if len(known) <= len(missing) || len(missing) == 0 {
		return h
	}
	h = s.findAll(base, known)
	h.Missing = missing
	return h
}

// findAll searches base for parts that contain all words.
func (s *Searcher) findAll(base tree.Part, words []string) *Hits {
	h := &Hits{Searcher: s}
	for _, word := range words {
		h.words = append(h.words, newNeedle(word))
	}
	h.visit(hit{Part: base})
	return h
}

// First returns the first hits of each rank, at most limit.
func (h *Hits) First(limit int) (found []tree.Part) {
	for _, hits := range h.ranks {
		for i := range hits[:min(limit, len(hits))] {
			found = append(found, hits[i].Part)
		}
	}
	return found[:min(limit, len(found))]
}

// Only returns the hit if there is exactly one.
func (h *Hits) Only() (tree.Part, bool) {
	if h.Count != 1 {
		return tree.Part{}, false
	}
	found := h.First(1)
	return found[0], true
}

func (h *Hits) add(rank int, found hit) {
	h.Count++
	if len(h.ranks[rank]) < find.MaxMatches {
		h.ranks[rank] = append(h.ranks[rank], found)
	}
}

// visit searches the part of a possible hit and all parts below it.
func (h *Hits) visit(candidate hit) {
	p := candidate.Part
	isHit := p.IsSection() && h.visitName(candidate)
	items := h.tree.PartsOf(p)
	in := &siblings{parent: p, items: items}
	for i, item := range items {
		h.visit(hit{Part: item, in: in, at: i})
	}
	switch {
	case p.Source == nil || isHit:
	case len(items) == 0 || !p.IsContent():
		h.visitBytes(candidate)
	case p.Kind == tree.KindSection && !h.tree.SyntaxIn(p).IsJSON():
		h.visitStructure(p)
	}
}

// visitName reports whether the id or title of a Section is a hit.
func (h *Hits) visitName(candidate hit) bool {
	s := &h.tree.Sections[candidate.Section]
	candidate.snippet = s.Title
	id := strings.TrimPrefix(s.ID, "@")
	if h.isQuery(id) || h.isQuery(ids.Unescape(id)) || h.isQuery(s.Title) || s.Kind != abi.SectionGroup && h.isQuery(ids.TrimNumber(ids.Unescape(id))) {
		h.add(rankName, candidate)
		return true
	}
	if h.hasWords([]byte(s.Title)) || h.hasWords([]byte(id)) {
		h.add(rankTitle, candidate)
		return true
	}
	return false
}

func (h *Hits) isQuery(name string) bool {
	return len(h.words) == 1 && strings.EqualFold(name, h.words[0].text)
}

func (h *Hits) hasWords(text []byte) bool {
	for i := range h.words {
		f := h.words[i].in(text)
		if at, _ := f.next(0); at < 0 {
			return false
		}
	}
	return true
}

// visitStructure searches the text between the parts of p that is not listed, such as
// tags with attributes. In JSON it consists of keys, which are in the ids.
func (h *Hits) visitStructure(p tree.Part) {
	for _, g := range h.tree.Gaps(p, false) {
		if !g.IsListed {
			h.visitBytes(hit{Part: g.Part})
		}
	}
}

// visitBytes searches a leaf. In a long one, each window around hits is a hit.
func (h *Hits) visitBytes(candidate hit) {
	p := candidate.Part
	text := p.Bytes()
	if !h.hasWords(text) {
		return
	}
	f := h.words[0].in(text)
	if !h.printer.IsLong(&p) {
		at, end := f.next(0)
		candidate.snippet = clipAround(text, at, end)
		h.add(rankBytes, candidate)
		return
	}
	for from := 0; from < len(text); {
		at, end := f.next(from)
		if at < 0 {
			return
		}
		_, to := h.printer.SpanAround(&p, p.Start+at, p.Start+end)
		if len(h.ranks[rankBytes]) < h.printer.Settings.MaxLines { // because the name of a window counts lines
			h.add(rankBytes, hit{Part: h.printer.WindowAround(p, p.Start+at, p.Start+end), snippet: clipAround(text, at, end)})
		} else {
			h.Count++
		}
		from = max(end, to-p.Start)
	}
}

// clipAround returns the text near a hit as one line.
func clipAround(text []byte, at, end int) string {
	from := max(0, at-printer.TitleBytes/3)
	if i := bytes.LastIndexByte(text[from:at], '\n'); i >= 0 {
		from += i + 1
	}
	return display.Clean(text[from:min(len(text), max(end, from+4*printer.TitleBytes))], printer.TitleBytes)
}
