// Package component finds the blocks of single-file components of Vue and Svelte as byte spans.
//
// A component is a sequence of blocks: template, script, style and others that tools define. Each
// becomes a part that contains a text of another type, which the stage splits like a file of that
// type. In Svelte the template is the text outside of the blocks. Scanners of other types read
// the content of a block; this package finds only where it begins and ends.
package component

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/html"
)

// Extensions and media types of components.
const (
	VueHints    = "vue text/x-vue"
	SvelteHints = "svelte text/x-svelte"
)

// maxBlocks is the largest number of blocks of a component. A text with more is a list of elements.
const maxBlocks = 64

// block is a block with its tags, or text outside of blocks if it has no name.
type block struct {
	html.Element
	kind kind
}

type kind uint8

const (
	custom kind = iota
	template
	script
	style
	outside // text that is in no block: a comment, or the template of Svelte
)

// kindOf returns the kind of the block with a name.
func kindOf(name []byte) kind {
	switch string(name) {
	case "template":
		return template
	case "script":
		return script
	case "style":
		return style
	}
	return custom
}

// ScanVue is the part.Scan of components of Vue. Without their name a text has the type if it consists of
// blocks, of which one is a script and one a template, or one is a script with the attribute setup.
func ScanVue(b []byte, c part.Clues) (*part.Doc, bool) {
	named := c.Forced || hasExtension(c.File, ".vue")
	blocks, ok := readBlocks(b, named)
	if !ok || !named && !isVue(b, blocks) {
		return nil, false
	}
	return document(b, blocks)
}

// readBlocks reads a text that consists of blocks and comments. Without a name the first block is one that
// every component may have, so that other markup is refused at its first tag.
func readBlocks(b []byte, named bool) (blocks []block, ok bool) {
	for at := skipSpace(b, lines.Start(b)); at < len(b); at = skipSpace(b, at) {
		if end := html.CommentEnd(b, at); end > at {
			blocks = addOutside(blocks, at, end)
			at = end
			continue
		}
		e, ok := html.ReadElement(b, at)
		if !ok || len(blocks) == maxBlocks {
			return nil, false
		}
		k := kindOf(e.Name(b))
		if k == custom && !named && len(blocks) == countOutside(blocks) {
			return nil, false
		}
		blocks = append(blocks, block{e, k})
		at = e.End
	}
	return blocks, len(blocks) > countOutside(blocks)
}

// addOutside adds text outside of blocks, or extends that before it.
func addOutside(blocks []block, start, end int) []block {
	if last := len(blocks) - 1; last >= 0 && blocks[last].kind == outside {
		blocks[last].End, blocks[last].Close = end, end
		return blocks
	}
	return append(blocks, block{html.Element{Start: start, Open: start, Close: end, End: end}, outside})
}

func countOutside(blocks []block) (n int) {
	for _, x := range blocks {
		if x.kind == outside {
			n++
		}
	}
	return n
}

// isVue reports whether blocks are those of a component: fragments of HTML too consist of elements.
func isVue(b []byte, blocks []block) bool {
	var has [outside + 1]bool
	for _, x := range blocks {
		has[x.kind] = true
		if x.kind == script {
			if _, ok := x.Attribute(b, "setup"); ok {
				return true
			}
		}
	}
	return has[template] && has[script]
}

// ScanSvelte is the part.Scan of components of Svelte: scripts and styles in the first column, and markup
// around them. Without their name a text has the type if it contains a statement of the template
// language or, below a script, an attribute or a variable that only Svelte has.
func ScanSvelte(b []byte, c part.Clues) (*part.Doc, bool) {
	named := c.Forced || hasExtension(c.File, ".svelte")
	at := skipSpace(b, lines.Start(b))
	if at == len(b) || !named && b[at] != '<' && b[at] != '{' || isPage(b[at:]) || !named && !isSvelte(b) {
		return nil, false
	}
	blocks := cutBlocks(b, at)
	if len(blocks) > maxBlocks {
		return nil, false
	}
	return document(b, blocks)
}

// isPage reports whether a text begins like a page of HTML or a document of XML.
func isPage(b []byte) bool {
	return bytes.HasPrefix(b, []byte("<!")) && !bytes.HasPrefix(b, []byte("<!--")) || bytes.HasPrefix(b, []byte("<?")) ||
		len(b) > 5 && bytes.EqualFold(b[:5], []byte("<html"))
}

// cutBlocks returns the blocks of a component of Svelte and the markup around them.
func cutBlocks(b []byte, at int) (blocks []block) {
	from := at
	markup := func(end int) {
		if start := skipSpace(b, from); start < end {
			blocks = addOutside(blocks, start, end)
		}
	}
	for at < len(b) && len(blocks) <= maxBlocks {
		n := lines.IndexByte(b[at:], '<')
		if n < 0 {
			break
		}
		at += n
		if end := html.CommentEnd(b, at); end > at {
			at = end
			continue
		}
		if at > lines.Start(b) && b[at-1] != '\n' || !beginsTag(b[at:], "<script") && !beginsTag(b[at:], "<style") {
			at++
			continue
		}
		e, ok := html.ReadElement(b, at)
		if !ok { // a start tag without an end, which all text after it belongs to
			break
		}
		markup(at)
		blocks = append(blocks, block{e, kindOf(e.Name(b))})
		at, from = e.End, e.End
	}
	markup(len(b))
	return blocks
}

// beginsTag reports whether a text begins with a start tag and not with a longer name.
func beginsTag(b []byte, tag string) bool {
	return len(b) > len(tag) && string(b[:len(tag)]) == tag && bytes.IndexByte([]byte(" \t\r\n/>"), b[len(tag)]) >= 0
}

// document returns the blocks of a component as parts.
func document(b []byte, blocks []block) (*part.Doc, bool) {
	if len(blocks) == 0 {
		return nil, false
	}
	doc := &part.Doc{Count: caption.Count(len(blocks), "block"), Parts: make([]part.Part, len(blocks))}
	for i, x := range blocks {
		doc.Parts[i] = part.Part{Start: int32(x.Start), End: int32(x.End), Parent: -1, Kind: part.Text}
	}
	n := namer{b, blocks}
	doc.Name = n.name
	return doc, true
}

// hasExtension reports whether a file name or URI has an extension.
func hasExtension(file, extension string) bool {
	return len(file) >= len(extension) && bytes.EqualFold([]byte(file[len(file)-len(extension):]), []byte(extension))
}

func skipSpace(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\n' || b[at] == '\t' || b[at] == '\r') {
		at++
	}
	return at
}
