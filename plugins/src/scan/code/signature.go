package code

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/byteset"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/decl"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

const (
	maxSignature = 400
	minRemark    = 24 // bytes that a remark needs to be informative
)

// stripAttributes returns the code of a definition without the attributes before it.
func (t namer) stripAttributes(code []byte) []byte {
	for rest := code; len(rest) > 0 && !t.v.Has(language.Selectors); {
		switch c := rest[0]; {
		case c == '@' && !bytes.HasPrefix(rest, []byte("@interface")):
			rest = t.skipAnnotation(rest)
		case c == '[':
			rest = skipGroup(rest, 0)
		case c == '#' && len(rest) > 1 && rest[1] == '[':
			rest = skipGroup(rest, 1)
		default:
			return rest
		}
		if rest = bytes.TrimLeft(rest, " \t\r\n"); len(rest) > 0 {
			code = rest
		}
	}
	return code
}

// skipAnnotation returns code without the @a.b(...) that it begins with.
func (t namer) skipAnnotation(code []byte) []byte {
	code = code[len(t.v.WordAt(code, 0)):]
	for len(code) > 1 && code[0] == '.' {
		code = code[1+len(t.v.WordAt(code, 1)):]
	}
	if len(code) > 0 && code[0] == '(' {
		return skipGroup(code, 0)
	}
	return code
}

// skipGroup returns code without the brackets that begin at an offset.
func skipGroup(code []byte, at int) []byte {
	return code[decl.SkipBrackets(code, at, min(len(code), decl.MaxHead)):]
}

var inSignature = byteset.Of("([)]\"'{;\n")

// findSignature returns the code of a definition up to its body.
func (t namer) findSignature(code []byte) []byte {
	depth := 0
	code = code[:min(len(code), maxSignature)]
	for i := inSignature.Next(code, 0); i < len(code); i = inSignature.Next(code, i+1) {
		switch code[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '"', '\'':
			i = decl.SkipQuote(code, i, len(code)) - 1
		case '{', ';':
			if depth > 0 {
				continue
			}
			if i+1 < len(code) && code[i+1] == '}' {
				i++
				continue
			}
			return trimSignature(code[:i])
		case '\n':
			if t.v.Indented && depth <= 0 {
				return trimSignature(code[:i])
			}
		}
	}
	return trimSignature(code)
}

func trimSignature(code []byte) []byte {
	return bytes.TrimRight(code, " \t\r\n:={")
}

// appendRemark appends the start of the comment above a definition, or of the string below it,
// if there is room.
func (t namer) appendRemark(title []byte, it *item, p *part.Part) []byte {
	if len(title)+minRemark > maxTitle {
		return title
	}
	text := firstSentence(t.b[it.lead:it.code])
	if name := it.name.Of(t.b); len(name) > 0 && bytes.HasPrefix(text, name) {
		text = bytes.TrimLeft(text[len(name):], " :-")
	}
	if len(text) == 0 && t.v.Has(language.Docstrings) && (it.kind == language.Function || it.kind == language.Class) {
		text = t.docstring(t.b[it.code:p.End])
	}
	if len(text) < 4 {
		return title
	}
	title = append(title, " // "...)
	start := len(title)
	title = caption.Append(title, text, maxTitle-start)
	if len(title) == start {
		title = title[:start-len(" // ")]
	}
	return title
}

// firstSentence returns the first sentence of the comment above a definition, or the part of it
// on its first line.
func firstSentence(above []byte) []byte {
	for len(above) > 0 {
		end := lines.End(above, 0)
		text := bytes.Trim(above[:end], " \t\r\n")
		above = above[end:]
		if len(text) == 0 || text[0] == '@' || bytes.HasPrefix(text, []byte("#[")) || bytes.HasPrefix(text, []byte("//go:")) {
			continue
		}
		text = bytes.Trim(text, "/*#-=!; \t'\"")
		for len(text) > 0 && text[0] == '<' { // tags, such as those of C#
			_, text, _ = bytes.Cut(text, []byte(">"))
			text, _, _ = bytes.Cut(text, []byte("</"))
		}
		if len(text) > 3 && text[0] != '@' {
			if i := bytes.Index(text, []byte(". ")); i > 0 {
				text = text[:i]
			}
			return bytes.TrimRight(text, ".")
		}
	}
	return nil
}

// docstring returns the first line of the string below a definition.
func (t namer) docstring(code []byte) []byte {
	code = code[min(len(code), len(t.findSignature(code))):]
	i := bytes.IndexByte(code[:min(len(code), 120)], '\n')
	if i < 0 {
		return nil
	}
	code = bytes.TrimLeft(code[i:], " \t\r\n")
	if !bytes.HasPrefix(code, []byte(`"""`)) && !bytes.HasPrefix(code, []byte("'''")) {
		return nil
	}
	code = bytes.TrimLeft(code, "\"' \t\r\n")
	return bytes.Trim(code[:lines.End(code, 0)], "\"'. \t\r\n")
}
