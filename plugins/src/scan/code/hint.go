package code

import (
	"bytes"
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

// languageAt is one of them by its position.
func languageAt(i int) *language {
	if i < len(curly) {
		return curly[i]
	}
	return byLayout[i-len(curly)]
}

// languageOf is what a file name or an interpreter line says, or nil.
func languageOf(b []byte, file string) (*language, bool) {
	file, _, _ = strings.Cut(file, "?")
	file, _, _ = strings.Cut(file, "#")
	if ext := extension(file); ext != "" {
		for l := range languages {
			if strings.Contains(l.files, ext) && claims(l.files, ext) {
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

// extension is how a file name ends, or all of one without a dot: Makefile.
func extension(file string) string {
	file = file[strings.LastIndexByte(file, '/')+1:]
	return strings.ToLower(file[strings.LastIndexByte(file, '.')+1:])
}

// dialect is what readers call the language of a file.
func dialect(l *language, file string) string {
	file, _, _ = strings.Cut(file, "?")
	file, _, _ = strings.Cut(file, "#")
	ext := extension(file)
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
