package code

import (
	"bytes"
	"math/bits"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// A guess looks at so many lines, half of them from the start, each up to so many
// bytes. After each batch it asks whether a language leads: most programs are told
// by 16 to 80 lines, and on 20,000 files no more are told wrong than by all of them.
const (
	guessLines = 320
	guessBatch = 16
	guessLine  = 120
)

// farAhead is by how much the score of a language that leads is above the next one.
const farAhead = 16

// hopeless is the score below which a language is not looked for any more.
const hopeless = -100

// maxLanguages is how many have a bit.
const maxLanguages = 32

// guesser weighs lines for all languages at once.
type guesser struct {
	b      []byte
	at     int // of the next line
	middle int // where the second half of the lines begins, 0 if they are from there
	lines  int // weighed
	score  [maxLanguages]int
}

// note is a mark of comments.
type note struct {
	open string
	of   uint32 // languages that have it
}

// candidates yields the languages that b may be written in, and whether one is far
// ahead of the others: first one that leads after some lines, then up to three whose
// words begin the most lines, none if no language has enough of them.
func candidates(b []byte, yield func(l *language, clear bool) bool) {
	if text := bytes.TrimLeft(b[bom(b):min(len(b), 200)], " \t\r\n"); bytes.HasPrefix(text, []byte("<")) && !bytes.HasPrefix(text, []byte("<?php")) {
		return // a page with scripts is a page
	}
	g := guesser{b: b, at: bom(b), middle: len(b) / 2}
	leader := -1
	for leader < 0 && g.batch() {
		if l, ok := g.leader(); ok {
			if leader = l; !yield(languageAt(l), true) {
				return
			}
		}
	}
	for g.batch() { // no language leads, or it was refused
	}
	best := g.best()
	clear := g.score[best[0]]*9 > g.score[best[1]]*10
	for i, l := range best {
		if l != leader && g.score[l]*8 >= g.lines && g.score[l] >= 6 && !yield(languageAt(l), clear && i == 0) {
			return
		}
	}
}

// leader is the language that the lines so far are told to be of, if one is.
func (g *guesser) leader() (l int, ok bool) {
	first, second := -1, 0
	for i, score := range g.score {
		if score > first {
			l, first, second = i, score, first
		} else if score > second {
			second = score
		}
	}
	return l, first-second >= farAhead && first*8 >= second*9 && first*4 >= g.lines
}

// best are the three languages with the highest scores, of equals the first.
func (g *guesser) best() (best [3]int) {
	taken := uint32(0)
	for at := range best {
		most := -1
		for i, score := range g.score {
			if taken&(1<<i) == 0 && (most < 0 || score > g.score[most]) {
				most = i
			}
		}
		best[at], taken = most, taken|1<<most
	}
	return best
}

// batch weighs lines that are not blank; false if there are no more.
func (g *guesser) batch() bool {
	for n := 0; n < guessBatch; {
		if g.lines == guessLines/2 && g.at < g.middle {
			g.at, g.middle = lines.End(g.b, g.middle), 0
		}
		if g.at >= len(g.b) || g.lines == guessLines {
			return false
		}
		end := lines.End(g.b, g.at)
		if line := bytes.TrimSpace(g.b[g.at:min(end, g.at+guessLine)]); len(line) > 0 {
			g.weigh(line)
			g.lines++
			n++
		}
		g.at = end
	}
	return true
}

// firstWord is the word that begins a line, or its first byte.
func firstWord(line []byte) []byte {
	end := 1
	for end < len(line) && (line[end]|0x20 >= 'a' && line[end]|0x20 <= 'z' || line[end] == '_' || line[end]-'0' <= 9) {
		end++
	}
	return line[:end]
}

// weigh adds what a line says.
func (g *guesser) weigh(line []byte) {
	for i := range notes {
		n := &notes[i]
		if line[0] == n.open[0] && bytes.HasPrefix(line, []byte(n.open)) && (len(n.open) > 1 || len(line) == 1 || line[1] <= ' ' || line[1] == '!') {
			g.add(n.of, 1)
			g.add(guessed&^n.of, -2)
			return
		}
	}
	word := firstWord(line)
	if e := lookup(word); e != nil {
		g.add(e.define, 3)
		g.add(e.other&^e.define, 1)
	}
	if word[0]-'A' < 26 && len(word) <= maxWord {
		var low [maxWord]byte
		if e := lookup(lower(&low, word)); e != nil {
			g.add(e.define&folded, 3)
			g.add(e.other&folded, 1)
		}
	}
	findTells(line, g.score[:])
	switch line[len(line)-1] {
	case ';':
		g.add(semicolons, 1)
		g.add(guessed&^(semicolons|braced), -2)
	case '{':
		g.add(braced, 1)
	}
}

func (g *guesser) add(set uint32, n int) {
	for ; set != 0; set &= set - 1 {
		g.score[bits.TrailingZeros32(set)] += n
	}
}
