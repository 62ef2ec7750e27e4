package sectionsplit

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/detect"
	"github.com/mcpctl/mcpctl/plugins/src/scan/markdown"
)

// maxLead is the size limit of a title taken from the start of a text, in bytes.
const maxLead = 60

// caller names the pieces of a text.
type caller struct {
	b     []byte
	doc   *markdown.Doc
	plain []byte // plain text of the last title, reused as a buffer
}

// call fills in the name of a piece.
func (c *caller) call(p *piece, n *part.Name) {
	text := c.b[p.start:p.end]
	if p.first > 0 {
		text = c.b[p.start:p.first]
	}
	switch p.as {
	case asHeading:
		h := c.doc.Headings[p.from].Text
		n.Title = c.title(n.Title, c.b[h.Start:h.End], maxTitle)
	case asIntro:
		n.ID = append(n.ID, "intro"...)
		if body := bytes.TrimSpace(text[p.from-p.start:]); len(body) > 0 {
			text = body
		}
		n.Title = c.lead(n.Title, text)
	case asParagraph:
		n.ID = strconv.AppendInt(append(n.ID, 'L'), int64(p.from), 10)
		n.Title = c.lead(n.Title, text)
	case asOpening:
		n.ID, n.Title = append(n.ID, "intro"...), c.lead(n.Title, text)
	case asText:
		n.ID, n.Title = append(n.ID, "text"...), c.lead(n.Title, text)
	case asCode:
		info := c.doc.Fences[p.from].Info
		c.code(text, string(c.b[info.Start:info.End]), n)
	case asFront: // the host splits YAML front matter; TOML is not split
		n.ID, n.Title, n.Hint = append(n.ID, "front-matter"...), append(n.Title, "front matter"...), append(n.Hint, "x.yaml"...)
	}
}

// title appends the rendered text, without markup, on one line.
func (c *caller) title(dst, text []byte, max int) []byte {
	c.plain = markdown.AppendTitle(c.plain[:0], text)
	return caption.Append(dst, c.plain, max)
}

// lead appends the start of a text as a title.
func (c *caller) lead(dst, text []byte) []byte {
	text = text[:min(len(text), 200)]
	if said := c.title(dst, text, maxLead); len(said) > len(dst) {
		return said
	}
	return caption.Append(dst, text, maxLead) // the text is only markup
}

// code names a code fence by its language, if info names a known one, and its first line.
func (c *caller) code(text []byte, info string, n *part.Name) {
	if language := detect.Language(info); language != "" {
		n.Title = append(append(n.Title, language...), ": "...)
		n.Hint = append(append(n.Hint, "x."...), detect.Extension(language)...)
	}
	n.ID = append(n.ID, "code"...)
	n.Title = caption.Append(n.Title, text[:min(len(text), 2*maxTitle)], maxLead)
}

// topics returns the first headings of a text, or its start if it has none.
func topics(b []byte, doc *markdown.Doc) string {
	c := caller{b: b, doc: doc}
	var said []byte
	for _, h := range doc.Headings {
		if len(said) > maxTitle {
			break
		}
		if len(said) > 0 {
			said = append(said, ", "...)
		}
		said = c.title(said, b[h.Text.Start:h.Text.End], maxTitle)
	}
	if len(said) == 0 {
		said = c.lead(said, b)
	}
	return string(said)
}
