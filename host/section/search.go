package section

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// search answers "?text" below base: what is called so, then what has it in its
// title, then leaves whose bytes hold it. Without a hit the words of text are
// looked for one by one.
func (d *Doc) search(base part, text string) flow.Answer {
	text = strings.TrimSpace(text)
	if text == "" {
		return d.answer(base)
	}
	s := searcher{d: d, words: []needle{makeNeedle(text)}}
	s.visit(hit{part: base})
	if words := strings.Fields(text); s.count == 0 && len(words) > 1 {
		s.words = s.words[:0]
		for _, w := range words[:min(len(words), 8)] {
			s.words = append(s.words, makeNeedle(w))
		}
		s.visit(hit{part: base})
	}
	return s.answer(base, text)
}

// searcher collects hits by rank, in order of place; only so many as folds of them
// may reach are kept.
type searcher struct {
	d     *Doc
	words []needle // all must be found
	ranks [3][]hit // by name, by title, by bytes
	count int
}

func (s *searcher) add(rank int, h hit) {
	s.count++
	if len(s.ranks[rank]) < maxFits {
		s.ranks[rank] = append(s.ranks[rank], h)
	}
}

// visit looks at the part of a hit to be and all below it.
func (s *searcher) visit(h hit) {
	d, p := s.d, h.part
	named := false
	if p.kind == partSection && p.sec >= 0 {
		named = s.visitName(h)
	}
	items := d.list(p)
	in := &siblings{parent: p, items: items}
	for i, item := range items {
		s.visit(hit{part: item, in: in, at: i})
	}
	switch {
	case p.space == nil:
	case len(items) == 0 || p.space.kind == flow.AnswerDerived:
		if !named {
			s.visitBytes(h)
		}
	case p.kind == partSection && !named && d.syntaxIn(p) == syntaxXML:
		s.visitTags(p)
	}
}

func (s *searcher) visitName(h hit) bool {
	sec := &s.d.sections[h.sec]
	h.snippet = sec.Title
	id := strings.TrimPrefix(sec.ID, "@")
	if s.equal(id) || s.equal(unescape(id)) || s.equal(sec.Title) || sec.Kind != abi.SectionGroup && s.equal(kindOf(unescape(id))) {
		s.add(0, h)
		return true
	}
	if s.in([]byte(sec.Title)) || s.in([]byte(id)) {
		s.add(1, h)
		return true
	}
	return false
}

// kindOf is what an id shares with those of equal siblings: it without their number,
// of tag=value the tag.
func kindOf(id string) string {
	if tag, _, ok := strings.Cut(id, "="); ok {
		return tag
	}
	if i := strings.LastIndexByte(id, '-'); i > 0 && numbered(id, id[:i]) {
		return id[:i]
	}
	return id
}

func (s *searcher) equal(name string) bool {
	return len(s.words) == 1 && strings.EqualFold(name, s.words[0].text)
}

func (s *searcher) in(text []byte) bool {
	for i := range s.words {
		f := s.words[i].in(text)
		if at, _ := f.next(0); at < 0 {
			return false
		}
	}
	return true
}

// visitTags looks at the tags between the parts of p, which are not listed but
// hold attributes.
func (s *searcher) visitTags(p part) {
	for _, g := range s.d.gaps(p, false) {
		if !g.listed {
			s.visitBytes(hit{part: g.part})
		}
	}
}

// visitBytes looks into a leaf; of a long one each window around hits counts.
func (s *searcher) visitBytes(h hit) {
	p := h.part
	text := p.bytes()
	if !s.in(text) {
		return
	}
	f := s.words[0].in(text)
	if !s.d.long(&p) {
		at, end := f.next(0)
		h.snippet = around(text, at, end)
		s.add(2, h)
		return
	}
	for from := 0; from < len(text); {
		at, end := f.next(from)
		if at < 0 {
			return
		}
		_, to := s.d.spanAround(&p, p.start+at, p.start+end)
		if len(s.ranks[2]) < s.d.set.MaxLines { // naming a window counts lines
			s.add(2, hit{part: s.d.around(p, p.start+at, p.start+end), snippet: around(text, at, end)})
		} else {
			s.count++
		}
		from = max(end, to-p.start)
	}
}

// around is the window of a long part that shows what stands at start, with
// some lines before it and more behind.
func (d *Doc) around(p part, start, end int) part {
	base := &p
	if p.kind == partRange {
		base = p.base
	}
	from, to := d.spanAround(base, start, end)
	return derive(partRange, base, from, to, lineRange(base, from, to))
}

func (d *Doc) spanAround(base *part, start, end int) (from, to int) {
	text := base.space.text
	from = max(base.start, start-d.set.LeafSize/4)
	if i := bytes.IndexByte(text[from:start], '\n'); i >= 0 && from > base.start {
		from += i + 1
	} else {
		from = settle(text, base, base.start, from)
	}
	to = min(base.end, max(from+d.set.LeafSize, end))
	if to == base.end {
		return from, to
	}
	if i := bytes.LastIndexByte(text[end:to], '\n'); i >= 0 {
		return from, end + i + 1
	}
	if i := bytes.LastIndexAny(text[end:to], " \t"); i >= 0 {
		to = end + i + 1
	}
	return from, border(text, from, to)
}

// around clips the text near a hit to one line.
func around(text []byte, at, end int) string {
	from := max(0, at-titleBytes/3)
	if i := bytes.LastIndexByte(text[from:at], '\n'); i >= 0 {
		from += i + 1
	}
	return clean(text[from:min(len(text), max(end, from+4*titleBytes))], titleBytes)
}

// needle is a text to be found whatever its case.
type needle struct {
	text   string
	folded []rune   // each rune's smallest form
	starts [][]byte // the forms its first rune may have
}

func makeNeedle(text string) needle {
	n := needle{text: text}
	for _, r := range text {
		n.folded = append(n.folded, foldRune(r))
	}
	first, _ := utf8.DecodeRuneInString(text)
	for r := first; ; {
		n.starts = append(n.starts, []byte(string(r)))
		if r = unicode.SimpleFold(r); r == first || len(n.starts) == len(finder{}.places) {
			return n
		}
	}
}

// foldRune returns the smallest rune that differs from r in case only.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf && (r < 'A' || r > 'z' || r > 'Z' && r < 'a') {
		return r
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// finder finds the hits of one needle in one text, from left to right.
type finder struct {
	*needle
	text   []byte
	places [4]int // next place of each form of the first rune; none has more
}

func (n *needle) in(text []byte) finder {
	return finder{needle: n, text: text, places: [4]int{-1, -1, -1, -1}}
}

// next returns the span of the first hit at or after from, which must not
// decrease from call to call; -1 if there is none.
func (f *finder) next(from int) (start, end int) {
	for {
		best := len(f.text)
		for i, form := range f.starts {
			if f.places[i] < from {
				f.places[i] = len(f.text)
				if j := bytes.Index(f.text[from:], form); j >= 0 {
					f.places[i] = from + j
				}
			}
			best = min(best, f.places[i])
		}
		if best == len(f.text) {
			return -1, -1
		}
		if end := f.match(f.text, best); end >= 0 {
			return best, end
		}
		from = best + 1
	}
}

// match returns where the needle ends that begins at text[at], or -1.
func (n *needle) match(text []byte, at int) int {
	for _, want := range n.folded {
		if at >= len(text) {
			return -1
		}
		r, size := rune(text[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[at:])
		}
		if r != want && foldRune(r) != want {
			return -1
		}
		at += size
	}
	return at
}
