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

// namer names the pieces of a text.
type namer struct {
	b     []byte
	doc   *markdown.Doc
	plain []byte // plain text of the last title, reused as a buffer
}

// name fills in the name of a piece.
func (c *namer) name(p *piece, n *part.Name) {
	text := c.b[p.start:p.end]
	if p.first > 0 {
		text = c.b[p.start:p.first]
	}
	switch p.kind {
	case headingPiece:
		h := c.doc.Headings[p.from].Text
		n.Title = c.appendTitle(n.Title, c.b[h.Start:h.End], maxTitle)
	case introPiece:
		n.ID = append(n.ID, "intro"...)
		if body := bytes.TrimSpace(text[p.from-p.start:]); len(body) > 0 {
			text = body
		}
		n.Title = c.appendLead(n.Title, text)
	case paragraphPiece:
		n.ID = strconv.AppendInt(append(n.ID, 'L'), int64(p.from), 10)
		n.Title = c.appendLead(n.Title, text)
	case openingPiece:
		n.ID, n.Title = append(n.ID, "intro"...), c.appendLead(n.Title, text)
	case textPiece:
		n.ID, n.Title = append(n.ID, "text"...), c.appendLead(n.Title, text)
	case codePiece:
		info := c.doc.Fences[p.from].Info
		c.nameCode(text, string(c.b[info.Start:info.End]), n)
	case frontPiece: // the host splits YAML front matter; TOML is not split
		n.ID, n.Title, n.Hint = append(n.ID, "front-matter"...), append(n.Title, "front matter"...), append(n.Hint, "x.yaml"...)
	}
}

// appendTitle appends the rendered text, without markup, on one line.
func (c *namer) appendTitle(dst, text []byte, max int) []byte {
	c.plain = markdown.AppendTitle(c.plain[:0], text)
	return caption.Append(dst, c.plain, max)
}

// appendLead appends the start of a text as a title.
func (c *namer) appendLead(dst, text []byte) []byte {
	text = text[:min(len(text), 200)]
	if title := c.appendTitle(dst, text, maxLead); len(title) > len(dst) {
		return title
	}
	return caption.Append(dst, text, maxLead) // the text is only markup
}

// nameCode names a code fence by its language, if info names a known one, and its first line.
func (c *namer) nameCode(text []byte, info string, n *part.Name) {
	if language := detect.Language(info); language != "" {
		n.Title = append(append(n.Title, language...), ": "...)
		n.Hint = append(append(n.Hint, "x."...), detect.Extension(language)...)
	}
	n.ID = append(n.ID, "code"...)
	n.Title = caption.Append(n.Title, text[:min(len(text), 2*maxTitle)], maxLead)
}

// joinTopics returns the first headings of a text, or its start if it has none.
func joinTopics(b []byte, doc *markdown.Doc) string {
	c := namer{b: b, doc: doc}
	var title []byte
	for _, h := range doc.Headings {
		if len(title) > maxTitle {
			break
		}
		if len(title) > 0 {
			title = append(title, ", "...)
		}
		title = c.appendTitle(title, b[h.Text.Start:h.Text.End], maxTitle)
	}
	if len(title) == 0 {
		title = c.appendLead(title, b)
	}
	return string(title)
}
