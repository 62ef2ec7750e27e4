package syntax

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Syntax describes how the parts of one text are separated and named. It is immutable
// and safe for concurrent use.
type Syntax struct {
	isJSON     bool
	headings   bool
	types      []string
	names      []borders
	begins     *pattern
	separators *pattern
	elements   *delimiters // nil: none
	markup     [2]string

	declarations *declarations // nil: none
	blocks       string        // how a name begins a block; "" if it does not
}

// The syntaxes that need no declaration.
var (
	Plain = &Syntax{}             // white space only
	JSON  = &Syntax{isJSON: true} // punctuation, and keys with their colon
)

// blanks are the characters that are structure in any text.
const blanks = " \t\r\n\f"

// IsFor reports whether a type was declared to have this syntax.
func (s *Syntax) IsFor(typeName string) bool { return slices.Contains(s.types, typeName) }

// CanBegin reports whether texts of any type may have this syntax by their beginning.
func (s *Syntax) CanBegin() bool { return s.begins != nil }

// Begins reports whether text begins as declared for this syntax, in its first 256
// bytes.
func (s *Syntax) Begins(text []byte) bool {
	const maxStart = 256
	return s.begins != nil && s.begins.matchesStart(text[:min(len(text), maxStart)])
}

// HasElements reports whether the syntax declares elements.
func (s *Syntax) HasElements() bool { return s.elements != nil }

// HasNames reports whether the syntax declares names.
func (s *Syntax) HasNames() bool { return len(s.names) > 0 }

// HasHeadings reports whether Sections begin with their heading.
func (s *Syntax) HasHeadings() bool { return s.headings }

// IsJSON reports whether paths continue in the text with keys and positions.
func (s *Syntax) IsJSON() bool { return s.isJSON }

// IsStructure reports whether gap contains only structure.
func (s *Syntax) IsStructure(gap []byte) bool {
	gap = bytes.TrimPrefix(gap, []byte("\ufeff"))
	switch {
	case s.isJSON:
		return isJSONStructure(gap)
	case len(bytes.TrimLeft(gap, blanks)) == 0:
		return true
	}
	return s.separators != nil && s.separators.matches(gap)
}

func isJSONStructure(gap []byte) bool {
	for i := 0; i < len(gap); {
		switch gap[i] {
		case ' ', '\t', '\n', '\r', ',', ':', '[', ']', '{', '}':
			i++
		case '"':
			end, err := jsonspan.ValueEnd(gap, i)
			if err != nil {
				return false
			}
			i = jsonspan.SkipBlank(gap, end)
			if i == len(gap) || gap[i] != ':' {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// borders holds the bytes that may precede and follow a name.
type borders struct{ before, after [256]bool }

// compileNames returns the borders of names.
func compileNames(list []nameEntry) ([]borders, error) {
	const maxNames = 8
	if len(list) > maxNames {
		return nil, fmt.Errorf("names: %d entries, limit %d", len(list), maxNames)
	}
	names := make([]borders, len(list))
	for i, n := range list {
		if n.Before == "" || n.After == "" {
			return nil, fmt.Errorf("names: entry %d: before and after are required", i)
		}
		for _, c := range []byte(n.Before) {
			names[i].before[c] = true
		}
		for _, c := range []byte(n.After) {
			names[i].after[c] = true
		}
	}
	return names, nil
}

// maxName is the length in bytes of the longest name.
const maxName = 80

// HasName reports whether text contains this name between the bytes that the syntax
// requires around names. JSON has no names here, but paths of its own.
func (s *Syntax) HasName(text []byte, name string) bool {
	if name == "" || len(name) > maxName || len(s.names) == 0 {
		return false
	}
	for at := 0; ; at++ {
		next := bytes.Index(text[at:], []byte(name))
		if next < 0 {
			return false
		}
		at += next
		before, after := byte('\n'), byte(0)
		if at > 0 {
			before = text[at-1]
		}
		if end := at + len(name); end < len(text) {
			after = text[end]
		}
		for i := range s.names {
			if s.names[i].before[before] && s.names[i].after[after] {
				return true
			}
		}
	}
}

// PlainText returns the text that a reader of the content would see, with a blank in
// place of markup.
func (s *Syntax) PlainText(text []byte) []byte {
	begin, end := []byte(s.markup[0]), []byte(s.markup[1])
	if len(begin) == 0 || len(end) == 0 {
		return text
	}
	var out []byte
	for {
		before, rest, ok := bytes.Cut(text, begin)
		if out = append(out, before...); !ok {
			return out
		}
		if _, text, ok = bytes.Cut(rest, end); !ok {
			return out
		}
		out = append(out, ' ')
	}
}
