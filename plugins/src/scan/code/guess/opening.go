package guess

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

// An opening statement is searched in openingText bytes of a text and openingLine bytes
// of a line.
const (
	openingText = 16 << 10
	openingLine = 160
)

// Opens reports whether b begins like source code: with the name of an interpreter, or a
// statement that programs begin with. It is no proof.
func Opens(b []byte) bool { return findInterpreter(b) != "" || Opening(b) != nil }

// Opening returns the language whose programs begin like b, comments skipped. It returns nil
// if several languages do, or none.
func Opening(b []byte) *language.Language {
	b = b[lines.Start(b):min(len(b), openingText)]
	statement, at := nextStatement(b, 0)
	skipped := 0
	for ; skipped < maxSkipped && len(statement) > 0; skipped++ {
		end := pythonEnd(b, statement, at)
		if end == 0 {
			break
		}
		statement, at = nextStatement(b, end)
	}
	if len(statement) == 0 {
		return nil
	}
	name := openingName(statement)
	if skipped > 0 && name != "python" {
		return nil
	}
	return language.ByName(name)
}

// maxSkipped is the number of statements that are skipped because programs of several languages begin with them.
const maxSkipped = 16

// pythonEnd returns the end of a statement of Python that other languages have too and the next statement has to
// confirm: a long string, or the import of a module in a package. It returns 0 for another statement. The line with the
// statement ends at an offset.
func pythonEnd(b, statement []byte, at int) int {
	if module, ok := bytes.CutPrefix(statement, []byte("import ")); ok && isPath(module) && bytes.IndexByte(module, '.') > 0 {
		return at
	}
	for _, quote := range [...]string{`"""`, "'''"} {
		rest, ok := bytes.CutPrefix(statement, []byte(quote))
		if !ok {
			continue
		}
		if bytes.HasSuffix(rest, []byte(quote)) {
			return at
		}
		if i := bytes.Index(b[at:], []byte(quote)); i >= 0 {
			return lines.End(b, at+i)
		}
	}
	return 0
}

// IsPHP reports whether b begins with the mark of PHP, with which no other text does.
func IsPHP(b []byte) bool { return bytes.HasPrefix(b[lines.Start(b):], []byte("<?php")) }

// nextStatement returns the first line from an offset on that is neither blank nor a comment, and its end.
func nextStatement(b []byte, at int) (statement []byte, end int) {
	for at < len(b) {
		end = lines.End(b, at)
		line := bytes.TrimSpace(b[at:min(end, at+openingLine)])
		switch {
		case bytes.HasPrefix(line, blockOpen):
			i := bytes.Index(b[at:], blockClose)
			if i < 0 {
				return nil, 0
			}
			end = lines.End(b, at+i)
		case len(line) > 0 && !bytes.HasPrefix(line, lineComment) && (line[0] != '#' || len(line) > 1 && isLetter(line[1])):
			return line, end
		}
		at = end
	}
	return nil, 0
}

var blockOpen, blockClose, lineComment = []byte("/*"), []byte("*/"), []byte("//")

// openingName returns the name of the language in which a program may begin with a
// statement, or "" if there are several or none.
func openingName(statement []byte) string {
	word := firstWord(statement)
	rest := bytes.TrimSpace(statement[len(word):])
	switch string(word) {
	case "package":
		return packageName(rest)
	case "using", "namespace":
		if name, ok := bytes.CutSuffix(rest, []byte(";")); ok && len(name) > 0 && name[0]-'A' < 26 && isPath(name) {
			return "c#"
		}
	case "from":
		if module, _, ok := bytes.Cut(rest, []byte(" import ")); ok && isPath(bytes.TrimLeft(module, ".")) {
			return "python"
		}
	case "import":
		if bytes.Contains(rest, []byte(" from '")) || bytes.Contains(rest, []byte(` from "`)) {
			return "javascript"
		}
		if module, _, _ := bytes.Cut(rest, []byte(" as ")); isPath(module) && module[0]-'a' < 26 && (len(module) < len(rest) || bytes.IndexByte(module, '.') < 0) {
			return "python"
		}
	case "require", "require_relative":
		if len(rest) > 2 && (rest[0] == '\'' || rest[0] == '"') && rest[len(rest)-1] == rest[0] {
			return "ruby"
		}
	case "class":
		if name, parent, ok := bytes.Cut(rest, []byte(" < ")); ok && isConstant(name) && isConstant(parent) {
			return "ruby"
		}
	case "#include", "#import":
		if len(rest) > 0 && (rest[0] == '<' || rest[0] == '"') {
			return "c"
		}
	case "#ifndef":
		return "c"
	case "#pragma":
		if string(rest) == "once" {
			return "c"
		}
	}
	if bytes.HasPrefix(statement, []byte("<?php")) {
		return "php"
	}
	return ""
}

// isConstant reports whether b begins with a capital letter and ends like no block of braces.
func isConstant(b []byte) bool { return len(b) > 0 && b[0]-'A' < 26 && b[len(b)-1] != '{' }

// packageName distinguishes the package clauses of Go and Java: a plain name, and one
// with dots before a semicolon.
func packageName(rest []byte) string {
	name, ended := bytes.CutSuffix(rest, []byte(";"))
	switch {
	case !isPath(name):
		return ""
	case ended && bytes.IndexByte(name, '.') > 0:
		return "java"
	case !ended && bytes.IndexByte(name, '.') < 0:
		return "go"
	}
	return ""
}

// isPath reports whether b is one or more names separated by dots.
func isPath(b []byte) bool {
	for _, c := range b {
		if !isLetter(c) && c-'0' >= 10 && c != '_' && c != '.' {
			return false
		}
	}
	return len(b) > 0
}
