package syntax

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Syntax describes how the parts of one text are separated and named. It is immutable
// and safe for concurrent use.
type Syntax struct {
	isJSON     bool
	attributes bool
	types      []string
	names      []borders
	begins     *regexp.Regexp
	separators *regexp.Regexp
	elements   *delimiters // nil: none
	headings   bool
	markup     *regexp.Regexp
}

// borders are the characters of which one is directly before and one directly after
// a name.
type borders struct{ before, after string }

var (
	plain    = &Syntax{}             // white space only
	jsonText = &Syntax{isJSON: true} // punctuation, and keys with their colon
)

// blanks are the characters that are structure in any text.
const blanks = " \t\r\n\f"

// IsJSON reports whether paths continue in the text with keys and positions.
func (s *Syntax) IsJSON() bool { return s.isJSON }

// HasAttributes reports whether separators contain values, such as attributes.
func (s *Syntax) HasAttributes() bool { return s.attributes }

// IsStructure reports whether gap contains only structure. A gap that is too long
// for a separator is content.
func (s *Syntax) IsStructure(gap []byte) bool {
	const maxSeparator = 64 << 10
	gap = bytes.TrimPrefix(gap, []byte("\ufeff"))
	switch {
	case s.isJSON:
		return isJSONStructure(gap)
	case len(bytes.TrimLeft(gap, blanks)) == 0:
		return true
	}
	return s.separators != nil && len(gap) <= maxSeparator && s.separators.Match(gap)
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

// HasName reports whether text contains this name between the characters that the
// syntax requires around names. JSON has no names here, but paths of its own.
func (s *Syntax) HasName(text []byte, name string) bool {
	if name == "" || len(s.names) == 0 {
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
		for _, b := range s.names {
			if strings.IndexByte(b.before, before) >= 0 && strings.IndexByte(b.after, after) >= 0 {
				return true
			}
		}
	}
}
