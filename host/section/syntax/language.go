package syntax

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// Language is the syntax of one content: of the whole and of texts nested in it.
type Language struct {
	base     *Syntax   // of the whole content if isTyped, and of Sections that begin with no other
	own      *Syntax   // declared for the type, else plain; unlike base, also for JSON and "mixed"
	isTyped bool      // the type determines the syntax of the whole content; Sections may still begin with another
	nested   []*Syntax // declared with begins; guess tries them in order
	known    []*Syntax // all that are declared
}

// New returns the language of a content with this type and the syntaxes that a stage
// declared as JSON. Both may be empty. The types "", "mixed" and "unknown" do not
// determine a syntax. If several syntaxes name the type, the last one applies.
//
// Errors: the declaration is invalid.
func New(typeName, declaration string) (Language, error) {
	known, err := parse(declaration)
	if err != nil {
		return Language{}, err
	}
	l := Language{base: plain, own: plain, isTyped: true, known: known}
	for _, s := range known {
		if s.begins != nil {
			l.nested = append(l.nested, s)
		}
		if slices.Contains(s.types, typeName) {
			l.base, l.own = s, s
		}
	}
	switch {
	case typeName == "" || typeName == "mixed" || typeName == "unknown":
		l.isTyped, l.base = false, plain
	case strings.HasPrefix(typeName, "json"), typeName == "ndjson":
		l.base = jsonText
	}
	return l, nil
}

// IsDeclared reports whether the type determines the syntax of the whole content. It is
// also true for a type without a declared syntax, which is plain.
func (l Language) IsDeclared() bool { return l.isTyped }

// Whole returns the syntax of the whole content.
func (l Language) Whole(text []byte) tree.Syntax {
	if l.isTyped {
		return l.base
	}
	return l.guess(text)
}

// Nested returns the syntax of one Section.
func (l Language) Nested(text []byte) tree.Syntax {
	if l.base == jsonText {
		return jsonText
	}
	if inner := l.guess(text); inner != plain {
		return inner
	}
	return l.base
}

// Decoded returns the syntax of a decoded JSON string. It is JSON only if it begins
// with a complete value, which most links of Markdown, such as [-](url), do not.
func (l Language) Decoded(text []byte) tree.Syntax {
	s := l.guess(text)
	if s == jsonText {
		if _, err := jsonspan.ValueEnd(text, skipStart(text)); err != nil {
			return plain
		}
	}
	return s
}

// guess returns the syntax of a text by its beginning. A wrong guess adds or removes
// one line of an index; every byte can still be read.
func (l Language) guess(text []byte) *Syntax {
	const maxStart = 4 << 10
	text = text[skipStart(text):]
	if beginsJSON(text) {
		return jsonText
	}
	for _, s := range l.nested {
		if s.begins.Match(text[:min(len(text), maxStart)]) {
			return s
		}
	}
	return plain
}

// beginsJSON reports whether a text begins like JSON: "{" or "[", then the first
// character of a key or value, a closing bracket, or nothing. Other syntaxes use
// brackets too, as for a header of TOML.
func beginsJSON(text []byte) bool {
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	next := jsonspan.SkipBlank(text, 1)
	if next == len(text) {
		return true
	}
	switch c := text[next]; {
	case c == '"' || c == '}' || c == ']':
		return true
	case text[0] == '{':
		return false
	}
	for _, word := range [...]string{"{", "[", "-", "true", "false", "null"} {
		if bytes.HasPrefix(text[next:], []byte(word)) {
			return true
		}
	}
	return '0' <= text[next] && text[next] <= '9'
}

// skipStart returns the index of the first byte after a byte order mark and
// blanks.
func skipStart(text []byte) int {
	i := 0
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		i = 3
	}
	return jsonspan.SkipBlank(text, i)
}

// IsStructure reports whether gap contains only structure in JSON or in any declared
// syntax.
func (l Language) IsStructure(gap []byte) bool {
	return jsonText.IsStructure(gap) || slices.ContainsFunc(l.known, func(s *Syntax) bool { return s.IsStructure(gap) })
}

// HasElements reports whether the syntax of the type declares elements.
func (l Language) HasElements() bool { return l.own.elements != nil }

// HasKeys reports whether any leaf may contain a name that is a key, not an attribute.
// A path to a name must then look into all leaves.
func (l Language) HasKeys() bool { return len(l.own.names) > 0 && !l.own.attributes }

// HasHeadings reports whether Sections begin with their heading.
func (l Language) HasHeadings() bool { return l.own.headings }

// CanName reports whether no character of name would end the name of a tag. It does not
// check the first character.
func (l Language) CanName(name string) bool {
	return l.HasElements() && len(l.own.elements.name([]byte(name))) == len(name)
}

// PlainText returns the text that a reader of the content would see, with each match of
// markup replaced by a blank. The caller bounds the length of text.
func (l Language) PlainText(text []byte) []byte {
	if l.own.markup == nil {
		return text
	}
	return l.own.markup.ReplaceAllLiteral(text, []byte(" "))
}
