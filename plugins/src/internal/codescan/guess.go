package codescan

import (
	"bytes"
	"slices"
	"strings"
)

// A guess looks at so many lines, half of them from the start, each up to so many
// bytes.
const (
	guessLines = 320
	guessLine  = 120
)

// guesser weighs lines for all languages at once: each has a bit.
type guesser struct {
	all    []*language
	define map[string]uint32 // words that define or modify
	other  map[string]uint32 // other words that begin statements
	notes  map[string]uint32 // marks of comments
	semi   uint32            // lines may end in ;
	braces uint32            // blocks are in braces
	fold   uint32            // words may be in upper case
	score  []int
}

func newGuesser() *guesser {
	g := &guesser{define: make(map[string]uint32, 256), other: make(map[string]uint32, 512), notes: make(map[string]uint32)}
	for l := range languages {
		bit := uint32(1) << len(g.all)
		g.all = append(g.all, l)
		for w := range strings.FieldsSeq(l.define) {
			w, _, _ = strings.Cut(w, "=")
			g.define[w] |= bit
		}
		for w := range strings.FieldsSeq(l.modify) {
			g.define[w] |= bit
		}
		for w := range strings.FieldsSeq(l.control) {
			g.other[w] |= bit
		}
		for w := range strings.FieldsSeq(l.middle) {
			g.other[w] |= bit
		}
		for _, open := range l.comment {
			g.notes[open] |= bit
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
	g.score = make([]int, len(g.all))
	return g
}

// guess is up to three languages whose words begin the most lines, none if no
// language has enough of them.
func guess(b []byte) (best []*language) {
	if text := bytes.TrimLeft(b[bom(b):min(len(b), 200)], " \t\r\n"); bytes.HasPrefix(text, []byte("<")) && !bytes.HasPrefix(text, []byte("<?php")) {
		return nil // a page with scripts is a page
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
	return best
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

// tells are what lines of a language hold and few others do.
var tells = [...]struct{ name, has string }{
	{"go", " := |func (|err != nil|package main|func("},
	{"javascript", "=> |=== |const |require(|import {|export |} from |function(|function ("},
	{"java", "@Override|import java|import static|import org.|import com.|public class|public static"},
	{"c", "#include|#define|->|std::|#if|#endif|NULL| *"},
	{"c#", "using System|using Microsoft|{ get; |namespace |/// <|string |#region"},
	{"rust", "fn |let mut|&self|::|-> |#[|pub "},
	{"swift", "func |guard let|-> |let |var "},
	{"kotlin", "fun |val |var |import "},
	{"php", "<?php|$this->|function |$"},
	{"protobuf", "syntax = |message |rpc | = 1;| = 2;"},
	{"python", "def |self.|self,|import |elif |):|__|\"\"\""},
	{"ruby", "def |end| do|require '|attr_|=> |@"},
	{"lua", "local |function | then|end|~=| .. "},
	{"shell", "fi|then|$(|\"$|${|esac|[[ |() {|echo "},
	{"sql", "CREATE |SELECT |INSERT INTO|create |NOT NULL|ALTER TABLE|insert into"},
	{"css", "px;|em;| 0;|%;|color: |: #"},
	{"tcl", "proc |set | {[|} {| [|puts "},
	{"perl", "my |sub |use |$_|@_|->"},
	{"elixir", "defmodule | do|defp |end|def "},
}

// weigh adds what a line says.
func (g *guesser) weigh(line []byte) {
	for open, bits := range g.notes {
		if bytes.HasPrefix(line, []byte(open)) && (len(open) > 1 || len(line) == 1 || line[1] <= ' ' || line[1] == '!') {
			g.add(bits, 1)
			g.add(^bits, -2)
			return
		}
	}
	end := 0
	for end < len(line) && (line[end]|0x20 >= 'a' && line[end]|0x20 <= 'z' || line[end] == '_' || end == 0 || line[end]-'0' <= 9) {
		end++
	}
	word := line[:end]
	g.add(g.define[string(word)], 3)
	g.add(g.other[string(word)]&^g.define[string(word)], 1)
	if word[0] >= 'A' && word[0] <= 'Z' {
		low := string(bytes.ToLower(word))
		g.add(g.define[low]&g.fold, 3)
		g.add(g.other[low]&g.fold, 1)
	}
	for i, l := range g.all {
		if g.score[i] > -100 {
			g.score[i] += g.tell(l.name, line)
		}
	}
	switch line[len(line)-1] {
	case ';':
		g.add(g.semi, 1)
		g.add(^(g.semi | g.braces), -2)
	case '{':
		g.add(g.braces, 1)
	}
}

// tell is how many tells of a language a line holds.
func (g *guesser) tell(name string, line []byte) (n int) {
	for i := range tells {
		if tells[i].name != name {
			continue
		}
		for has := range strings.SplitSeq(tells[i].has, "|") {
			if bytes.Contains(line, []byte(has)) {
				n++
			}
		}
	}
	return n
}

func (g *guesser) add(bits uint32, n int) {
	for i := 0; bits != 0 && i < len(g.score); i++ {
		if bits>>i&1 != 0 {
			g.score[i] += n
		}
	}
}
