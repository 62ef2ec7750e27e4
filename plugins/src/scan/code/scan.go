// Package code finds the definitions of source code: functions, types, classes and their
// members.
//
// One engine reads all languages. It splits a text into lines and finds how deep they are
// nested (package lex), joins lines to statements, and makes parts of these: a definition with
// its comments and attributes is a part, its members are the children, and short statements
// between definitions share a part. The differences between languages are data (package
// language). There is no grammar: code that does not compile, half a file or a macro may cost
// a name or a boundary, but never a byte.
package code

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/guess"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

// Hints lists the extensions and media types that claim source code.
const Hints = language.Extensions

// Opens reports whether b begins like source code. It is no proof.
func Opens(b []byte) bool { return guess.Opens(b) }

// Scan proves that b is source code and finds its definitions.
//
// The language of the file name or the interpreter line is tried first, then the language of
// the first statement, then the languages whose words begin the most lines. The proof is in the
// lines themselves; see evidence.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	first := guess.Named(b, c.File)
	if first != nil {
		if doc, ok := scanAs(b, first, c, true); ok {
			return doc, true
		}
	}
	if l := guess.Opening(b); l != nil && l != first {
		if doc, ok := scanAs(b, l, c, false); ok {
			return doc, true
		}
		first = l
	}
	var doc *part.Doc
	guess.Candidates(b, func(l *language.Language, clear bool) bool {
		if l == first || !c.Forced && !clear && !isWorthReading(b, l) {
			return true
		}
		found, ok := scanAs(b, l, c, false)
		if ok {
			doc = found
		}
		return !ok
	})
	return doc, doc != nil
}

// A text of at least largeText is read in a language only if one of two samples proves to be code of
// it. In a wrong language the text would otherwise be read to its end before it is refused.
const (
	largeText  = 128 << 10
	sampleSize = 16 << 10
)

// isWorthReading reports whether b may be code of a language.
func isWorthReading(b []byte, l *language.Language) bool {
	if len(b) < largeText {
		return true
	}
	for _, from := range [...]int{0, lines.End(b, len(b)/2)} {
		if _, ok := scanAs(b[from:lines.End(b, min(len(b), from+sampleSize))], l, part.Clues{}, false); ok {
			return true
		}
	}
	return false
}

// scanAs reads b as code of a language. named reports that the file name or the interpreter line
// claims the language, which needs less evidence.
func scanAs(b []byte, l *language.Language, c part.Clues, named bool) (*part.Doc, bool) {
	v := language.NewVocabulary(l)
	if named {
		v.Dialect = l.Dialect(guess.Extension(c.File))
	}
	s, ok := read(b, v)
	if !ok {
		return nil, false
	}
	t := buildTree(s)
	if len(t.parts) == 0 || !c.Forced && !t.isProven(named) {
		return nil, false
	}
	return t.document(), true
}
