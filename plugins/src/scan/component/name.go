package component

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/html"
)

const maxTitle = 80

// namer names the blocks of a component.
type namer struct {
	b      []byte
	blocks []block
}

// name is the part.Doc.Name of a component.
func (t namer) name(i int, n *part.Name) {
	x := t.blocks[i]
	text := t.b[x.Start:x.End]
	if x.kind == outside {
		t.nameOutside(text, n)
		return
	}
	n.ID = append(n.ID, x.Name(t.b)...)
	if word := t.variant(x); word != "" && t.hasPlain(x.kind) {
		n.ID = append(append(n.ID, '-'), word...)
	}
	n.Head, n.Tail = int32(x.Open-x.Start), int32(x.End-x.Close)
	n.Hint = t.appendHint(n.Hint, x)
	tag := bytes.TrimRight(t.b[x.Start+1:x.Open], "/> \t\r\n")
	n.Title = caption.Append(n.Title, tag, maxTitle/2)
	if body := bytes.TrimSpace(t.b[x.Open:x.Close]); x.kind != style && len(body) > 0 {
		n.Title = append(n.Title, ": "...)
		n.Title = caption.Append(n.Title, body[:min(len(body), 4*maxTitle)], maxTitle-len(n.Title))
	}
}

// nameOutside names text outside of blocks: a comment, or the template of Svelte.
func (t namer) nameOutside(text []byte, n *part.Name) {
	n.Title = caption.Append(n.Title, text[:min(len(text), 4*maxTitle)], maxTitle)
	if len(n.Title) == 0 { // control characters
		n.Title = append(n.Title, "text"...)
	}
	rest := text
	for len(rest) > 0 && html.CommentEnd(rest, 0) > 0 {
		rest = bytes.TrimSpace(rest[html.CommentEnd(rest, 0):])
	}
	if len(rest) == 0 {
		n.ID = append(n.ID, "comment"...)
		return
	}
	n.ID, n.Hint = append(n.ID, "template"...), append(n.Hint, html.TemplateName...)
}

// variant returns the word that distinguishes a script from the plain one of a component, or "".
func (t namer) variant(x block) string {
	if x.kind != script {
		return ""
	}
	for _, word := range []string{"setup", "module"} {
		if _, ok := x.Attribute(t.b, word); ok {
			return word
		}
	}
	if of, _ := x.Attribute(t.b, "context"); string(of) == "module" {
		return "module"
	}
	return ""
}

// hasPlain reports whether there is a script without a variant.
func (t namer) hasPlain(of kind) bool {
	return slices.ContainsFunc(t.blocks, func(x block) bool { return x.kind == of && t.variant(x) == "" })
}

// languages are the extensions of the languages of blocks by kind, without the attribute lang.
var languages = [...]string{custom: "", template: "", script: "js", style: "css"}

// appendHint appends a file name with the extension of the content of a block.
func (t namer) appendHint(dst []byte, x block) []byte {
	lang, _ := x.Attribute(t.b, "lang")
	name := x.Name(t.b)
	switch {
	case x.kind == template && (len(lang) == 0 || string(lang) == "html"):
		return append(dst, html.TemplateName...)
	case string(lang) == "typescript":
		lang = []byte("ts")
	case len(lang) == 0 && x.kind == custom && (string(name) == "i18n" || string(name) == "page-query"):
		lang = []byte("json")
	case len(lang) == 0 && x.kind == custom && string(name) == "docs":
		lang = []byte("md")
	case len(lang) == 0:
		lang = []byte(languages[x.kind])
	}
	if len(lang) == 0 || len(lang) > 20 {
		return dst
	}
	return append(append(dst, "x."...), lang...)
}
