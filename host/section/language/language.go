// Package language chooses the syntax of a content, of a Section and of a decoded
// string: the one that a stage declared for its type, or the one that it begins like.
package language

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/section/tree"
	"github.com/mcpctl/mcpctl/host/syntax"
)

// Language is the syntax of one content: of the whole and of texts nested in it.
type Language struct {
	base           *syntax.Syntax   // of the whole content if isTyped, and of Sections that begin with no other
	*syntax.Syntax                  // declared for the type, else plain; unlike base, also for JSON and "mixed"
	isTyped        bool             // the type determines the syntax of the whole content; Sections may still begin with another
	nested         []*syntax.Syntax // declared with begins; guess tries them in order
	known          []*syntax.Syntax // all that are declared
}

// New returns the language of a content with this type and the syntaxes that a stage
// declared as JSON. Both may be empty. The types "", "mixed" and "unknown" do not
// determine a syntax. If several syntaxes name the type, the last one applies.
//
// Errors: the declaration is invalid.
func New(typeName, declaration string) (Language, error) {
	known, err := syntax.Parse(declaration)
	if err != nil {
		return Language{}, err
	}
	l := Language{base: syntax.Plain, Syntax: syntax.Plain, isTyped: true, known: known}
	for _, s := range known {
		if s.CanBegin() {
			l.nested = append(l.nested, s)
		}
		if s.IsFor(typeName) {
			l.base, l.Syntax = s, s
		}
	}
	switch {
	case typeName == "" || typeName == "mixed" || typeName == "unknown":
		l.isTyped, l.base = false, syntax.Plain
	case strings.HasPrefix(typeName, "json"), typeName == "ndjson":
		l.base = syntax.JSON
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
	if l.base == syntax.JSON {
		return syntax.JSON
	}
	if l.isTyped && l.base.Begins(text) { // [[name]] is a header of TOML, not JSON
		return l.base
	}
	if inner := l.guess(text); inner != syntax.Plain {
		return inner
	}
	return l.base
}

// Decoded returns the syntax of a decoded JSON string. It is JSON only if it begins
// with a complete value, which most links of Markdown, such as [-](url), do not.
func (l Language) Decoded(text []byte) tree.Syntax {
	s := l.guess(text)
	if s == syntax.JSON {
		if _, err := jsonspan.ValueEnd(text, skipStart(text)); err != nil {
			return syntax.Plain
		}
	}
	return s
}

// guess returns the syntax of a text by its beginning. A wrong guess adds or removes
// one line of an index; every byte can still be read.
func (l Language) guess(text []byte) *syntax.Syntax {
	text = text[skipStart(text):]
	if beginsJSON(text) {
		return syntax.JSON
	}
	for _, s := range l.nested {
		if s.Begins(text) {
			return s
		}
	}
	return syntax.Plain
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
	return syntax.JSON.IsStructure(gap) || slices.ContainsFunc(l.known, func(s *syntax.Syntax) bool { return s.IsStructure(gap) })
}

// HasKeys reports whether any leaf may contain a name that is a key. A path to a name
// must then look into all leaves.
func (l Language) HasKeys() bool { return l.HasNames() && !l.HasElements() }

// IsTag reports whether tag, the name in a tag, is name, or name after a prefix and a
// colon.
func (l Language) IsTag(tag, name string) bool { return syntax.IsTag(tag, name) }
