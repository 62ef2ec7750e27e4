package section

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// search answers "?text" below base: what is called so, then what has it in its
// title, then leaves whose bytes hold it. Without a hit the words of text are
// looked for one by one.
func (d *Doc) search(base part, text string) abi.Answer {
	text = strings.TrimSpace(text)
	if text == "" {
		return d.answer(base)
	}
	s := searcher{d: d, words: []needle{makeNeedle(text)}}
	s.visit(base)
	if words := strings.Fields(text); s.count == 0 && len(words) > 1 {
		s.words = s.words[:0]
		for _, w := range words[:min(len(words), 8)] {
			s.words = append(s.words, makeNeedle(w))
		}
		s.visit(base)
	}
	return s.answer(base, text)
}

// hit is a part that was found, with what its line says.
type hit struct {
	part
	snippet string
}

// searcher collects hits by rank; only as many as may be printed are kept.
type searcher struct {
	d     *Doc
	words []needle // all must be found
	ranks [3][]hit // by name, by title, by bytes
	count int
}

func (s *searcher) add(rank int, p part, snippet string) {
	s.count++
	if len(s.ranks[rank]) < s.d.set.MaxLines {
		s.ranks[rank] = append(s.ranks[rank], hit{p, snippet})
	}
}

// visit looks at p and all below it.
func (s *searcher) visit(p part) {
	d := s.d
	named := false
	if p.kind == partSection && p.sec >= 0 {
		named = s.visitName(p)
	}
	items := d.list(p)
	for _, item := range items {
		s.visit(item)
	}
	switch {
	case p.space == nil:
	case len(items) == 0 || p.space.kind == abi.AnswerDerived:
		if !named {
			s.visitBytes(p)
		}
	case p.kind == partSection && d.syntaxIn(p) == syntaxXML:
		s.visitTags(p)
	}
}

func (s *searcher) visitName(p part) bool {
	sec := &s.d.sections[p.sec]
	id := strings.TrimPrefix(sec.ID, "@")
	if s.equal(id) || s.equal(unescape(id)) || s.equal(sec.Title) {
		s.add(0, p, sec.Title)
		return true
	}
	if s.in([]byte(sec.Title)) || s.in([]byte(id)) {
		s.add(1, p, sec.Title)
		return true
	}
	return false
}

func (s *searcher) equal(name string) bool {
	return len(s.words) == 1 && strings.EqualFold(name, s.words[0].text)
}

func (s *searcher) in(text []byte) bool {
	for i := range s.words {
		if at, _ := s.words[i].find(text, 0); at < 0 {
			return false
		}
	}
	return true
}

// visitTags looks at the tags between the parts of p, which are not listed but
// hold attributes.
func (s *searcher) visitTags(p part) {
	for _, g := range s.d.gaps(p) {
		if !g.listed {
			s.visitBytes(g.part)
		}
	}
}

// visitBytes looks into a leaf; of a long one each window around hits counts.
func (s *searcher) visitBytes(p part) {
	text := p.bytes()
	if !s.in(text) {
		return
	}
	if !s.d.long(&p) {
		at, end := s.words[0].find(text, 0)
		s.add(2, p, around(text, at, end))
		return
	}
	for from := 0; from < len(text); {
		at, end := s.words[0].find(text, from)
		if at < 0 {
			return
		}
		w := s.d.around(p, p.start+at, p.start+end)
		s.add(2, w, around(text, at, end))
		from = max(end, w.end-p.start)
	}
}

// around is the window of a long part that shows what stands at start, with
// some lines before it and more behind.
func (d *Doc) around(p part, start, end int) part {
	base := &p
	if p.kind == partRange {
		base = p.base
	}
	text := p.space.text
	from := max(p.start, start-d.set.LeafSize/4)
	if i := bytes.IndexByte(text[from:start], '\n'); i >= 0 && from > p.start {
		from += i + 1
	} else {
		from = settle(text, base, p.start, from)
	}
	to := max(cut(text, from, p.end, d.set.LeafSize), settle(text, base, from, min(end, p.end)))
	return part{
		kind: partRange, sec: p.sec, space: p.space, start: from, end: to, base: base,
		tail: lineRanges()(base, from, to),
	}
}

// around clips the text near a hit to one line.
func around(text []byte, at, end int) string {
	from := max(0, at-titleBytes/3)
	if i := bytes.LastIndexByte(text[from:at], '\n'); i >= 0 {
		from += i + 1
	}
	return clean(text[from:min(len(text), max(end, from+4*titleBytes))], titleBytes)
}

func (s *searcher) answer(base part, text string) abi.Answer {
	d := s.d
	if s.count == 1 {
		for _, hits := range s.ranks {
			if len(hits) == 1 && d.shape(&hits[0].part) == shapeLeaf {
				return d.answer(hits[0].part)
			}
		}
	}
	what := clean([]byte(text), titleBytes)
	head := fmt.Appendf(nil, "%d sections match %q\n", s.count, what)
	switch s.count {
	case 0:
		head = fmt.Appendf(nil, "no section matches %q\n", what)
	case 1:
		head = fmt.Appendf(nil, "1 section matches %q\n", what)
	}
	lim := d.set.limits().minus(head)
	var out listing
	for _, hits := range s.ranks {
		for i := range hits {
			if !out.add(d.hitLine(&hits[i]), d.name(&hits[i].part), lim) {
				break
			}
		}
	}
	return abi.Answer{Text: append(head, out.text...), Meta: abi.AnswerMeta{
		Kind: abi.AnswerSearch, Section: join(d.name(&base), "?"+text), Offers: out.offers,
	}}
}

func (d *Doc) hitLine(h *hit) []byte {
	text := clean([]byte(h.snippet), titleBytes)
	if text == "" {
		text = d.title(&h.part, styles[1])
	}
	if h.space != nil && h.space.kind == abi.AnswerDerived {
		text = "derived: " + text
	}
	return fmt.Appendf(nil, "[%s] %s (%s)\n", d.name(&h.part), text, sizeText(d.partSize(&h.part)))
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
		if r = unicode.SimpleFold(r); r == first {
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

// find returns the span of the first hit at or after from, or -1.
func (n *needle) find(text []byte, from int) (start, end int) {
	next := make([]int, len(n.starts))
	for i := range next {
		next[i] = from - 1
	}
	for {
		best := -1
		for i, at := range next {
			if at < from && at != len(text) {
				at = len(text)
				if j := bytes.Index(text[from:], n.starts[i]); j >= 0 {
					at = from + j
				}
				next[i] = at
			}
			if at < len(text) && (best < 0 || at < best) {
				best = at
			}
		}
		if best < 0 {
			return -1, -1
		}
		if end := n.match(text, best); end >= 0 {
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
