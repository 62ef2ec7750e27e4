// Package fuzzy finds what is nearly a pattern in a text: one with typing mistakes.
package fuzzy

import (
	"unicode"
	"unicode/utf8"
)

// MaxPattern is how many characters a pattern may have: they are the bits of a word.
const MaxPattern = 64

// Match is a place in the text, in bytes, that is like the pattern.
//
// Ratio is 1 less the part of the longer of the two that has to be changed
// (Levenshtein): 1 means equal but for case.
type Match struct {
	Start, End int
	Ratio      float64
}

// Pattern is what is looked for.
type Pattern struct {
	ascii  [utf8.RuneSelf]uint64 // places of a character in the pattern
	others map[rune]uint64
	length int
	most   int // changes
	least  float64
	again  *Pattern // the pattern from its end, which finds where a match begins
}

// New makes a pattern of text, of which matches must have at least a ratio. Case does not
// count. ok is false if the text is empty or longer than MaxPattern characters.
func New(text string, ratio float64) (p *Pattern, ok bool) {
	runes := []rune(text)
	if len(runes) == 0 || len(runes) > MaxPattern {
		return nil, false
	}
	back := make([]rune, len(runes))
	for i, r := range runes {
		back[len(runes)-1-i] = r
	}
	p = compile(runes, ratio)
	p.again = compile(back, ratio)
	return p, true
}

func compile(runes []rune, ratio float64) *Pattern {
	p := &Pattern{others: map[rune]uint64{}, length: len(runes), least: ratio}
	// A match may be longer than the pattern: so many changes can still be enough. One
	// character at least is not changed.
	for most := len(runes) - 1; most > 0; most-- {
		if 1-float64(most)/float64(len(runes)+most) >= ratio {
			p.most = most
			break
		}
	}
	for i, r := range runes {
		if r = fold(r); r < utf8.RuneSelf {
			p.ascii[r] |= 1 << i
		} else {
			p.others[r] |= 1 << i
		}
	}
	return p
}

// column is the differences between neighbours in one column of the table of
// distances, a bit each, and the last distance. The table itself is never made: G.
// Myers, A fast bit-vector algorithm for approximate string matching, 1999.
type column struct {
	up, down uint64
	far      int
}

func (p *Pattern) first() column { return column{up: ^uint64(0), far: p.length} }

// next is the column behind a character of which the places in the pattern are eq. A
// match may begin anywhere, unless it is anchored.
func (p *Pattern) next(c column, eq uint64, anchored uint64) column {
	top := uint64(1) << (p.length - 1)
	x := eq | c.down
	diagonal := ((x & c.up) + c.up) ^ c.up | x
	right, left := c.down|^(diagonal|c.up), c.up&diagonal
	if right&top != 0 {
		c.far++
	} else if left&top != 0 {
		c.far--
	}
	right = right<<1 | anchored
	return column{up: left<<1 | ^(diagonal | right), down: right & diagonal, far: c.far}
}

func (p *Pattern) places(r rune) uint64 {
	if r = fold(r); r < utf8.RuneSelf {
		return p.ascii[r]
	}
	return p.others[r]
}

// fold makes one of both cases of a letter.
func fold(r rune) rune {
	switch {
	case r < 'A':
		return r
	case r < utf8.RuneSelf:
		if r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
}

// Find goes through the matches in text, in order, none over a line end; of those that
// overlap it takes the best. It takes time as the length of the text.
func (p *Pattern) Find(text []byte, yield func(Match) bool) {
	c, best := p.first(), Match{}
	far := 0   // changes in the best
	floor := 0 // where the next match may begin
	for at := 0; at < len(text); {
		r, n := rune(text[at]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[at:])
		}
		at += n
		if r == '\n' {
			if best.End > 0 && !yield(best) {
				return
			}
			c, best, floor = p.first(), Match{}, at
			continue
		}
		c = p.next(c, p.places(r), 0)
		// A match that surely overlaps the best one is of interest with fewer changes
		// only: so not much is read again, however many places match.
		if c.far <= p.most && (c.far < far || best.End == 0 || at-best.End >= p.length-c.far) {
			m := p.begin(text[floor:at], floor, c.far)
			switch {
			case m.Ratio < p.least:
			case best.End == 0 || m.Start < best.End && m.Ratio > best.Ratio:
				best, far = m, c.far
			case m.Start >= best.End:
				if !yield(best) {
					return
				}
				floor, best, far = best.End, m, c.far
			}
		}
	}
	if best.End > 0 {
		yield(best)
	}
}

// begin finds where the match begins that ends with the text, which stands at an
// offset: where the pattern, read from its end, is as near as was found. Of several
// such places it takes the nearest of those with the best ratio.
func (p *Pattern) begin(text []byte, off, far int) (best Match) {
	q := p.again
	c := q.first()
	for at, length := len(text), 0; at > 0 && length < p.length+far; {
		r, n := utf8.DecodeLastRune(text[:at])
		at -= n
		length++
		c = q.next(c, q.places(r), 1)
		ratio := 1 - float64(c.far)/float64(max(length, p.length))
		if c.far <= far && (best.End == 0 || ratio > best.Ratio) {
			best = Match{off + at, off + len(text), ratio}
		}
	}
	return best
}
