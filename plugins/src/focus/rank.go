package focus

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// hit is a unit that matches.
type hit struct {
	unit  int
	score float64
}

// Constants of the score, that of BM25 with fields.
const (
	saturation = 1.2  // of repeated words
	length     = 0.6  // weight of the length of a unit
	inTitle    = 2.5  // a word in the title of a unit, relative to one in its text
	above      = 1.0  // a word in a title above the unit
	inSequence = 0.5  // two words in the order of the question, relative to the words
	tooCommon  = 0.7  // share of the units from which a word tells nothing
	least      = 0.35 // score of a unit that is shown, relative to the best
)

// counts are the words of one unit.
type counts struct {
	found     []float64 // by term
	sequences []float64 // by term: occurrences of it before the next term
	words     float64
}

// rank returns the units that match, best first. Units of equal scores keep their order.
func rank(d *document, terms []term) []hit {
	s := newScorer(d, terms)
	all := make([]counts, len(d.units))
	for i := range d.units {
		all[i] = s.count(&d.units[i])
	}
	rarity := s.rarity(all)
	mean := 1.0
	for i := range all {
		mean += all[i].words / float64(len(all))
	}
	var hits []hit
	best := 0.0
	for i := range all {
		if score := s.score(&all[i], rarity, mean); score > 0 {
			hits, best = append(hits, hit{i, score}), max(best, score)
		}
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return h.score < least*best })
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	return hits
}

// occurs reports whether a text has any of the terms.
func occurs(text []byte, terms []term) bool {
	l := newLookup(terms)
	for len(text) > 0 {
		some := text[:min(len(text), atOnce)]
		if at := bytes.LastIndexByte(some, '\n'); at > 0 && len(some) < len(text) {
			some = some[:at]
		}
		found := false
		eachSubword(some, func(w []byte) {
			if !found {
				t, _ := l.find(w)
				found = t >= 0
			}
		})
		if found {
			return true
		}
		text = text[len(some):]
	}
	return false
}

// atOnce is the number of bytes that are searched before it is checked whether a term was
// found. A word that is cut there may be missed.
const atOnce = 16 << 10

// scorer counts terms in units.
type scorer struct {
	d      *document
	terms  []term
	lookup *lookup
	titles map[int]counts // of sections that contain units
}

func newScorer(d *document, terms []term) *scorer {
	return &scorer{d: d, terms: terms, lookup: newLookup(terms), titles: make(map[int]counts)}
}

// count returns the counts of a unit, of its title and of the titles above it.
func (s *scorer) count(u *unit) counts {
	c := s.countText(s.d.bytes(u))
	if u.section < 0 {
		return c
	}
	if s.d.hasTitles() {
		c.add(s.title(u.section), inTitle)
	}
	for at := s.d.sections[u.section].Parent; at >= 0; at = s.d.sections[at].Parent {
		c.add(s.title(at), above)
	}
	return c
}

// hasTitles reports whether titles of units say more than their text: the lines of a long
// list are their own titles.
func (d *document) hasTitles() bool { return !(d.isFlat() && len(d.sections) > maxTitled) }

// maxTitled is the number of sections of which titles are read.
const maxTitled = 4000

// title returns the counts of the title of a section.
func (s *scorer) title(section int) counts {
	if c, ok := s.titles[section]; ok {
		return c
	}
	text := s.d.title(section)
	if id := s.d.sectionText(section, stage.TextID); s.d.sections[section].Kind != stage.Group {
		text += " " + id
	}
	c := s.countText([]byte(text))
	s.titles[section] = c
	return c
}

func (c *counts) add(other counts, weight float64) {
	for i, n := range other.found {
		if n > 0 && c.found == nil {
			c.found, c.sequences = make([]float64, len(other.found)), make([]float64, len(other.found))
		}
		if n > 0 {
			c.found[i] += weight * min(n, 1)
			c.sequences[i] += weight * min(other.sequences[i], 1)
		}
	}
}

func (s *scorer) countText(text []byte) counts {
	var c counts
	before := -2
	eachSubword(text, func(w []byte) {
		c.words++
		t, match := s.lookup.find(w)
		if t < 0 {
			before = -2
			return
		}
		if c.found == nil {
			c.found, c.sequences = make([]float64, len(s.terms)), make([]float64, len(s.terms))
		}
		c.found[t] += match
		if before >= 0 && t == before+1 && s.terms[before].next {
			c.sequences[before] += match
		}
		before = t
	})
	return c
}

// rarity returns the weight of each term: much if few units have it, none if most have it.
func (s *scorer) rarity(all []counts) []float64 {
	rarity, n := make([]float64, len(s.terms)), float64(len(all))
	for t := range s.terms {
		has := 0.0
		for i := range all {
			if all[i].found != nil && all[i].found[t] > 0 {
				has++
			}
		}
		if has > 0 && (has <= tooCommon*n || n < 4) {
			rarity[t] = s.terms[t].weight * math.Log(1+(n-has+0.5)/(has+0.5))
		}
	}
	return rarity
}

func (s *scorer) score(c *counts, rarity []float64, mean float64) (score float64) {
	norm := saturation * (1 - length + length*c.words/mean)
	for t, n := range c.found {
		if n > 0 {
			score += rarity[t] * n * (saturation + 1) / (n + norm)
		}
		if c.sequences[t] > 0 && t+1 < len(rarity) {
			score += inSequence * min(rarity[t], rarity[t+1])
		}
	}
	return score
}

// sortByStart sorts sections by their position in the text.
func sortByStart(list []int, sections []stage.Section) {
	byStart := func(a, b int) int { return cmp.Compare(sections[a].Start, sections[b].Start) }
	if !slices.IsSortedFunc(list, byStart) {
		slices.SortStableFunc(list, byStart)
	}
}
