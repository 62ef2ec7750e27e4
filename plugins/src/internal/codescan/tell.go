package codescan

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
)

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

// teller finds the tells of all languages in one pass over a line: to look for
// them one by one took longer than to read the whole text.
//
// Tells are in groups by their first two bytes. A group may begin at a byte if
// that one and the next one both allow it.
type teller struct {
	first, second [256]uint64 // groups that have this byte there
	groups        [64][]tell
}

// tell is one of them. Each has a number of its own.
type tell struct {
	text string
	of   int // position of the language
	n    int
}

// maxTells is how many a teller can number.
const maxTells = 128

func (t *teller) learn(all []*language) {
	n := 0
	pairs := make([]string, 0, len(t.groups))
	for i := range tells {
		of := slices.IndexFunc(all, func(l *language) bool { return l.name == tells[i].name })
		for text := range strings.SplitSeq(tells[i].has, "|") {
			pair := text[:min(len(text), 2)]
			at := slices.Index(pairs, pair)
			if at < 0 {
				at, pairs = len(pairs), append(pairs, pair)
			}
			group := at % len(t.groups)
			t.allow(pair, 1<<group)
			t.groups[group] = append(t.groups[group], tell{text, of, n})
			n++
		}
	}
}

// allow lets groups begin with a pair of bytes, or with one and whatever follows.
func (t *teller) allow(pair string, groups uint64) {
	t.first[pair[0]] |= groups
	if len(pair) > 1 {
		t.second[pair[1]] |= groups
		return
	}
	for c := range t.second {
		t.second[c] |= groups
	}
}

// find adds one to the score of a language for each of its tells that a line
// holds, unless it is out of the question.
func (t *teller) find(line []byte, score []int) {
	var seen [maxTells]bool
	for i := range line {
		next := byte(0)
		if i+1 < len(line) {
			next = line[i+1]
		}
		for set := t.first[line[i]] & t.second[next]; set != 0; set &= set - 1 {
			for _, k := range t.groups[bits.TrailingZeros64(set)] {
				if !seen[k.n] && score[k.of] > hopeless && bytes.HasPrefix(line[i:], []byte(k.text)) {
					seen[k.n] = true
					score[k.of]++
				}
			}
		}
	}
}
