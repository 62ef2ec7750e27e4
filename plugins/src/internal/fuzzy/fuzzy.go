// Package fuzzy finds approximate matches of a pattern in a text.
package fuzzy

import (
	"unicode"
	"unicode/utf8"
)

// MaxPattern is the maximum number of characters of a pattern, the bits of a word.
const MaxPattern = 64

// Match is a span of the text in bytes that is similar to the pattern.
//
// Ratio is 1 minus the Levenshtein distance divided by the longer length. 1 means equal
// except for case.
type Match struct {
	Start, End int
	Ratio      float64
}

// Pattern is a compiled pattern.
type Pattern struct {
	ascii  [utf8.RuneSelf]uint64 // bit set of the positions of a character in the pattern
	others map[rune]uint64
	length int
	most   int // maximum number of changes
	least  float64
	again  *Pattern // the reversed pattern, which finds the beginning of a match
}

// New compiles a pattern for matches of at least a ratio. Case is ignored. ok is false if
// the text is empty or has more than MaxPattern characters.
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
	// A match may be longer than the pattern, which then allows more changes. At least one
	// character is unchanged.
	for most := len(runes) - 1; most > 0; most-- {
		if 1-float64(most)/float64(len(runes)+most) >= ratio {
			p.most = most
			break
		}
	}
	for i, r := range runes {
		if r = foldCase(r); r < utf8.RuneSelf {
			p.ascii[r] |= 1 << i
		} else {
			p.others[r] |= 1 << i
		}
	}
	return p
}

// column is a column of the table of distances: a bit for each difference between
// neighbours, and the last distance. See G. Myers, A fast bit-vector algorithm for
// approximate string matching, 1999.
type column struct {
	up, down uint64
	far      int
}

func (p *Pattern) firstColumn() column { return column{up: ^uint64(0), far: p.length} }

// nextColumn returns the column after a character whose positions in the pattern are eq. A
// match may begin anywhere unless it is anchored.
func (p *Pattern) nextColumn(c column, eq uint64, anchored uint64) column {
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

func (p *Pattern) findPositions(r rune) uint64 {
	if r = foldCase(r); r < utf8.RuneSelf {
		return p.ascii[r]
	}
	return p.others[r]
}

// foldCase maps both cases of a letter to one.
func foldCase(r rune) rune {
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

// Find iterates over the matches in text in order. No match crosses a line end, and of
// overlapping matches it takes the best. The time is linear in the length of the text.
func (p *Pattern) Find(text []byte, yield func(Match) bool) {
	c, best := p.firstColumn(), Match{}
	far := 0   // changes of the best match
	floor := 0 // start of the next possible match
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
			c, best, floor = p.firstColumn(), Match{}, at
			continue
		}
		c = p.nextColumn(c, p.findPositions(r), 0)
		// A match that certainly overlaps the best one has to have fewer changes. So little
		// text is read twice, however many matches there are.
		if c.far <= p.most && (c.far < far || best.End == 0 || at-best.End >= p.length-c.far) {
			m := p.findBeginning(text[floor:at], floor, c.far)
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

// findBeginning returns the match that ends with the text at an offset. Its start is where the
// reversed pattern has the fewest changes; of several, the nearest one with the best ratio.
func (p *Pattern) findBeginning(text []byte, off, far int) (best Match) {
	q := p.again
	c := q.firstColumn()
	for at, length := len(text), 0; at > 0 && length < p.length+far; {
		r, n := utf8.DecodeLastRune(text[:at])
		at -= n
		length++
		c = q.nextColumn(c, q.findPositions(r), 1)
		ratio := 1 - float64(c.far)/float64(max(length, p.length))
		if c.far <= far && (best.End == 0 || ratio > best.Ratio) {
			best = Match{off + at, off + len(text), ratio}
		}
	}
	return best
}
