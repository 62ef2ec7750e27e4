package guess

import (
	"math/bits"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

//go:generate go test -run TestIdiomTables -update

// idioms lists fragments that lines of a language contain, and lines of few others do.
var idioms = [...]struct{ name, has string }{
	{"go", " := |func (|err != nil|package main|func(|[]|map[|nil {|return nil|struct {"},
	{"javascript", "=> |=== |const |require(|import {|export |} from |function(|function (|});|({"},
	{"java", "@Override|import java|import static|import org.|import com.|public class|public static"},
	{"c", "#include|#define|->|std::|#if|#endif|NULL| *"},
	{"c#", "using System|using Microsoft|{ get; |namespace |/// <|string |#region"},
	{"rust", "fn |let mut|&self|::|-> |#[|pub "},
	{"swift", "guard let|-> |if let |let |?.|: String|: Int|: Bool|self."},
	{"scala", "object |def |val |=> |extends |[A|: String|case class |Option[|import scala|import cats"},
	{"kotlin", "fun |val |?.|: String|: Int|?: |data class"},
	{"php", "<?php|$this->|function |$"},
	{"protobuf", "syntax = |message |rpc | = 1;| = 2;"},
	{"python", "def |self.|self,|import |elif |):|__|\"\"\""},
	{"ruby", "def |end| do|require '|attr_|=> |@"},
	{"lua", "local |function | then|end|~=| .. "},
	{"shell", "fi|then|$(|\"$|${|esac|[[ |() {|echo "},
	{"sql", "CREATE |SELECT |INSERT INTO|create |NOT NULL|ALTER TABLE|insert into"},
	{"css", "px;|em;| 0;|%;|color: |: #|: var(|var(--"},
	{"tcl", "proc |set | {[|} {| [|puts "},
	{"perl", "my |sub |use |$_|@_|->"},
	{"elixir", "defmodule | do|defp |end|def "},
}

// idiom is one fragment in the generated tables: idiomStart and idiomList. Idioms with the
// same key of their first two bytes are adjacent; most pairs of bytes have none.
type idiom struct {
	text string
	of   uint8 // position of the language
	last bool  // of those with its key
}

// keyBits is the size of the key of two bytes.
const keyBits = 10

func keyOf(c, next byte) uint { return (uint(c)<<5 ^ uint(next)) % (1 << keyBits) }

// scoreIdioms adds 1 to the score of a language for each of its idioms in a line, unless the
// score is hopeless. An idiom that begins with a letter begins a word: "end" is not in
// "append". One pass over the line finds the idioms of all languages: a search for each
// takes longer than reading the whole text.
func scoreIdioms(line []byte, score []int) {
	for i := range idiomBytes {
		k := &idiomBytes[i]
		if score[k.of] > hopeless && lines.IndexByte(line, k.text[0]) >= 0 {
			score[k.of]++
		}
	}
	var seen [len(idiomList)]bool
	for i := 0; i+1 < len(line); i += 8 {
		for at := idiomStarts(line, i); at != 0; at &= at - 1 {
			if n := i + bits.TrailingZeros(at); n == 0 || !isLetter(line[n]) || !isLetter(line[n-1]) {
				scoreIdiomsAt(line, n, score, &seen)
			}
		}
	}
}

// idiomStarts returns a set of the eight offsets from i on: those of two bytes that may
// begin an idiom. A loop over single bytes takes twice as long in Wasm.
func idiomStarts(line []byte, i int) (set uint) {
	if i+9 <= len(line) {
		c := (*[9]byte)(line[i:])
		return startsIdiom(c[0], c[1]) | startsIdiom(c[1], c[2])<<1 | startsIdiom(c[2], c[3])<<2 | startsIdiom(c[3], c[4])<<3 |
			startsIdiom(c[4], c[5])<<4 | startsIdiom(c[5], c[6])<<5 | startsIdiom(c[6], c[7])<<6 | startsIdiom(c[7], c[8])<<7
	}
	for at := i; at+1 < len(line); at++ {
		set |= startsIdiom(line[at], line[at+1]) << (at - i)
	}
	return set
}

func isLetter(c byte) bool { return c|0x20-'a' < 26 }

// startsIdiom returns 1 if an idiom may begin with two bytes, else 0.
func startsIdiom(c, next byte) uint { return (uint(idiomStart[keyOf(c, next)]) + 255) >> 8 }

// scoreIdiomsAt adds the idioms that begin at an offset of a line and are not yet seen.
func scoreIdiomsAt(line []byte, i int, score []int, seen *[len(idiomList)]bool) {
	for at := idiomStart[keyOf(line[i], line[i+1])]; ; at++ {
		k := &idiomList[at]
		if end := i + len(k.text); end <= len(line) && line[end-1] == k.text[len(k.text)-1] && !seen[at] && score[k.of] > hopeless && string(line[i:end]) == k.text {
			seen[at] = true
			score[k.of]++
		}
		if k.last {
			return
		}
	}
}
