// Package syntax holds the knowledge of drill-down about types of content: how
// parts are separated in JSON, XML, HTML and YAML, and where the elements, keys
// and headings are in leaves of XML, HTML, YAML and Markdown.
//
// Packages tree, find and printer declare the interfaces that Language
// implements. No other package below host/section names one of these types.
package syntax

import (
	"strings"

	"github.com/mcpctl/mcpctl/host/section/tree"
)

// Language is the type that a stage declared for a content.
type Language struct {
	name     string
	base     syntax
	declared bool
}

// Of returns the language of a type name, which may be empty. Names such as
// "mixed" do not determine the syntax of the parts.
func Of(name string) Language {
	l := Language{name: name, declared: true}
	switch {
	case name == "" || name == "mixed" || name == "unknown":
		l.declared = false
	case strings.HasPrefix(name, "json"), name == "ndjson":
		l.base = jsonText
	case name == "xml", name == "html", name == "svg":
		l.base = xmlText
	case name == "yaml":
		l.base = yamlText
	}
	return l
}

// IsDeclared reports whether the name determines the syntax of all parts.
func (l Language) IsDeclared() bool { return l.declared }

// Whole returns the syntax of the whole content.
func (l Language) Whole(text []byte) tree.Syntax {
	if l.declared {
		return l.base
	}
	return guess(text)
}

// Nested returns the syntax of one part of the content.
func (l Language) Nested(text []byte) tree.Syntax {
	if !l.declared {
		return guess(text)
	}
	guessPart := guess
	if l.base == plainText {
		guessPart = guessNested
	}
	if inner := guessPart(text); inner != plainText {
		return inner
	}
	return l.base
}

// Decoded returns the syntax of a decoded JSON string.
func (l Language) Decoded(text []byte) tree.Syntax { return guessDecoded(text) }

// HasElements reports whether leaves contain XML elements, whose tags balance.
// The tags of HTML need not balance.
func (l Language) HasElements() bool { return l.base == xmlText && l.name != "html" }

// HasKeys reports whether leaves contain YAML keys.
func (l Language) HasKeys() bool { return l.base == yamlText }

// HasBlocks reports whether the names in leaves are keys or headings.
func (l Language) HasBlocks() bool { return l.HasKeys() || l.HasHeadings() }

// HasHeadings reports whether the Sections of a content begin with a heading.
func (l Language) HasHeadings() bool {
	switch l.name {
	case "html", "markdown", "prose", "mixed":
		return true
	}
	return false
}

// maxName is the length of a name that may be a key or a heading.
const maxName = 80

// CanName reports whether an element, key or heading may have this name.
func (l Language) CanName(name string) bool {
	if l.HasElements() {
		return len(tagName([]byte("<"+name))) == len(name)
	}
	return l.HasBlocks() && len(name) <= maxName
}

// Inside returns the spans in text[start:end] of the elements, keys or headings
// with this name; a key or heading with the text below it. A span inside another
// one is left out. The limit is for elements.
func (l Language) Inside(text []byte, start, end int, name string, limit int) [][2]int {
	switch {
	case l.HasElements():
		spans := descendants(text[start:end], name, limit)
		for i := range spans {
			spans[i][0], spans[i][1] = spans[i][0]+start, spans[i][1]+start
		}
		return spans
	case l.HasKeys():
		return yamlBlocks(text, start, end, name)
	case l.name == "html":
		return htmlBlocks(text, start, end, name)
	case l.HasHeadings():
		return markdownBlocks(text, start, end, name)
	}
	return nil
}

// PlainText returns the text that a reader of the content would see.
func (l Language) PlainText(text []byte) []byte {
	if l.name == "html" {
		return withoutTags(text)
	}
	return text
}
