package makefile

import (
	"bytes"
	"slices"
)

// form is the kind of a line, and of the item that it begins.
type form uint8

const (
	invalid    form = iota
	rule            // targets: prerequisites
	special         // .PHONY: targets
	variable        // NAME = value
	definition      // define NAME
	directive       // include, export, a call
	ifLine
	elseLine
	endLine
	block // several variables
)

// place is the place of a name in a line.
type place struct{ from, to int }

// firstWord returns the first word of a line as a string, if it is not long.
func firstWord(text []byte) string {
	end := 0
	for end < len(text) && text[end] != ' ' && text[end] != '\t' && text[end] != '(' && end < 12 {
		end++
	}
	return string(text[:end])
}

// classify returns the kind of a line without indentation, and its name.
func classify(text []byte) (form, place) {
	switch firstWord(text) {
	case "ifeq", "ifneq", "ifdef", "ifndef":
		return ifLine, place{}
	case "if": // of Automake
		if words := bytes.Fields(text[:min(len(text), maxRead)]); len(words) == 2 && bytes.IndexAny(words[1], ":=(") < 0 {
			return ifLine, place{}
		}
	case "else":
		return elseLine, place{}
	case "endif":
		return endLine, place{}
	}
	rest := skipModifiers(text)
	if name, ok := cutDefine(rest); ok {
		from := len(text) - len(name)
		return definition, place{from, from + wordEnd(bytes.TrimRight(name, "=:+? \t"))}
	}
	word := firstWord(rest)
	isModified := len(rest) < len(text)
	if !isModified && slices.Contains(directives, word) && !isOperator(text[len(word):]) {
		return directive, place{0, len(word)}
	}
	is, name := classifyByOperator(rest)
	if !isModified || is == variable {
		shift := len(text) - len(rest)
		return is, place{name.from + shift, name.to + shift}
	}
	return directive, place{0, len(firstWord(text))}
}

// modifiers are the words that may be before an assignment or a definition, and directives
// those that begin a line which neither assigns nor makes anything.
var (
	modifiers  = []string{"export", "override", "private", "unexport"}
	directives = []string{"include", "-include", "sinclude", "vpath", "undefine", "load", "-load"}
)

// skipModifiers returns the text after the modifiers that it begins with.
func skipModifiers(text []byte) []byte {
	for range len(modifiers) {
		word := firstWord(text)
		rest := text[len(word):]
		if !slices.Contains(modifiers, word) || isOperator(rest) {
			break
		}
		text = bytes.TrimLeft(rest, " \t")
	}
	return text
}

// isOperator reports whether text begins with the operator of a rule or an assignment.
func isOperator(text []byte) bool {
	text = bytes.TrimLeft(text, " \t")
	return len(text) > 0 && (bytes.IndexByte([]byte("=:"), text[0]) >= 0 || len(text) > 1 && text[1] == '=')
}

// cutDefine returns what follows define.
func cutDefine(text []byte) (name []byte, ok bool) {
	if firstWord(text) != "define" || isOperator(text[len("define"):]) {
		return nil, false
	}
	name = bytes.TrimLeft(text[len("define"):], " \t")
	return name, len(name) > 0
}

// classifyByOperator returns the kind of a line by its first operator outside of
// parentheses: a colon is that of a rule, unless it assigns.
func classifyByOperator(text []byte) (form, place) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '{':
			if depth == 0 && (i == 0 || text[i-1] != '$') {
				return invalid, place{}
			}
			depth++
		case ')', '}':
			if depth--; depth < 0 {
				return invalid, place{}
			}
		case '\\':
			i++
		case '=':
			if depth == 0 {
				return assign(text, i)
			}
		case ':':
			if depth == 0 && !isDrive(text, i) {
				return readColon(text, i)
			}
		case '#':
			if depth == 0 {
				return classifyCall(bytes.TrimRight(text[:i], " \t"), 0)
			}
		case ';', '"', '\'', '`', '<', '>':
			if depth == 0 {
				return invalid, place{}
			}
		}
	}
	return classifyCall(text, depth)
}

// classifyCall returns the kind of a line without an operator, which may be a call such as
// $(eval ...) or its beginning.
func classifyCall(text []byte, depth int) (form, place) {
	isCall := len(text) > 1 && text[0] == '$' && (text[1] == '(' || text[1] == '{')
	if isCall && (depth == 0 || isContinued(text)) {
		return directive, place{}
	}
	return invalid, place{}
}

// isDrive reports whether the colon at an offset is that of C:\.
func isDrive(text []byte, i int) bool {
	return i == 1 && len(text) > 2 && (text[2] == '\\' || text[2] == '/')
}

// readColon returns the kind of a line with a colon at an offset.
func readColon(text []byte, i int) (form, place) {
	end := i
	for end < len(text) && text[end] == ':' {
		end++
	}
	if end < len(text) && text[end] == '=' {
		return assign(text, i)
	}
	targets := bytes.TrimRight(text[:i], " \t&")
	if len(targets) == 0 || end > i+2 {
		return invalid, place{}
	}
	to := wordEnd(targets)
	if targets[0] == '.' && slices.Contains(specials, string(targets)) {
		return special, place{0, to}
	}
	return rule, place{0, to}
}

// specials are the targets that only tell something about others.
var specials = []string{".PHONY", ".SUFFIXES", ".PRECIOUS", ".INTERMEDIATE", ".SECONDARY", ".NOTPARALLEL", ".SILENT", ".IGNORE", ".DELETE_ON_ERROR", ".EXPORT_ALL_VARIABLES", ".ONESHELL", ".POSIX"}

// wordEnd returns the end of the first word of a text; blanks in parentheses are part of
// it.
func wordEnd(text []byte) int {
	depth := 0
	for i, c := range text {
		switch {
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			depth--
		case depth == 0 && (c == ' ' || c == '\t'):
			return i
		}
	}
	return len(text)
}

// assign returns the kind of a line with the operator of an assignment at an offset.
func assign(text []byte, i int) (form, place) {
	name := bytes.TrimRight(text[:i], "+?!: \t")
	if len(name) == 0 || wordEnd(name) < len(name) {
		return invalid, place{}
	}
	if string(name) == "PHONY" { // collects what .PHONY lists, in the makefiles of Linux
		return special, place{}
	}
	return variable, place{0, len(name)}
}
