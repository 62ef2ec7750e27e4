package guess

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

// HasInterpreter reports whether the first line names a program that runs texts of a language, or the text is nothing
// but a program of PHP.
func HasInterpreter(b []byte, l *language.Language) bool {
	program := findInterpreter(b)
	return program != "" && hasWord(l.Interpreters, program)
}

// Named returns the language that a file name or an interpreter line identifies, or nil.
func Named(b []byte, file string) *language.Language {
	if ext := Extension(file); ext != "" {
		for l := range language.All {
			if strings.Contains(l.Files, ext) && hasWord(l.Files, ext) {
				return l
			}
		}
	}
	if program := findInterpreter(b); program != "" {
		for l := range language.All {
			if hasWord(l.Interpreters, program) {
				return l
			}
		}
	}
	return nil
}

// hasWord reports whether a list contains a word, with or without a dialect.
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w, _, _ = strings.Cut(w, "="); w == word {
			return true
		}
	}
	return false
}

// Extension returns the extension of a file name or URI in lower case. A name without
// a dot, such as Makefile, is returned whole.
func Extension(file string) string {
	file, _, _ = strings.Cut(file, "?")
	file, _, _ = strings.Cut(file, "#")
	file = file[strings.LastIndexByte(file, '/')+1:]
	return strings.ToLower(file[strings.LastIndexByte(file, '.')+1:])
}

// findInterpreter returns the program that the first line names, without its version.
func findInterpreter(b []byte) string {
	b = b[lines.Start(b):]
	if bytes.HasPrefix(b, []byte("<?php")) && !bytes.Contains(bytes.TrimSuffix(bytes.TrimSpace(b), []byte("?>")), []byte("?>")) {
		return "php"
	}
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
