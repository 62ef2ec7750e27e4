package gettext

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/items"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// name is the part.Doc.Name of a text. The id of a message is the slug of its text, by
// which the host finds the text too; the title has the text and its translation.
func (s *scanner) name(i int, n *part.Name) {
	m := &s.messages[i]
	if m.isHeader {
		n.ID = append(n.ID, "header"...)
		n.Title = append(n.Title, "header: "...)
		n.Title = caption.Append(n.Title, s.appendFields(nil, m.first), rows.MaxTitle-len("header: "))
		return
	}
	text := s.appendText(nil, m.text, maxSlug)
	if m.context.End > 0 {
		if n.ID = appendSlug(n.ID, s.appendText(nil, m.context, maxSlug)); len(n.ID) > 0 {
			n.ID = append(n.ID, ':')
		}
	}
	n.ID = appendSlug(n.ID, text)
	translated := s.appendText(nil, m.first, 2*rows.MaxTitle)
	limit := rows.MaxTitle / 2
	mark := ""
	switch {
	case m.obsolete:
		mark = "obsolete"
	case m.missing:
		mark = "untranslated"
		limit = rows.MaxTitle - len(" (untranslated)")
	case m.fuzzy:
		mark = "fuzzy"
	}
	if n.Title = caption.Append(n.Title, text, limit); len(n.Title) == 0 {
		n.Title = append(n.Title, "blank"...)
	}
	if mark != "" {
		n.Title = append(append(append(n.Title, " ("...), mark...), ')')
	}
	if len(translated) > 0 && len(n.Title)+len(": ") < rows.MaxTitle-4 {
		n.Title = append(n.Title, ": "...)
		n.Title = caption.Append(n.Title, translated, rows.MaxTitle-len(n.Title))
	}
}

// maxSlug is the size of a text that its id is made of. The host shortens the id.
const maxSlug = 4000

// appendText appends the text of adjacent literals, without their quotes and escapes, up to
// a limit.
func (s *scanner) appendText(dst []byte, x items.Span, limit int) []byte {
	text, start := s.Slice(x), len(dst)
	for inside, i := false, 0; i < len(text) && len(dst)-start < limit; i++ {
		switch c := text[i]; {
		case c == '"':
			inside = !inside
		case !inside:
			if c == '#' || c == 'm' { // a comment, or the next field
				if n := bytes.IndexAny(text[i:], "\r\n\""); n > 0 {
					i += n - 1
				}
			}
		case c == '\\' && i+1 < len(text):
			i++
			if c = text[i]; c == 'n' || c == 't' || c == 'r' {
				c = ' '
			}
			dst = append(dst, c)
		default:
			dst = append(dst, c)
		}
	}
	for len(dst) > start && !utf8.Valid(dst[max(start, len(dst)-utf8.UTFMax):]) { // the limit cut a character
		if utf8.RuneStart(dst[len(dst)-1]) {
			return dst[:len(dst)-1]
		}
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendSlug appends letters and digits of any script in lower case, with a dash for
// every run of other characters except at the ends, as the host does for a title.
func appendSlug(dst, text []byte) []byte {
	start, gap := len(dst), false
	for _, r := range string(text) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = true
			continue
		}
		if gap && len(dst) > start {
			dst = append(dst, '-')
		}
		gap = false
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}

// headerFields are the fields of the header that a title shows.
var headerFields = []string{"Language", "Project-Id-Version", "Plural-Forms", "PO-Revision-Date"}

// appendFields appends fields of the header.
func (s *scanner) appendFields(dst []byte, x items.Span) []byte {
	text := s.Slice(x)
	for _, name := range headerFields {
		at := bytes.Index(text, []byte(`"`+name+`: `))
		if at < 0 {
			continue
		}
		value := text[at+len(name)+len(`": `):]
		if end := bytes.IndexAny(value, "\\\"\r\n"); end >= 0 {
			value = value[:end]
		}
		if value = bytes.TrimSpace(value); len(value) > 0 {
			if len(dst) > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(dst, name...)
			dst = append(append(dst, ' '), value...)
		}
	}
	if len(dst) == 0 {
		return append(dst, "no language"...)
	}
	return dst
}
