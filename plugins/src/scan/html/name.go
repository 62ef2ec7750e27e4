package html

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/entity"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

const (
	maxTitle = rows.MaxTitle
	maxID    = 60 // bytes of an id from the text
)

// name is the part.Doc.Name of an outline.
func (o *outline) name(i int, n *part.Name) {
	p, r := o.parts[i], o.roles[i]
	text := o.b[p.Start:p.End]
	switch r.kind {
	case head:
		n.ID, n.Title = append(n.ID, "head"...), appendText(n.Title, o.title.of(o.b), maxTitle)
		if len(n.Title) == 0 {
			n.Title = appendText(n.Title, text, maxTitle)
		}
	case section:
		h := o.headings[r.at]
		n.ID = appendID(n.ID, h.id.of(o.b))
		n.Title = appendText(n.Title, o.b[h.text.start:min(h.text.end, p.End)], maxTitle)
	case intro:
		n.ID = append(n.ID, "intro"...)
		if n.Title = appendText(n.Title, o.b[min(o.headings[r.at].end, p.End):p.End], maxTitle); len(n.Title) == 0 {
			n.Title = appendText(n.Title, text, maxTitle)
		}
	case textPart:
		n.ID, n.Title = append(n.ID, "text"...), appendText(n.Title, text, maxTitle)
	case bodyPart:
		n.ID, n.Title = append(n.ID, "content"...), caption.Append(n.Title, text, maxTitle)
		n.Hint = append(n.Hint, o.fileName(int(r.at))...)
	case blockPart:
		o.nameBlock(n, o.b[r.at:p.End], r.items)
	}
	if len(n.Title) == 0 {
		start := p.Start
		if r.kind == blockPart {
			start = r.at
		}
		n.Title = o.appendMarkup(n.Title, o.b[start:p.End])
	}
}

// appendID appends the target of a link if it can be part of a path.
func appendID(dst, v []byte) []byte {
	if len(v) <= maxID && !bytes.ContainsAny(v, "\t\r\n<{") {
		dst = append(dst, v...)
	}
	return dst
}

// nameBlock names a block or an item by its tag and the text after it. Text before the
// tag, such as a heading, is in the title of a part above it.
func (o *outline) nameBlock(n *part.Name, text []byte, items int32) {
	end := nameEnd(text, 1)
	tagEnd := tagEnd(text, end)
	info := infoOf(key(text[1:end]))
	id := attribute(text, end, tagEnd, "id")
	if info&raw != 0 && id == (span{}) {
		id = sourceName(text, end, tagEnd)
	}
	if n.ID = appendID(n.ID, id.of(text)); len(n.ID) == 0 && o.components {
		n.ID = append(n.ID, text[1:end]...)
	} else if len(n.ID) == 0 {
		n.ID = append(n.ID, bytes.ToLower(text[1:end])...)
	}
	switch {
	case info&raw != 0:
		n.Title = caption.Append(n.Title, text[:tagEnd], maxTitle)
		return
	case info&holder != 0 && items > 1:
		n.Title = append(rows.AppendCount(n.Title, int(items), "item"), ": "...)
	}
	n.Title = caption.Cut(appendText(n.Title, text, maxTitle), 0, maxTitle)
}

// sourceName returns the name of a script: the value of an attribute such as data-name,
// or the name of its file.
func sourceName(b []byte, at, end int) (found span) {
	attributes(b, at, end, func(name, value span) bool {
		switch of := bytes.ToLower(name.of(b)); {
		case bytes.HasSuffix(of, []byte("name")):
			found = value
			return false
		case string(of) == "src":
			found = value
			found.start += int32(bytes.LastIndexByte(value.of(b), '/') + 1)
		}
		return true
	})
	return found
}

// fileName returns a file name with the extension of the content of the script or style
// at b[at].
func (o *outline) fileName(at int) string {
	end := nameEnd(o.b, at+1)
	if key(o.b[at+1:end]) == keyStyle {
		return "x.css"
	}
	kind := attribute(o.b, end, tagEnd(o.b, end), "type")
	of := bytes.ToLower(kind.of(o.b))
	for _, word := range []string{"json", "html", "markdown", "xml"} {
		if bytes.Contains(of, []byte(word)) {
			return "x." + word
		}
	}
	return "x.js"
}

// appendText appends the start of the visible text of b as one line.
func appendText(dst, b []byte, max int) []byte {
	var memory [4 * maxTitle]byte
	text := memory[:0]
	for at := 0; at < len(b) && len(text) <= 2*max; {
		switch c := b[at]; {
		case c == '<' && at+1 < len(b) && (isLetter(b[at+1]) || b[at+1] == '/'):
			end, separates := skipTag(b, at)
			if at = end; separates {
				text = append(text, ' ')
			}
		case c == '<' && at+1 < len(b) && (b[at+1] == '!' || b[at+1] == '?'):
			if at = declarationEnd(b, at); at < 0 {
				at = len(b)
			}
		case c == '&':
			r, n := entity.Decode(b[at:])
			text, at = append(text, string(r)...), at+n
		case isSpace(c):
			if len(text) > 0 && text[len(text)-1] != ' ' {
				text = append(text, ' ')
			}
			at++
		default:
			start := at
			for at++; at < len(b) && class[b[at]]&plainByte != 0; at++ {
			}
			text = append(text, b[start:min(at, start+2*max+1)]...)
		}
	}
	return caption.Append(dst, text, max)
}

// skipTag returns the offset after a tag, and after its content if that is invisible.
// separates reports whether the tag separates words.
func skipTag(b []byte, at int) (end int, separates bool) {
	name := at + 1
	if b[name] == '/' {
		name++
	}
	nameEnd := nameEnd(b, name)
	info := infoOf(key(b[name:nameEnd]))
	end = tagEnd(b, nameEnd)
	if info&raw != 0 && name == at+1 {
		end = endTag(b, end, b[name:nameEnd])
		if end < len(b) {
			end = tagEnd(b, end)
		}
	}
	return end, info&(block|item|holder|heading|optional|void) != 0
}
