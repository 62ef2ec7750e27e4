package htmlscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/entity"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

const (
	maxTitle = 80
	maxID    = 60 // bytes of an id that is taken from the text
)

// name says what part i is called.
func (o *outline) name(i int, n *part.Name) {
	p, m := o.parts[i], o.is[i]
	text := o.b[p.Start:p.End]
	switch m.what {
	case isHead:
		n.ID, n.Title = append(n.ID, "head"...), plain(n.Title, o.b[o.title.start:o.title.end], maxTitle)
		if len(n.Title) == 0 {
			n.Title = plain(n.Title, text, maxTitle)
		}
	case isSection:
		h := o.headings[m.i]
		n.ID = appendID(n.ID, o.b[h.id.start:h.id.end])
		n.Title = plain(n.Title, o.b[h.text.start:min(h.text.end, p.End)], maxTitle)
	case isIntro:
		n.ID = append(n.ID, "intro"...)
		if n.Title = plain(n.Title, o.b[min(o.headings[m.i].end, p.End):p.End], maxTitle); len(n.Title) == 0 {
			n.Title = plain(n.Title, text, maxTitle)
		}
	case isText:
		n.ID, n.Title = append(n.ID, "text"...), plain(n.Title, text, maxTitle)
	case isBody:
		n.ID, n.Title = append(n.ID, "content"...), caption.Append(n.Title, text, maxTitle)
		n.Hint = append(n.Hint, o.language(int(m.i))...)
	case isBlock:
		o.block(n, o.b[m.i:p.End], m.n)
	}
	if len(n.Title) == 0 {
		n.Title = o.instead(n.Title, o.b[o.tag(i):p.End])
	}
}

// tag is where the markup begins that stands for part i.
func (o *outline) tag(i int) int32 {
	if m := o.is[i]; m.what == isBlock {
		return m.i
	}
	return o.parts[i].Start
}

// appendID appends what links name a place by, if that can stand in a path.
func appendID(dst, v []byte) []byte {
	if len(v) <= maxID && !bytes.ContainsAny(v, "\t\r\n<{") {
		dst = append(dst, v...)
	}
	return dst
}

// block names a block or an item by its tag, and by what follows that. What stands
// before it, such as a heading, is told above it already.
func (o *outline) block(n *part.Name, text []byte, items int32) {
	end := nameEnd(text, 1)
	tagEnd := tagEnd(text, end)
	info := infoOf(key(text[1:end]))
	id := attribute(text, end, tagEnd, "id")
	if info&raw != 0 && id == (span{}) {
		id = sourceName(text, end, tagEnd)
	}
	if n.ID = appendID(n.ID, text[id.start:id.end]); len(n.ID) == 0 {
		n.ID = append(n.ID, bytes.ToLower(text[1:end])...)
	}
	switch {
	case info&raw != 0:
		n.Title = caption.Append(n.Title, text[:tagEnd], maxTitle)
		return
	case info&holder != 0 && items > 1:
		n.Title = append(n.Title, caption.Count(int(items), "item")+": "...)
	}
	n.Title = caption.Cut(plain(n.Title, text, maxTitle), 0, maxTitle)
}

// sourceName is what a script is called: by an attribute such as data-name, or
// by its file.
func sourceName(b []byte, at, end int) (found span) {
	attributes(b, at, end, func(name, value span) bool {
		switch of := bytes.ToLower(b[name.start:name.end]); {
		case bytes.HasSuffix(of, []byte("name")):
			found = value
			return false
		case string(of) == "src":
			found = value
			found.start += int32(bytes.LastIndexByte(b[value.start:value.end], '/') + 1)
		}
		return true
	})
	return found
}

// language is a file name that says what the script or style at b[at] holds.
func (o *outline) language(at int) string {
	end := nameEnd(o.b, at+1)
	if key(o.b[at+1:end]) == keyStyle {
		return "x.css"
	}
	kind := attribute(o.b, end, tagEnd(o.b, end), "type")
	of := bytes.ToLower(o.b[kind.start:kind.end])
	for _, word := range []string{"json", "html", "markdown", "xml"} {
		if bytes.Contains(of, []byte(word)) {
			return "x." + word
		}
	}
	return "x.js"
}

// plain appends one line of the start of a text, without tags and what no reader
// sees.
func plain(dst, b []byte, max int) []byte {
	var room [4 * maxTitle]byte
	text := room[:0]
	for at := 0; at < len(b) && len(text) <= 2*max; {
		switch c := b[at]; {
		case c == '<' && at+1 < len(b) && (isLetter(b[at+1]) || b[at+1] == '/'):
			end, apart := skipTag(b, at)
			if at = end; apart {
				text = append(text, ' ')
			}
		case c == '<' && at+1 < len(b) && (b[at+1] == '!' || b[at+1] == '?'):
			s := scanner{b: b}
			if at = s.markupEnd(at); at < 0 {
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

// skipTag is the offset behind a tag, and behind what it holds if that is not
// shown; apart says that it sets texts apart.
func skipTag(b []byte, at int) (end int, apart bool) {
	name := at + 1
	if b[name] == '/' {
		name++
	}
	nameEnd := nameEnd(b, name)
	info := infoOf(key(b[name:nameEnd]))
	end = tagEnd(b, nameEnd)
	if info&raw != 0 && name == at+1 {
		end = closing(b, end, b[name:nameEnd])
		if end < len(b) {
			end = tagEnd(b, end)
		}
	}
	return end, info&(block|item|holder|heading|optional|void) != 0
}
