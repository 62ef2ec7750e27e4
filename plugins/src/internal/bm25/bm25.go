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

// The usual constants of BM25: the saturation of repeated words and the weight of the
// length of a passage.
const (
	saturation = 1.2
	length     = 0.75
)

// MaxTerms is the number of different words of a query that count.
const MaxTerms = 32

// Hit is a passage that contains a word of the query.
type Hit struct {
	Passage int // position in the list
	Score   float64
}

// Terms returns the distinct words of a query in lower case.
func Terms(query string) (terms []string) {
	EachWord([]byte(query), func(w []byte) {
		if t := string(bytes.ToLower(w)); len(terms) < MaxTerms && !slices.Contains(terms, t) {
			terms = append(terms, t)
		}
	})
	return terms
}

// Rank returns up to most passages with words of the query, best first; equal ones are in
// text order. The time is linear in the length of the text.
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

// insert inserts a hit into a sorted list of the best hits.
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

// counts are the word counts for a ranking.
type counts struct {
	found    []uint8  // occurrences of a term in a passage, up to 255
	words    []uint32 // words in each passage
	passages []int    // number of passages that contain a term
	all      int      // total number of words
}

func count(text []byte, passages []passage.Span, terms []string) counts {
	c := counts{make([]uint8, len(passages)*len(terms)), make([]uint32, len(passages)), make([]int, len(terms)), 0}
	lookup := newTable(terms)
	for i, p := range passages {
		row := c.found[i*len(terms) : (i+1)*len(terms)]
		EachWord(text[p.Start:p.End], func(w []byte) {
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

// table finds terms. Their length and first letter exclude most other words.
type table struct {
	terms []string
	seen  [64]uint32 // by length: bit set of first letters
	high  map[string]int
}

func newTable(terms []string) *table {
	t := &table{terms: terms, high: map[string]int{}}
	for i, s := range terms {
		t.seen[len(s)%64] |= 1 << (s[0] % 32)
		if !isASCII(s) {
			t.high[s] = i
		}
	}
	return t
}

// find returns the position of a word in any case.
func (t *table) find(w []byte) (int, bool) {
	if w[0] < utf8.RuneSelf && t.seen[len(w)%64]&(1<<(w[0]%32)) != 0 { // both cases have the same low bits
		for i, s := range t.terms {
			if len(s) == len(w) && equalFold(s, w) {
				return i, true
			}
		}
	}
	if len(t.high) == 0 || isASCII(w) {
		return 0, false
	}
	if i, ok := t.high[string(w)]; ok || isAlone(firstLetter(w)) {
		return i, ok
	}
	i, ok := t.high[string(bytes.ToLower(w))]
	return i, ok
}

func firstLetter(w []byte) rune {
	r, _ := utf8.DecodeRune(w)
	return r
}

func isASCII[T string | []byte](w T) bool {
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// equalFold compares ASCII and ignores the case of w; s is in lower case.
func equalFold(s string, w []byte) bool {
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

// EachWord iterates over the words of a text: runs of letters and digits. In scripts without
// blanks between words, each character is a word.
func EachWord(text []byte, yield func(w []byte)) {
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

// isAlone reports whether a character belongs to a script without blanks between words,
// such as Thai, Chinese and Japanese. Comparing ranges is much faster than Unicode tables.
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
