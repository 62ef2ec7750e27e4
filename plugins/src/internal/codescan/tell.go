package codescan

import (
	"bytes"
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
// Those that begin with the same two bytes, or with two that have the same key,
// are in one group. Most pairs of bytes have none.
type teller struct {
	group  [1 << keyBits]uint8 // by key: position in groups, 0 for none
	groups [][]tell
	single []tell // of one byte
}

// keyBits is how long the key of two bytes is.
const keyBits = 10

func key(c, next byte) uint { return (uint(c)<<5 ^ uint(next)) % (1 << keyBits) }

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
	t.groups = make([][]tell, 1, maxTells)
	for i := range tells {
		of := slices.IndexFunc(all, func(l *language) bool { return l.name == tells[i].name })
		for text := range strings.SplitSeq(tells[i].has, "|") {
			t.add(tell{text, of, n})
			n++
		}
	}
}

func (t *teller) add(k tell) {
	if len(k.text) == 1 {
		t.single = append(t.single, k)
		return
	}
	group := &t.group[key(k.text[0], k.text[1])]
	if *group == 0 {
		*group, t.groups = uint8(len(t.groups)), append(t.groups, nil)
	}
	t.groups[*group] = append(t.groups[*group], k)
}

// find adds one to the score of a language for each of its tells that a line
// holds, unless it is out of the question.
func (t *teller) find(line []byte, score []int) {
	for _, k := range t.single {
		if score[k.of] > hopeless && indexByte(line, 0, k.text[0]) < len(line) {
			score[k.of]++
		}
	}
	var seen [maxTells]bool
	for i := 0; i+1 < len(line); i++ {
		group := t.group[key(line[i], line[i+1])]
		if group == 0 {
			continue
		}
		for _, k := range t.groups[group] {
			if !seen[k.n] && score[k.of] > hopeless && bytes.HasPrefix(line[i:], []byte(k.text)) {
				seen[k.n] = true
				score[k.of]++
			}
		}
	}
}
