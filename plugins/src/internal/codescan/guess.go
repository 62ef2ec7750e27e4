package codescan

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// A guess looks at so many lines, half of them from the start, each up to so many
// bytes.
const (
	guessLines = 320
	guessLine  = 120
)

// hopeless is the score below which a language is not looked for any more.
const hopeless = -100

// guesser weighs lines for all languages at once: each has a bit.
type guesser struct {
	score []int
}

// note is a mark of comments.
type note struct {
	open string
	of   uint32 // languages that have it
}

// never is the score of a language that is not guessed.
const never = -1 << 30

func newGuesser() *guesser {
	g := &guesser{score: make([]int, 0, 32)}
	for l := range languages {
		score := 0
		if l.told {
			score = never
		}
		g.score = append(g.score, score)
	}
	return g
}

// guess is up to three languages whose words begin the most lines, none if no
// language has enough of them. It is clear if the first is far ahead.
func guess(b []byte) (best []*language, clear bool) {
	if text := bytes.TrimLeft(b[bom(b):min(len(b), 200)], " \t\r\n"); bytes.HasPrefix(text, []byte("<")) && !bytes.HasPrefix(text, []byte("<?php")) {
		return nil, false // a page with scripts is a page
	}
	sample := sampleLines(b)
	g, n := newGuesser(), len(sample)
	for _, line := range sample {
		g.weigh(line)
	}
	order := make([]int, len(g.score))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return g.score[j] - g.score[i] })
	for _, i := range order[:3] {
		if g.score[i]*8 >= n && g.score[i] >= 6 {
			best = append(best, languageAt(i))
		}
	}
	return best, g.score[order[0]]*9 > g.score[order[1]]*10
}

// sampleLines are lines that are not blank.
func sampleLines(b []byte) (sample [][]byte) {
	sample = make([][]byte, 0, guessLines)
	middle := len(b) / 2
	for at := bom(b); at < len(b) && len(sample) < guessLines; {
		if len(sample) == guessLines/2 && at < middle {
			at, middle = lines.End(b, middle), 0
			continue
		}
		end := lines.End(b, at)
		if line := bytes.TrimSpace(b[at:min(end, at+guessLine)]); len(line) > 0 {
			sample = append(sample, line)
		}
		at = end
	}
	return sample
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
	if word[0]-'A' < 26 {
		if e := lookup(bytes.ToLower(word)); e != nil {
			g.add(e.define&folded, 3)
			g.add(e.other&folded, 1)
		}
	}
	findTells(line, g.score)
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
