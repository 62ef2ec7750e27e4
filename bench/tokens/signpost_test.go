package main

import (
	"math"
	"strings"
	"testing"
)

func TestBitsLeft(t *testing.T) {
	words := func(s string) map[string]bool { return wordsOf(s) }
	for _, c := range []struct {
		rule  string
		k     knowledge
		lines string // ids and titles
		right string
		want  float64 // lines among which the reader cannot choose
	}{
		{"unknown words", knowledge{words: words("zebra")}, "a one\nb two\nc three\nd four", "b", 4},
		{"word of the right line", knowledge{words: words("two zebra")}, "a one\nb two\nc three\nd four", "b", 1},
		{"word of another line", knowledge{words: words("one")}, "a one\nb two\nc three\nd four", "b", 4},
		{"word of all lines", knowledge{words: words("lamp")}, "a lamp\nb lamp", "b", 2},
		{"name before words", knowledge{names: []string{"two"}, words: words("two one red")}, "a one red\nb two", "b", 1},
		{"range of names", knowledge{path: []string{"kiwi"}, words: words("")}, "@apple..fig 4 parts\n@grape..lemon 5 parts\n@mango..plum 2 parts", "@grape..lemon", 1},
		{"key of the path", knowledge{path: []string{"spec", "items", "3", "name"}, words: words("")}, "spec/kind x\nspec/items list\nspec/size 3", "spec/items", 1},
		{"element with another value", knowledge{path: []string{"map", "country"}, words: words("country Chad Africa")}, "map/country=Fiji Fiji\nmap/@region=Africa 9 country\nmap/@region=Asia 7 country", "map/@region=Africa", 1},
		{"beginning of the path first", knowledge{names: []string{"1.9.3", "Fixes"}, words: words("")}, "@0..3 4 parts: 2.1.0 .. 1.10.0\n@4..7 4 parts: 1.9.12 .. 1.9.1\n1-8-0 Fixes", "@4..7", 1},
		{"group in the path", knowledge{path: []string{"7", "name"}, words: words("red")}, "@color=red 4 rows\n@color=blue 5 rows", "@color=red", 1},
		{"range of first members", knowledge{text: "BDQ,Morrilton", words: words("")}, "@L1..L3 3 parts: AAA, x... .. AZZ, y...\n@L4..L6 3 parts: BAA, x... .. CDX, y...\n@L7..L8 2 parts: DAA, x .. DZZ, y", "@L4..L6", 1},
		{"ranges that are not sorted", knowledge{text: "BDQ", words: words("")}, "@L1..L3 3 parts: AAA .. ZZZ\n@L4..L6 3 parts: ABC .. YYY\n@L7..L8 2 parts: c .. z", "@L4..L6", 2},
		{"range of versions", knowledge{names: []string{"Changelog", "1.9.3"}, words: words("")}, "@0..3 4 parts: 1.12.0 .. 1.10.0\n@4..7 4 parts: 1.9.12 .. 1.9.1\n@8..9 2 parts: 1.8.0 .. 1.2.0", "@4..7", 1},
		{"range of keys", knowledge{names: []string{"packages", "node_modules/glob"}, words: words("")}, "packages/@0..3 4 parts: @babel/core .. acorn...\npackages/@4..7 4 parts: acorn-walk .. glo...\npackages/@8..9 2 parts: hasown .. once", "packages/@4..7", 1},
		{"beginning of a time", knowledge{text: "2016-12-19 20:54:32,992] WARN", words: words("")}, "@20:54:3 7 records\n@20:54:4 8 records", "@20:54:3", 1},
		{"hour in a time", knowledge{words: words("2026-11-28 08:15")}, "@2026-11-28T07 9 records\n@2026-11-28T08 8 records", "@2026-11-28T08", 1},
	} {
		var lines []offer
		for line := range strings.SplitSeq(c.lines, "\n") {
			id, title, _ := strings.Cut(line, " ")
			lines = append(lines, offer{id, title})
		}
		if got := c.k.bitsLeft(lines, c.right); math.Abs(got-math.Log2(c.want)) > 1e-9 {
			t.Errorf("%s: %.2f bits, want %.2f", c.rule, got, math.Log2(c.want))
		}
	}
}

func TestPoorSigns(t *testing.T) {
	for _, c := range []struct {
		id, title string
		want      bool
	}{
		{"@0..15", "16 parts: first ..", true}, {"@0..15", "16 parts", true}, {"@0..15", "16 parts: first .. last", false}, {"@0..15", "16 parts: a, b +14", false},
		{"x/@L7..L9", "3 parts: a", true}, {"@apple..fig", "4 parts", false}, {"L17", "", true}, {"L17", "a record", false}, {"name", "", false}, {"12", "", true},
	} {
		if got := isPoorSign(offer{c.id, c.title}); got != c.want {
			t.Errorf("[%s] %s: %t, want %t", c.id, c.title, got, c.want)
		}
	}
}
