package makefile

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/items"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// maxRead is the size of the text that a title is made of.
const maxRead = 400

// name is the part.Doc.Name of a text.
func (s *scanner) name(i int, n *part.Name) {
	x := &s.entries[i]
	n.ID = append(n.ID, s.Slice(x.name)...)
	end := ""
	switch x.form {
	case rule:
		end = ", " + caption.Count(x.size, "recipe line")
		if x.size == 0 {
			end = ", no recipe"
		}
	case definition:
		end = ", " + caption.Count(x.size, "line")
	case block:
		n.ID = append(n.ID, "variables"...)
		n.Title = s.appendVariables(n.Title, int32(i))
		return
	}
	if x.when >= 0 && s.conditions[x.when].size <= rows.MaxLines { // not most of the text
		end = caption.Clip(end+", "+caption.Of(s.Slice(s.conditions[x.when].text), rows.MaxTitle/2), rows.MaxTitle/2)
	}
	n.Title = s.appendText(n.Title, x.text, rows.MaxTitle-len(end))
	if x.form == rule {
		n.Title = bytes.TrimRight(n.Title, ":; ")
	}
	n.Title = append(n.Title, end...)
}

// appendText appends lines without the marks that continue them.
func (s *scanner) appendText(dst []byte, x items.Span, limit int) []byte {
	text := s.Slice(x)
	text = bytes.TrimRight(text[:min(len(text), maxRead)], "\r\n")
	if bytes.IndexByte(text, '\\') < 0 {
		return caption.Append(dst, text, limit)
	}
	var joined []byte
	for {
		n := bytes.IndexAny(text, "\r\n")
		if n < 0 {
			break
		}
		joined = append(append(joined, bytes.TrimRight(text[:n], `\`)...), ' ')
		text = bytes.TrimLeft(text[n:], " \t\r\n")
	}
	return caption.Append(dst, append(joined, text...), limit)
}

// appendVariables appends the number of the variables in a block and their names, each
// once.
func (s *scanner) appendVariables(dst []byte, i int32) []byte {
	n, rest := 0, 0
	var names []byte
	var last []byte
	for j := range s.Children(i) {
		if s.entries[j].form != variable {
			rest++
			continue
		}
		n++
		name := s.Slice(s.Items[j].Name)
		if len(names) > rows.MaxTitle || bytes.Equal(name, last) {
			continue
		}
		if len(names) > 0 {
			names = append(names, ", "...)
		}
		last = name
		names = caption.Append(names, name, rows.MaxID)
	}
	if n > 0 {
		dst = rows.AppendCount(dst, n, "variable")
	}
	if n > 0 && rest > 0 {
		dst = append(dst, ", "...)
	}
	if rest > 0 {
		dst = rows.AppendCount(dst, rest, "directive")
	}
	if len(names) > 0 {
		dst = append(append(dst, ": "...), names...)
	}
	return caption.Cut(dst, 0, rows.MaxTitle)
}
