package codescan

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
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
	all    []*language
	words  map[string]begins
	notes  []note
	semi   uint32 // lines may end in ;
	braces uint32 // blocks are in braces
	fold   uint32 // words may be in upper case
	tells  teller
	score  []int
}

// begins are the languages that begin statements with a word.
type begins struct {
	define uint32 // it defines or modifies
	other  uint32 // it does something else
}

// note is a mark of comments.
type note struct {
	open string
	bits uint32 // languages that have it
}

func newGuesser() *guesser {
	g := &guesser{words: make(map[string]begins, 640)}
	for l := range languages {
		g.know(l, 1<<len(g.all))
		g.all = append(g.all, l)
	}
	g.tells.learn(g.all)
	g.score = make([]int, len(g.all))
	return g
}

// know takes note of a language.
func (g *guesser) know(l *language, bit uint32) {
	for _, words := range [...]string{l.define, l.modify} {
		for w := range strings.FieldsSeq(words) {
			w, _, _ = strings.Cut(w, "=")
			k := g.words[w]
			k.define |= bit
			g.words[w] = k
		}
	}
	for _, words := range [...]string{l.control, l.middle} {
		for w := range strings.FieldsSeq(words) {
			k := g.words[w]
			k.other |= bit
			g.words[w] = k
		}
	}
	for _, open := range l.comment {
		i := slices.IndexFunc(g.notes, func(n note) bool { return n.open == open })
		if i < 0 {
			i, g.notes = len(g.notes), append(g.notes, note{open: open})
		}
		g.notes[i].bits |= bit
	}
	if l.semi || l.syntax&(templates|semiEnds) != 0 {
		g.semi |= bit
	}
	if !l.layout {
		g.braces |= bit
	}
	if l.fold {
		g.fold |= bit
	}
}

// guess is up to three languages whose words begin the most lines, none if no
// language has enough of them. It is clear if the first is far ahead.
func guess(b []byte) (best []*language, clear bool) {
	if text := bytes.TrimLeft(b[bom(b):min(len(b), 200)], " \t\r\n"); bytes.HasPrefix(text, []byte("<")) && !bytes.HasPrefix(text, []byte("<?php")) {
		return nil, false // a page with scripts is a page
	}
	g := newGuesser()
	n := sampleLines(b, g.weigh)
	order := make([]int, len(g.all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return g.score[j] - g.score[i] })
	for _, i := range order[:3] {
		if g.score[i]*8 >= n && g.score[i] >= 6 {
			best = append(best, g.all[i])
		}
	}
	return best, g.score[order[0]]*9 > g.score[order[1]]*10
}

// sampleLines hands over lines that are not blank, and counts them.
func sampleLines(b []byte, yield func(line []byte)) (n int) {
	middle := len(b) / 2
	for at := bom(b); at < len(b) && n < guessLines; {
		if n == guessLines/2 && at < middle {
			i := bytes.IndexByte(b[middle:], '\n')
			if i < 0 {
				return n
			}
			at, middle = middle+i+1, 0
			continue
		}
		end := bytes.IndexByte(b[at:], '\n')
		if end < 0 {
			end = len(b) - at
		}
		line := bytes.TrimSpace(b[at:min(at+end, at+guessLine)])
		at += end + 1
		if len(line) > 0 {
			n++
			yield(line)
		}
	}
	return n
}

// weigh adds what a line says.
func (g *guesser) weigh(line []byte) {
	for _, n := range g.notes {
		if bytes.HasPrefix(line, []byte(n.open)) && (len(n.open) > 1 || len(line) == 1 || line[1] <= ' ' || line[1] == '!') {
			g.add(n.bits, 1)
			g.add(^n.bits, -2)
			return
		}
	}
	end := 0
	for end < len(line) && (line[end]|0x20 >= 'a' && line[end]|0x20 <= 'z' || line[end] == '_' || end == 0 || line[end]-'0' <= 9) {
		end++
	}
	word := line[:end]
	k := g.words[string(word)]
	g.add(k.define, 3)
	g.add(k.other&^k.define, 1)
	if word[0] >= 'A' && word[0] <= 'Z' {
		k = g.words[string(bytes.ToLower(word))]
		g.add(k.define&g.fold, 3)
		g.add(k.other&g.fold, 1)
	}
	g.tells.find(line, g.score)
	switch line[len(line)-1] {
	case ';':
		g.add(g.semi, 1)
		g.add(^(g.semi | g.braces), -2)
	case '{':
		g.add(g.braces, 1)
	}
}

func (g *guesser) add(set uint32, n int) {
	for set &= 1<<len(g.score) - 1; set != 0; set &= set - 1 {
		g.score[bits.TrailingZeros32(set)] += n
	}
}
