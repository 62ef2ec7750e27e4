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
		if guess.HasInterpreter(b, first) {
			c.Forced = true // more certain than any count
		}
		if doc, ok := scanAs(b, first, c, true); ok {
			return doc, true
		}
	}
	var formed *tree // in the likeliest language in which the text has the form of a program
	if l := guess.Opening(b); l != nil && l != first {
		c.Forced = c.Forced || guess.IsPHP(b) // a page with programs in it, if the proofs of pages refused it
		if doc, ok := scanWith(b, language.NewVocabulary(l), c, claim{strong: true, opened: true}, &formed); ok {
			return doc, true
		}
		first = l
	}
	var doc *part.Doc
	guess.Candidates(b, func(l *language.Language, lead guess.Lead) bool {
		if l == first && !lead.Strong || !c.Forced && !lead.Clear && !isWorthReading(b, l) {
			return true
		}
		v := language.NewVocabulary(l)
		found, ok := scanWith(b, v, c, claim{strong: lead.Strong, clear: lead.Clear}, &formed)
		if ok {
			doc = found
		}
		return !ok
	})
	if doc == nil && formed != nil {
		return formed.document(), true
	}
	if l := unfoldedLanguage(b); doc == nil && l != nil {
		return scanWith(b, language.NewVocabulary(l), part.Clues{File: c.File, Forced: true}, claim{}, nil)
	}
	return doc, doc != nil
}

// A text is dense if its lines have this many bytes on average: a program for browsers without white space.
const denseLine = 250

// unfoldedLanguage returns the language of a dense text, or nil. A sample of it proves to be code once each of its
// statements has a line.
func unfoldedLanguage(b []byte) (found *language.Language) {
	if len(b) < denseLine || (lines.Count(b)+1)*denseLine > len(b) {
		return nil
	}
	from := len(b) / 4
	sample := unfold(b[from:min(len(b), from+sampleSize)])
	guess.Candidates(sample, func(l *language.Language, _ guess.Lead) bool {
		if l.Semicolons || l.AssignedFunctions || l.Has(language.Selectors) {
			if _, ok := scanAs(sample, l, part.Clues{}, false); ok {
				found = l
			}
		}
		return found == nil
	})
	return found
}

// unfold returns a text with a line end after each mark that ends a statement, from the first of these on.
func unfold(b []byte) []byte {
	out := make([]byte, 0, len(b)+len(b)/4)
	for _, c := range b {
		if out = append(out, c); c == ';' || c == '{' || c == '}' {
			out = append(out, '\n')
		}
	}
	return out
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
	return scanWith(b, v, c, claim{named: named}, nil)
}

// claim is what suggests a language, besides the lines of a text: less evidence is enough.
type claim struct {
	named  bool // the file name or the interpreter line
	opened bool // the first statement
	strong bool // the idioms in its lines, of which other languages have far fewer
	clear  bool // the same, but fewer lines have them
}

// scanWith reads b with a vocabulary. If the text is not proven but has the form of a program, and formed is not nil
// and holds none yet, the tree is kept there.
func scanWith(b []byte, v *language.Vocabulary, c part.Clues, claim claim, formed **tree) (*part.Doc, bool) {
	s, ok := read(b, v)
	if !ok {
		return nil, false
	}
	t := buildTree(s)
	switch {
	case len(t.parts) == 0:
		return nil, false
	case c.Forced:
		return t.document(), true
	}
	e, ok := t.prove(claim)
	if !ok {
		if formed != nil && *formed == nil && e.hasForm(claim, v.Language) {
			*formed = t
		}
		return nil, false
	}
	return t.document(), true
}
