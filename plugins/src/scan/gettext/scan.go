// Package gettext finds the messages of gettext catalogs (.po and .pot) as byte spans.
//
// A message is its text, the context if it has one, its translations and the comments
// above. It is known by its text, and belongs to the first source file that its comments
// refer to.
package gettext

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/items"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Hints are the extensions and media types of catalogs.
const (
	extensions = "po pot"
	Hints      = extensions + " text/x-gettext-translation text/x-gettext-translation-template text/x-po application/x-gettext"
)

// field is a keyword of a message.
type field uint8

const (
	none field = iota
	domain
	context
	id
	plural
	translation
)

// keywords are the fields by the words that begin their lines.
var keywords = []struct {
	word string
	is   field
}{
	{"msgid_plural", plural}, {"msgid", id}, {"msgstr", translation}, {"msgctxt", context}, {"domain", domain},
}

// message holds the properties of an item besides its span.
type message struct {
	context   items.Span // literals
	text      items.Span // literals of the msgid
	first     items.Span // literals of the first translation
	reference items.Span // the first reference to a source file
	isHeader  bool

	fuzzy, obsolete, missing bool
}

// scanner reads a text.
type scanner struct {
	*items.List
	lines    items.Lines
	messages []message
	grouped  string // what the messages are grouped by

	current      message // the message that is read
	comments     message // what the comments above the next message say
	in           field   // the last field of current
	translations int     // of current
	hasText      bool    // the literals of this field are not all empty
	end          int     // of the last line of current
	invalid      int
	count        int // lines that are neither blank nor comments
}

// Opens reports whether a text begins like a catalog: after comments, with a message. It
// is no proof.
func Opens(b []byte) bool {
	lines := items.LinesOf(b)
	for at := lines.Start(); at < len(b); {
		text, _, next := lines.Trim(at)
		if len(text) > 0 && text[0] != '#' {
			is, rest := cutField(text)
			return is != none && is != translation && len(rest) > 0
		}
		at = next
	}
	return false
}

// minMessages is the least number of messages of a text without a name.
const minMessages = 2

// Scan is the part.Scan of catalogs. It refuses a text with a line that is neither a
// field of a message, a literal nor a comment; a file with an extension of the type may
// have one such line in 50.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	s := &scanner{List: items.New(b), lines: items.LinesOf(b)}
	named := part.HasExtension(c.File, extensions)
	for at := s.lines.Start(); at < len(b); {
		text, indent, next := s.lines.Trim(at)
		s.readLine(text, at+indent, next)
		at = next
		if !c.Forced && s.invalid > 0 && (!named || s.invalid > 8 && s.invalid*20 > s.count) {
			return nil, false
		}
	}
	s.addMessage()
	s.Finish()
	switch {
	case len(s.messages) == 0:
		return nil, false
	case c.Forced:
	case s.invalid*50 > s.count, !named && len(s.messages) < minMessages:
		return nil, false
	}
	d := s.Document(s.groups(), s.name)
	d.Count, d.By = s.describe(), s.grouped
	return d, true
}

// readLine reads one line, the text of which begins at an offset.
func (s *scanner) readLine(text []byte, at, next int) {
	obsolete := false
	if rest, ok := bytes.CutPrefix(text, []byte("#~")); ok && !bytes.HasPrefix(rest, []byte("|")) {
		obsolete = true
		trimmed := bytes.TrimLeft(rest, " \t")
		at += len(text) - len(trimmed)
		text = trimmed
	}
	switch {
	case len(text) == 0:
		return
	case text[0] == '#':
		s.readComment(text, at)
		return
	}
	s.count++
	is, literal := cutField(text)
	switch {
	case text[0] == '"' && s.in != none && s.end > 0:
		is, literal = s.in, text
		s.addLiteral(at, literal)
	case is == none:
		s.invalid++
		return
	default:
		s.beginField(is, at+len(text)-len(literal), literal)
	}
	s.current.obsolete = s.current.obsolete || obsolete
	s.end = next
}

// cutField returns the field that a line begins with, and the literal after it.
func cutField(text []byte) (field, []byte) {
	for _, k := range keywords {
		rest, ok := bytes.CutPrefix(text, []byte(k.word))
		if !ok {
			continue
		}
		if k.is == translation && len(rest) > 0 && rest[0] == '[' {
			_, rest, _ = bytes.Cut(rest, []byte("]"))
		}
		if rest = bytes.TrimLeft(rest, " \t"); len(rest) > 0 && rest[0] == '"' {
			return k.is, rest
		}
	}
	return none, nil
}

// readComment reads the flags and references in a comment.
func (s *scanner) readComment(text []byte, at int) {
	if len(text) < 2 {
		return
	}
	switch text[1] {
	case ',':
		s.comments.fuzzy = s.comments.fuzzy || bytes.Contains(text, []byte("fuzzy"))
	case ':':
		if s.comments.reference.End > 0 {
			return
		}
		rest := bytes.TrimLeft(text[2:], " \t")
		from := int32(at + len(text) - len(rest))
		if word := bytes.IndexAny(rest, " \t"); word >= 0 {
			rest = rest[:word]
		}
		s.comments.reference = items.Span{Start: from, End: from + int32(len(rest))}
	}
}

// beginField begins a field, which may be the first one of a message.
func (s *scanner) beginField(is field, at int, literal []byte) {
	s.endTranslation()
	if s.in == none || is <= id && s.in >= is {
		s.addMessage()
		s.current, s.comments, s.translations = s.comments, message{}, 0
		s.current.isHeader = true // until there is text
	}
	s.in, s.hasText = is, false
	span := items.Span{Start: int32(at), End: int32(at + len(literal))}
	switch is {
	case context:
		s.current.context = span
	case id:
		s.current.text = span
	case translation:
		if s.translations++; s.translations == 1 {
			s.current.first = span
		}
	}
	s.addLiteral(at, literal)
}

// addLiteral adds a literal to the field.
func (s *scanner) addLiteral(at int, literal []byte) {
	end := int32(at + len(literal))
	s.hasText = s.hasText || len(literal) > len(`""`)
	switch s.in {
	case context:
		s.current.context.End = end
		s.current.isHeader = false
	case id:
		s.current.text.End = end
		s.current.isHeader = s.current.isHeader && !s.hasText
	case translation:
		if s.translations == 1 {
			s.current.first.End = end
		}
	}
}

// endTranslation notes whether a translation is missing.
func (s *scanner) endTranslation() {
	if s.in == translation && !s.hasText {
		s.current.missing = true
	}
}

// addMessage adds the message that was read, if there is one.
func (s *scanner) addMessage() {
	if s.in == none {
		return
	}
	s.endTranslation()
	s.current.missing = s.current.missing || s.translations == 0
	if s.current.text.End > 0 {
		s.Add(s.current.text, s.end)
		s.messages = append(items.Grow(s.List, s.messages), s.current)
	}
	s.in = none
}

// counts are numbers of messages.
type counts struct{ all, untranslated, fuzzy, obsolete int }

func (c *counts) add(m *message) {
	switch {
	case m.isHeader:
		return
	case m.obsolete:
		c.obsolete++
		return
	case m.missing:
		c.untranslated++
	case m.fuzzy:
		c.fuzzy++
	}
	c.all++
}

// String returns the counts that are not zero.
func (c *counts) String() string {
	text := caption.Count(c.all, "message")
	if c.all == 0 && c.obsolete > 0 {
		return caption.Count(c.obsolete, "obsolete message")
	}
	for _, n := range []struct {
		n    int
		text string
	}{{c.untranslated, " untranslated"}, {c.fuzzy, " fuzzy"}, {c.obsolete, " obsolete"}} {
		switch {
		case n.n == 0:
		case n.n == c.all && n.n == c.untranslated:
			text += ", none translated"
		default:
			text += ", " + strconv.Itoa(n.n) + n.text
		}
	}
	return text
}

// describe returns the counts of the whole catalog.
func (s *scanner) describe() string {
	var c counts
	for i := range s.messages {
		c.add(&s.messages[i])
	}
	return c.String()
}
