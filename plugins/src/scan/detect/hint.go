package detect

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// byExtension returns the type of files with an extension, or "" if they may contain any type.
func byExtension(ext string) Type {
	if t := typeNamed(ext); t != "" {
		return t
	}
	if ext != "" && strings.Contains(others, " "+ext+" ") {
		return Type("." + ext)
	}
	return ""
}

// typeNamed returns the type whose proof lists an extension or media type, or "".
func typeNamed(word string) Type {
	if word == "" {
		return ""
	}
	for i := range proofs {
		if hasWord(proofs[i].hints, word) {
			return proofs[i].name
		}
	}
	return ""
}

// hasWord reports whether a list of words separated by blanks contains a word.
func hasWord(list, word string) bool {
	for len(list) >= len(word) {
		end := 0
		for end < len(list) && list[end] != ' ' {
			end++
		}
		if list[:end] == word {
			return true
		}
		list = list[min(end+1, len(list)):]
	}
	return false
}

// others lists extensions of types that have no proof. They exclude the types that have one.
const others = " conf ps1 bat cmd jl fs vb erl ml clj" +
	" lisp el vim s asm thrift graphql cmake tex bib srt vtt "

// IsTyped reports whether the name of a file or URI identifies a type.
func IsTyped(name string) bool { return hintedType(name, "") != "" }

// hintedType returns the type that a path, URI or media type claims, or "".
func hintedType(path, mime string) Type {
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	path = path[strings.LastIndexByte(path, '/')+1:]
	if t := byExtension(strings.ToLower(path[strings.LastIndexByte(path, '.')+1:])); t != "" { // a name without a dot is looked up whole: Makefile
		return t
	}
	for i := range proofs {
		if part.HasStem(path, proofs[i].stems) { // Dockerfile.dev
			return proofs[i].name
		}
	}
	mime, _, _ = strings.Cut(strings.ToLower(mime), ";")
	mime = strings.TrimSpace(mime)
	if strings.HasSuffix(mime, "+json") {
		return JSON
	}
	if t := typeNamed(mime); t != "" || !strings.HasSuffix(mime, "+xml") {
		return t
	}
	return XML
}
