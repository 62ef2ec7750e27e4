package code

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/lex"
)

const maxTitle = 80

// namer names the parts of a tree.
type namer struct{ *tree }

// document returns the tree as a part.Doc.
func (t *tree) document() *part.Doc {
	d := &part.Doc{Count: t.describe(t.b), Lines: []string{"language: " + t.v.Dialect}, Parts: t.parts, Name: namer{t}.name}
	if clause := t.packageClause(); len(clause) > 0 {
		d.Lines[0] += ", " + caption.Of(clause, maxTitle)
	}
	return d
}

// packageClause returns the line that names the package or namespace of the file, if it
// is among the first statements.
func (t *tree) packageClause() []byte {
	for i := range t.lines {
		l := &t.lines[i]
		if l.Flags&lex.Comment != 0 {
			continue
		}
		text := t.b[l.Code:lines.End(t.b, int(l.Code))]
		if bytes.HasPrefix(text, []byte("package ")) || bytes.HasPrefix(text, []byte("namespace ")) && bytes.IndexByte(text, ';') > 0 {
			text, _, _ = bytes.Cut(text, []byte("//"))
			return bytes.TrimRight(text, "; \r\n{")
		}
		if t.v.Look(t.firstWord(l)).Role != language.Controls {
			return nil
		}
	}
	return nil
}

// name appends the id and the title of part i.
func (t namer) name(i int, n *part.Name) {
	it, p := &t.items[i], &t.parts[i]
	switch {
	case it.sentence:
		n.ID = appendWords(n.ID, it.name.Of(t.b))
	case it.name.N > 0:
		n.ID = t.appendID(n.ID, it)
	}
	if len(n.ID) == 0 {
		n.ID = strconv.AppendInt(append(n.ID, 'L'), int64(it.line), 10)
	}
	switch {
	case it.imports >= minImports:
		n.Title = append(n.Title, caption.Count(int(it.imports), "import")...)
	case it.sentence:
		n.Title = caption.Append(n.Title, it.name.Of(t.b), maxTitle)
	case it.kind == language.Other:
		n.Title = t.appendCode(n.Title, i)
	case it.def && t.v.Has(language.LabelledBlocks):
		n.Title = t.appendRemark(t.appendBlockTitle(n.Title, it), it, p)
	default:
		n.Title = caption.Append(n.Title, t.findSignature(t.stripAttributes(t.b[it.code:p.End])), maxTitle)
		n.Title = t.appendRemark(n.Title, it, p)
	}
	if len(n.Title) == 0 {
		n.Title = strconv.AppendInt(append(n.Title, "line "...), int64(it.line), 10)
	}
}

// maxWords is the size of an id that is made of a sentence. A reader repeats it in each call, a
// few words distinguish tests, and the title beside it is the whole sentence.
const maxWords = 32

// appendWords appends the first words of a sentence as an id.
func appendWords(dst, text []byte) []byte {
	start, gap := len(dst), false
	for at := 0; at < len(text); {
		end := at
		for end < len(text) && (text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z' || text[end]-'0' <= 9 || text[end] == '_' || text[end] >= 0x80) {
			end++
		}
		if end == at {
			at, gap = at+1, len(dst) > start
			continue
		}
		if gap && len(dst)-start+1+end-at > maxWords {
			break
		}
		if gap {
			dst = append(dst, '-')
		}
		dst, at, gap = append(dst, text[at:end]...), end, false
	}
	return dst
}

// appendID appends the id of a part that has a name.
func (t namer) appendID(dst []byte, it *item) []byte {
	if it.owner.N > 0 {
		dst = append(append(dst, it.owner.Of(t.b)...), '.')
	}
	if it.kind == language.Impl {
		if t.v.Indented {
			dst = append(dst, "instance-"...)
		} else {
			dst = append(dst, "impl-"...)
		}
	}
	if t.v.Has(language.LabelledBlocks) {
		return t.appendBlockName(dst, it)
	}
	for _, c := range it.name.Of(t.b) {
		if c <= ' ' {
			c = '-'
		}
		dst = append(dst, c)
	}
	return dst
}

// appendBlockName appends the name of a block as other blocks refer to it: type.name.
func (t namer) appendBlockName(dst []byte, it *item) []byte {
	gap := false
	for _, c := range it.name.Of(t.b) {
		switch {
		case c == '"' || lex.IsSpace(c):
			gap = len(dst) > 0
			continue
		case gap:
			dst = append(dst, '.')
		}
		dst, gap = append(dst, c), false
	}
	return dst
}

// appendBlockTitle appends the type and the name of a block.
func (t namer) appendBlockTitle(dst []byte, it *item) []byte {
	if word := t.v.WordAt(t.b, int(it.code)); it.name.At > it.code {
		return append(append(append(dst, word...), ' '), t.appendBlockName(nil, it)...)
	}
	return t.appendBlockName(dst, it)
}
