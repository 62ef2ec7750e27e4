package detect

import "strings"

// byExtension is the type of a file by its name, "" for one that can hold
// anything.
func byExtension(ext string) Type {
	if t := claimed(ext); t != "" {
		return t
	}
	if ext != "" && strings.Contains(others, " "+ext+" ") {
		return Type("." + ext)
	}
	return ""
}

// claimed is the type whose proof has this extension or media type, or "".
func claimed(word string) Type {
	if word == "" { // as of most content
		return ""
	}
	for i := range proofs {
		if among(proofs[i].hints, word) {
			return proofs[i].name
		}
	}
	return ""
}

// among reports whether a list of words, a blank between two, has a word.
func among(list, word string) bool {
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

// others are extensions of types that have no proof here: they still say what a
// text is not.
const others = " toml ini conf cfg env properties ps1 bat cmd jl fs vb erl ml clj" +
	" lisp el vim s asm thrift graphql cmake tex bib srt vtt "

// Tells reports whether the name of a file or URI says of which type it is.
func Tells(name string) bool { return hinted(name, "") != "" }

// hinted is the type that a path, URI or media type claims; "" for none.
func hinted(path, mime string) Type {
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	path = path[strings.LastIndexByte(path, '/')+1:]
	if t := byExtension(strings.ToLower(path[strings.LastIndexByte(path, '.')+1:])); t != "" { // or all of it: Makefile
		return t
	}
	mime, _, _ = strings.Cut(strings.ToLower(mime), ";")
	mime = strings.TrimSpace(mime)
	if strings.HasSuffix(mime, "+json") {
		return JSON
	}
	if t := claimed(mime); t != "" || !strings.HasSuffix(mime, "+xml") {
		return t
	}
	return XML
}
