package codescan

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"

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
	all    []*language
	words  map[string]begins
	lens   lengths
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

// newGuesser is a guesser for lines. It learns only words that may begin one of
// them: all take longer than the lines.
func newGuesser(sample [][]byte) *guesser {
	g := &guesser{words: make(map[string]begins, 128)}
	for _, line := range sample {
		word := firstWord(line)
		g.lens.add(word[0], len(word))
		g.lens.add(word[0]|0x20, len(word))
	}
	for l := range languages {
		if l.told {
			continue
		}
		g.know(l, 1<<len(g.all))
		g.all = append(g.all, l)
	}
	g.tells.learn(g.all)
	g.score = make([]int, len(g.all))
	return g
}

// know takes note of a language.
func (g *guesser) know(l *language, bit uint32) {
	g.learn(begins{define: bit}, l.define, l.modify)
	g.learn(begins{other: bit}, l.control, l.middle, l.calls)
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

// learn adds what words begin to what other languages begin with them.
func (g *guesser) learn(add begins, lists ...string) {
	for _, words := range lists {
		for w := range strings.FieldsSeq(words) {
			w, _, _ = strings.Cut(w, "=")
			if g.lens.has(w[0], len(w)) {
				had := g.words[w]
				g.words[w] = begins{define: had.define | add.define, other: had.other | add.other}
			}
		}
	}
}

// guess is up to three languages whose words begin the most lines, none if no
// language has enough of them. It is clear if the first is far ahead.
func guess(b []byte) (best []*language, clear bool) {
	if text := bytes.TrimLeft(b[bom(b):min(len(b), 200)], " \t\r\n"); bytes.HasPrefix(text, []byte("<")) && !bytes.HasPrefix(text, []byte("<?php")) {
		return nil, false // a page with scripts is a page
	}
	sample := sampleLines(b)
	g, n := newGuesser(sample), len(sample)
	for _, line := range sample {
		g.weigh(line)
	}
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
	for _, n := range g.notes {
		if bytes.HasPrefix(line, []byte(n.open)) && (len(n.open) > 1 || len(line) == 1 || line[1] <= ' ' || line[1] == '!') {
			g.add(n.bits, 1)
			g.add(^n.bits, -2)
			return
		}
	}
	word := firstWord(line)
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
