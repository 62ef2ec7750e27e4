package code

import "math/bits"

// tells are what lines of a language hold and few others do.
var tells = [...]struct{ name, has string }{
	{"go", " := |func (|err != nil|package main|func(|[]|map[|nil {|return nil|struct {"},
	{"javascript", "=> |=== |const |require(|import {|export |} from |function(|function ("},
	{"java", "@Override|import java|import static|import org.|import com.|public class|public static"},
	{"c", "#include|#define|->|std::|#if|#endif|NULL| *"},
	{"c#", "using System|using Microsoft|{ get; |namespace |/// <|string |#region"},
	{"rust", "fn |let mut|&self|::|-> |#[|pub "},
	{"swift", "guard let|-> |if let |let |?.|: String|: Int|: Bool|self."},
	{"kotlin", "fun |val |?.|: String|: Int|?: |data class"},
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

// tell is one of them, in the tables that a test writes: tellStart and tellList. Those
// that begin with the same two bytes, or with two that have the same key, stand
// together. Most pairs of bytes have none.
type tell struct {
	text string
	of   uint8 // position of the language
	last bool  // of those of its key
}

// keyBits is how long the key of two bytes is.
const keyBits = 10

func key(c, next byte) uint { return (uint(c)<<5 ^ uint(next)) % (1 << keyBits) }

// findTells adds one to the score of a language for each of its tells that a line
// holds, unless it is out of the question. One that begins with a letter begins a word:
// "end" is none in "append". It is one pass over the line for all: to look for them one
// by one took longer than to read the whole text.
func findTells(line []byte, score []int) {
	for i := range tellBytes {
		k := &tellBytes[i]
		if score[k.of] > hopeless && indexByte(line, 0, k.text[0]) < len(line) {
			score[k.of]++
		}
	}
	var seen [len(tellList)]bool
	for i := 0; i+1 < len(line); i += 8 {
		for at := tellsIn(line, i); at != 0; at &= at - 1 {
			if n := i + bits.TrailingZeros(at); n == 0 || !letter(line[n]) || !letter(line[n-1]) {
				findTell(line, n, score, &seen)
			}
		}
	}
}

// tellsIn is a set of the eight offsets from one on: those of two bytes that a tell
// may begin with. In Wasm a loop that turns for every byte takes twice as long.
func tellsIn(line []byte, i int) (set uint) {
	if i+9 <= len(line) {
		c := (*[9]byte)(line[i:])
		return some(c[0], c[1]) | some(c[1], c[2])<<1 | some(c[2], c[3])<<2 | some(c[3], c[4])<<3 |
			some(c[4], c[5])<<4 | some(c[5], c[6])<<5 | some(c[6], c[7])<<6 | some(c[7], c[8])<<7
	}
	for at := i; at+1 < len(line); at++ {
		set |= some(line[at], line[at+1]) << (at - i)
	}
	return set
}

func letter(c byte) bool { return c|0x20-'a' < 26 }

// some is 1 if a tell begins with two bytes.
func some(c, next byte) uint { return (uint(tellStart[key(c, next)]) + 255) >> 8 }

// findTell adds to the score of each language that has a tell at an offset of a line.
func findTell(line []byte, i int, score []int, seen *[len(tellList)]bool) {
	for at := tellStart[key(line[i], line[i+1])]; ; at++ {
		k := &tellList[at]
		if end := i + len(k.text); end <= len(line) && line[end-1] == k.text[len(k.text)-1] && !seen[at] && score[k.of] > hopeless && string(line[i:end]) == k.text {
			seen[at] = true
			score[k.of]++
		}
		if k.last {
			return
		}
	}
}
