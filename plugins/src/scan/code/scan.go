// Package code finds the definitions of source code: functions, types,
// classes and what is in them.
//
// One engine serves all languages. It reads a text once and notes its lines and
// how deep they are nested (lexer), joins them to statements, and makes parts of
// these: a definition with its comments and attributes is one part, what is
// inside it are its children, short statements between definitions share a part.
// What a language writes differently is data: see language. There is no grammar:
// code that does not compile, half a file or a macro cost a name or a border,
// never a byte.
package code

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Scan proves that b is source code and finds its definitions.
//
// A file name, an interpreter line or the first statement says which language to try
// first. Without, it is the one whose words begin the most lines. The proof is in the lines
// themselves, see evidence.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	first, named := languageOf(b, c.File)
	if named {
		if doc, ok := scan(b, first, c, true); ok {
			return doc, true
		}
	}
	if l := opening(b); l != nil && l != first {
		if doc, ok := scan(b, l, c, false); ok {
			return doc, true
		}
		first = l
	}
	var doc *part.Doc
	candidates(b, func(l *language, clear bool) bool {
		if l == first || !c.Forced && !clear && !worth(b, l) {
			return true
		}
		found, ok := scan(b, l, c, false)
		if ok {
			doc = found
		}
		return !ok
	})
	return doc, doc != nil
}

// A text of largeText is read in a language only if one of two samples of it is
// code of that: a wrong one would be read to its end before it is refused.
const (
	largeText  = 128 << 10
	sampleSize = 16 << 10
)

// worth reports whether b may be code of a language.
func worth(b []byte, l *language) bool {
	if len(b) < largeText {
		return true
	}
	for _, from := range [...]int{0, lines.End(b, len(b)/2)} {
		if _, ok := scan(b[from:lines.End(b, min(len(b), from+sampleSize))], l, part.Clues{}, false); ok {
			return true
		}
	}
	return false
}

// scan reads b as code of a language. A language that a name claims needs less
// evidence.
func scan(b []byte, l *language, c part.Clues, named bool) (*part.Doc, bool) {
	v := newVocabulary(l)
	if named {
		v.dialect = dialect(l, c.File)
	}
	x := newLexer(b, v)
	if !x.run() {
		return nil, false
	}
	w := &writer{b: b, v: v, lines: x.lines}
	w.write()
	if len(w.parts) == 0 || !c.Forced && !w.proven(named) {
		return nil, false
	}
	return w.document(), true
}

// bom is the length of a byte order mark at the start of b.
func bom(b []byte) int { return len(b) - len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))) }
