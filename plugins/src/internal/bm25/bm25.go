// Package bm25 ranks passages of a text by the words of a query (Okapi BM25).
package bm25

import (
	"bytes"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/passage"
)

// The usual constants: how soon a word that comes again counts no more, and how much
// the length of a passage counts.
const (
	saturation = 1.2
	length     = 0.75
)

// MaxTerms is how many different words of a query count.
const MaxTerms = 32

// Hit is a passage that has a word of the query.
type Hit struct {
	Passage int // position in the list
	Score   float64
}

// Terms are the words of a query in lower case, each once.
func Terms(query string) (terms []string) {
	words([]byte(query), func(w []byte) {
		if t := string(bytes.ToLower(w)); len(terms) < MaxTerms && !slices.Contains(terms, t) {
			terms = append(terms, t)
		}
	})
	return terms
}

// Rank gives the passages with words of the query, the best first, up to most; of equal
// ones the first in the text. It takes time as the length of the text.
func Rank(text []byte, passages []passage.Span, terms []string, most int) []Hit {
	c := count(text, passages, terms)
	rarity := make([]float64, len(terms))
	for t, n := range c.passages {
		rarity[t] = math.Log(1 + (float64(len(passages))-float64(n)+0.5)/(float64(n)+0.5))
	}
	mean := max(float64(c.all)/float64(max(len(passages), 1)), 1)
	var hits []Hit
	for i := range passages {
		score := 0.0
		norm := saturation * (1 - length + length*float64(c.words[i])/mean)
		for t := range terms {
			if n := float64(c.found[i*len(terms)+t]); n > 0 {
				score += rarity[t] * n * (saturation + 1) / (n + norm)
			}
		}
		if score > 0 {
			hits = insert(hits, Hit{i, score}, most)
		}
	}
	return hits
}

// insert keeps the best hits in order.
func insert(hits []Hit, h Hit, most int) []Hit {
	at := len(hits)
	for at > 0 && hits[at-1].Score < h.Score {
		at--
	}
	if at == most {
		return hits
	}
	hits = slices.Insert(hits, at, h)
	return hits[:min(len(hits), most)]
}

// counts are what ranking needs to know.
type counts struct {
	found    []uint8  // how often a passage has a term, up to 255
	words    []uint32 // of each passage
	passages []int    // that have a term
	all      int      // words
}

func count(text []byte, passages []passage.Span, terms []string) counts {
	c := counts{make([]uint8, len(passages)*len(terms)), make([]uint32, len(passages)), make([]int, len(terms)), 0}
	lookup := newTable(terms)
	for i, p := range passages {
		row := c.found[i*len(terms) : (i+1)*len(terms)]
		words(text[p.Start:p.End], func(w []byte) {
			c.words[i]++
			t, ok := lookup.find(w)
			if !ok {
				return
			}
			if row[t] == 0 {
				c.passages[t]++
			}
			if row[t] < math.MaxUint8 {
				row[t]++
			}
		})
		c.all += int(c.words[i])
	}
	return c
}

// table finds terms; most words are told apart by their length and first letter.
type table struct {
	terms []string
	seen  [64]uint32 // by length: first letters
	high  map[string]int
}

func newTable(terms []string) *table {
	t := &table{terms: terms, high: map[string]int{}}
	for i, s := range terms {
		t.seen[len(s)%64] |= 1 << (s[0] % 32)
		if !ascii(s) {
			t.high[s] = i
		}
	}
	return t
}

// find takes a word in any case.
func (t *table) find(w []byte) (int, bool) {
	if w[0] < utf8.RuneSelf && t.seen[len(w)%64]&(1<<(w[0]%32)) != 0 { // both cases end in the same bits
		for i, s := range t.terms {
			if len(s) == len(w) && equal(s, w) {
				return i, true
			}
		}
	}
	if len(t.high) == 0 || ascii(w) {
		return 0, false
	}
	if i, ok := t.high[string(w)]; ok || isAlone(first(w)) {
		return i, ok
	}
	i, ok := t.high[string(bytes.ToLower(w))]
	return i, ok
}

func first(w []byte) rune {
	r, _ := utf8.DecodeRune(w)
	return r
}

func ascii[T string | []byte](w T) bool {
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// equal compares ASCII, of which s is in lower case.
func equal(s string, w []byte) bool {
	for i, c := range w {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if s[i] != c {
			return false
		}
	}
	return true
}

// words goes through the words of a text: runs of letters and digits. In scripts that
// put no blanks between words each character is one.
func words(text []byte, yield func(w []byte)) {
	from := -1
	for at := 0; at < len(text); {
		if c := text[at]; c < utf8.RuneSelf {
			if letters[c] && from < 0 {
				from = at
			} else if !letters[c] && from >= 0 {
				yield(text[from:at])
				from = -1
			}
			at++
			continue
		}
		r, n := utf8.DecodeRune(text[at:])
		alone := isAlone(r)
		inside := !alone && (unicode.IsLetter(r) || unicode.IsDigit(r) || from >= 0 && unicode.IsMark(r))
		if from >= 0 && !inside {
			yield(text[from:at])
			from = -1
		}
		switch {
		case alone:
			yield(text[at : at+n])
		case inside && from < 0:
			from = at
		}
		at += n
	}
	if from >= 0 {
		yield(text[from:])
	}
}

// isAlone reports whether a character is of a script that puts no blanks between words:
// Thai and its neighbours, Chinese, Japanese. Ranges are looked at, as tables would take most
// of the time.
func isAlone(r rune) bool {
	return r >= 0x0E00 && r < 0x1100 || r >= 0x3040 && r < 0xA000 || r >= 0xF900 && r < 0xFB00 || r >= 0x20000 && r < 0x32000
}

// letters are the letters and digits of ASCII.
var letters = func() (set [utf8.RuneSelf]bool) {
	for c := range set {
		set[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return set
}()
