package search

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// needle is a text to search for, case ignored.
type needle struct {
	text   string
	folded []rune   // the smallest case variant of each rune
	starts [][]byte // the case variants of the first rune
}

func newNeedle(text string) needle {
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

// foldRune returns the smallest rune that differs from r only in case.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf && (r < 'A' || r > 'z' || r > 'Z' && r < 'a') {
		return r
	}
	smallest := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		smallest = min(smallest, f)
	}
	return smallest
}

// finder finds the hits of one needle in one text, from left to right.
type finder struct {
	*needle
	text   []byte
	places [4]int // next offset of each variant of the first rune; no rune has more
}

func (n *needle) in(text []byte) finder {
	return finder{needle: n, text: text, places: [4]int{-1, -1, -1, -1}}
}

// next returns the span of the first hit at or after from, or -1. from must not
// decrease from call to call.
func (f *finder) next(from int) (start, end int) {
	for {
		best := len(f.text)
		for i, variant := range f.starts {
			if f.places[i] < from {
				f.places[i] = len(f.text)
				if j := bytes.Index(f.text[from:], variant); j >= 0 {
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

// match returns the end of the needle at text[at], or -1.
func (n *needle) match(text []byte, at int) int {
	for _, folded := range n.folded {
		if at >= len(text) {
			return -1
		}
		r, size := rune(text[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[at:])
		}
		if r != folded && foldRune(r) != folded {
			return -1
		}
		at += size
	}
	return at
}
