package codescan

import (
	"bytes"
	"slices"
	"strings"
)

// languages are all that are known.
func languages(yield func(*language) bool) {
	for _, l := range curly {
		if !yield(l) {
			return
		}
	}
	for _, l := range byLayout {
		if !yield(l) {
			return
		}
	}
}

// languageOf is what a file name or an interpreter line says, or nil.
func languageOf(b []byte, file string) (*language, bool) {
	file, _, _ = strings.Cut(file, "?")
	file, _, _ = strings.Cut(file, "#")
	if i := strings.LastIndexByte(file, '.'); i >= 0 {
		ext := strings.ToLower(file[i+1:])
		for l := range languages {
			if claims(l.files, ext) {
				return l, true
			}
		}
	}
	if run := interpreter(b); run != "" {
		for l := range languages {
			if claims(l.runs, run) {
				return l, true
			}
		}
	}
	return nil, false
}

func claims(words, word string) bool {
	for w := range strings.FieldsSeq(words) {
		if w, _, _ = strings.Cut(w, "="); w == word {
			return true
		}
	}
	return false
}

// dialect is what readers call the language of a file.
func dialect(l *language, file string) string {
	file, _, _ = strings.Cut(file, "?")
	file, _, _ = strings.Cut(file, "#")
	ext := strings.ToLower(file[strings.LastIndexByte(file, '.')+1:])
	for w := range strings.FieldsSeq(l.files) {
		if w, name, ok := strings.Cut(w, "="); ok && w == ext {
			return name
		}
	}
	return l.name
}

// interpreter is the program that the first line names, without its version.
func interpreter(b []byte) string {
	b = b[bom(b):]
	if !bytes.HasPrefix(b, []byte("#!")) {
		return ""
	}
	line, _, _ := bytes.Cut(b[2:min(len(b), 120)], []byte("\n"))
	for word := range bytes.FieldsSeq(line) {
		word = word[bytes.LastIndexByte(word, '/')+1:]
		if string(word) == "env" || word == nil || len(word) > 0 && word[0] == '-' {
			continue
		}
		return string(bytes.TrimRight(word, "0123456789."))
	}
	return ""
}

// A guess looks at so many lines, half of them from the start, each up to so many
// bytes.
const (
	guessLines = 600
	guessLine  = 200
)

// guess is the one or two languages whose words begin the most lines, none if
// no language has enough of them.
func guess(b []byte) (best []*language) {
	var all []*vocabulary
	for l := range languages {
		if l.name != "css" {
			all = append(all, newVocabulary(l))
		}
	}
	score := make([]int, len(all))
	n := sampleLines(b, func(line []byte) {
		for i, v := range all {
			score[i] += v.weigh(line)
		}
	})
	if text := bytes.TrimLeft(b[bom(b):], " \t\r\n"); bytes.HasPrefix(text, []byte("<")) && !bytes.HasPrefix(text, []byte("<?php")) {
		return nil // a page with scripts is a page
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return score[j] - score[i] })
	for _, i := range order[:2] {
		if score[i]*8 >= n && score[i] >= 6 {
			best = append(best, all[i].language)
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
			at = middle + i + 1
			middle = 0
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

// tells are beginnings and ends of lines that speak for a language.
var tells = map[string]struct{ has []string }{
	"go":         {[]string{" := ", "func (", "err != nil", "package main"}},
	"javascript": {[]string{"=> ", "=== ", "const ", "require(", "import {", "export ", "} from ", "function(", "function ("}},
	"java":       {[]string{"@Override", "import java", "import static", "import org.", "import com.", "public class", "public static"}},
	"c":          {[]string{"#include", "#define", "->", "std::", "#if", "#endif", "NULL", " *"}},
	"c#":         {[]string{"using System", "using Microsoft", "{ get; ", "namespace ", "/// <", "=> ", "string ", "#region"}},
	"rust":       {[]string{"fn ", "let mut", "&self", "::", "-> ", "#[", "pub "}},
	"swift":      {[]string{"func ", "guard let", "-> ", "let ", "var "}},
	"kotlin":     {[]string{"fun ", "val ", "var ", "import "}},
	"php":        {[]string{"<?php", "$this->", "function ", "$"}},
	"protobuf":   {[]string{"syntax = ", "message ", "rpc ", " = 1;", " = 2;"}},
	"python":     {[]string{"def ", "self.", "self,", "import ", "elif ", "):", "__", "\"\"\""}},
	"ruby":       {[]string{"def ", "end", " do |", "require '", "attr_", "=> ", "@"}},
	"lua":        {[]string{"local ", "function ", " then", "end", "~=", " .. "}},
	"shell":      {[]string{"fi", "then", "$(", "\"$", "${", "esac", "[[ ", "() {", "echo "}},
	"sql":        {[]string{"CREATE ", "SELECT ", "INSERT INTO", "create ", "NOT NULL", "ALTER TABLE", "insert into"}},
	"tcl":        {[]string{"proc ", "set ", " {[", "} {", " [", "puts "}},
	"perl":       {[]string{"my ", "sub ", "use ", "$_", "@_", "->"}},
	"elixir":     {[]string{"defmodule ", " do", "|> ", "end", "def "}},
}

// weigh is what a line says for a language.
func (v *vocabulary) weigh(line []byte) (n int) {
	for _, open := range []string{"//", "# ", "-- "} {
		if bytes.HasPrefix(line, []byte(open)) {
			if slices.ContainsFunc(v.comment, func(c string) bool { return strings.HasPrefix(open, c) }) {
				return 1
			}
			return -2
		}
	}
	switch m := v.look(wordAt(v, line, 0)); m.role {
	case defines, modifies:
		n += 3
	case controls, continues:
		n++
	}
	for _, s := range tells[v.name].has {
		if bytes.Contains(line, []byte(s)) {
			n++
		}
	}
	switch end := line[len(line)-1]; {
	case end == ';' && v.layout && v.syntax&semiEnds == 0 && v.name != "perl":
		n -= 2
	case end == ';' && (v.semi || v.syntax&templates != 0), end == '{' && !v.layout:
		n++
	}
	return n
}
