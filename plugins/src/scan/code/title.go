package code

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

const (
	maxTitle = 80
	minRoom  = 24 // bytes that a remark needs to say something
)

// document is what was found, for the stages.
func (w *writer) document() *part.Doc {
	d := &part.Doc{Count: w.count(), Lines: []string{"language: " + w.v.dialect}, Parts: w.parts, Name: w.name}
	if p := w.clause(); len(p) > 0 {
		d.Lines[0] += ", " + caption.Of(p, maxTitle)
	}
	return d
}

// count says how many definitions there are.
func (w *writer) count() string {
	if tables := w.found[table]; tables > 0 {
		return caption.Count(tables, "definition")
	}
	var room [64]byte
	text := room[:0]
	for _, c := range [...]struct {
		n    int
		noun string
	}{{w.found[function], "function"}, {w.found[class] + w.found[record], "type"}, {w.tests, "test"}} {
		if c.n == 0 {
			continue
		}
		if len(text) > 0 {
			text = append(text, ", "...)
		}
		text = append(append(caption.AppendNumber(text, int32(c.n)), ' '), c.noun...)
		if c.n > 1 {
			text = append(text, 's')
		}
	}
	if len(text) == 0 {
		return caption.Count(lines.Count(w.b), "line")
	}
	return string(text)
}

// clause is the line that says what package or namespace the file is of.
func (w *writer) clause() []byte {
	for i := range w.lines {
		l := &w.lines[i]
		if l.flags&comment != 0 {
			continue
		}
		text := w.b[l.code:lines.End(w.b, int(l.code))]
		if bytes.HasPrefix(text, []byte("package ")) || bytes.HasPrefix(text, []byte("namespace ")) && bytes.IndexByte(text, ';') > 0 {
			text, _, _ = bytes.Cut(text, []byte("//"))
			return bytes.TrimRight(text, "; \r\n{")
		}
		if w.v.look(w.first(l)).role != controls {
			return nil
		}
	}
	return nil
}

// name says what a part is called.
func (w *writer) name(i int, n *part.Name) {
	it, p := &w.items[i], &w.parts[i]
	switch {
	case it.text:
		n.ID = appendText(n.ID, it.name.of(w.b))
	case it.name.n > 0:
		n.ID = w.appendID(n.ID, it)
	}
	if len(n.ID) == 0 {
		n.ID = strconv.AppendInt(append(n.ID, 'L'), int64(it.line), 10)
	}
	code := w.b[it.code:p.End]
	switch {
	case it.imports >= minImports:
		n.Title = append(n.Title, caption.Count(int(it.imports), "import")...)
	case it.text:
		n.Title = caption.Append(n.Title, it.name.of(w.b), maxTitle)
	case it.kind == other:
		n.Title = w.text(n.Title, i)
	case it.def && w.v.syntax&blocks != 0:
		n.Title = w.remark(w.appendBlock(n.Title, it), it, p)
	default:
		n.Title = caption.Append(n.Title, w.signature(w.bare(code)), maxTitle)
		n.Title = w.remark(n.Title, it, p)
	}
	if len(n.Title) == 0 {
		n.Title = strconv.AppendInt(append(n.Title, "line "...), int64(it.line), 10)
	}
}

func (w *writer) appendID(dst []byte, it *item) []byte {
	if it.owner.n > 0 {
		dst = append(append(dst, it.owner.of(w.b)...), '.')
	}
	if it.kind == impl {
		if w.v.layout {
			dst = append(dst, "instance-"...)
		} else {
			dst = append(dst, "impl-"...)
		}
	}
	if w.v.syntax&blocks != 0 {
		return w.blockName(dst, it)
	}
	for _, c := range it.name.of(w.b) {
		if c <= ' ' {
			c = '-'
		}
		dst = append(dst, c)
	}
	return dst
}

// bare is the code of a definition without the attributes before it.
func (w *writer) bare(code []byte) []byte {
	for rest := code; len(rest) > 0 && w.v.syntax&selectors == 0; {
		switch c := rest[0]; {
		case c == '@' && !bytes.HasPrefix(rest, []byte("@interface")):
			rest = rest[len(wordAt(w.v, rest, 0)):]
			for len(rest) > 1 && rest[0] == '.' {
				rest = rest[1+len(wordAt(w.v, rest, 1)):]
			}
			if len(rest) > 0 && rest[0] == '(' {
				rest = rest[skipBrackets(rest, 0, min(len(rest), maxHead)):]
			}
		case c == '[':
			rest = rest[skipBrackets(rest, 0, min(len(rest), maxHead)):]
		case c == '#' && len(rest) > 1 && rest[1] == '[':
			rest = rest[skipBrackets(rest, 1, min(len(rest), maxHead)):]
		default:
			return rest
		}
		if rest = bytes.TrimLeft(rest, " \t\r\n"); len(rest) > 0 {
			code = rest
		}
	}
	return code
}

var inSignature = stopsAt("([)]\"'{;\n")

// signature is the code of a definition up to its body.
func (w *writer) signature(code []byte) []byte {
	depth := 0
	code = code[:min(len(code), 400)]
	for i := inSignature.next(code, 0); i < len(code); i = inSignature.next(code, i+1) {
		switch code[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '"', '\'':
			i = skipQuote(code, i, len(code)) - 1
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
			if w.v.layout && depth <= 0 {
				return trimSignature(code[:i])
			}
		}
	}
	return trimSignature(code)
}

func trimSignature(code []byte) []byte {
	return bytes.TrimRight(code, " \t\r\n:={")
}

// remark appends the start of the comment above a definition, or of the string
// below it, if there is room.
func (w *writer) remark(title []byte, it *item, p *part.Part) []byte {
	if len(title)+minRoom > maxTitle {
		return title
	}
	text := w.sentence(w.b[it.about:it.code])
	if name := it.name.of(w.b); len(name) > 0 && bytes.HasPrefix(text, name) {
		text = bytes.TrimLeft(text[len(name):], " :-")
	}
	if len(text) == 0 && w.v.syntax&docstrings != 0 && (it.kind == function || it.kind == class) {
		text = w.docstring(w.b[it.code:p.End])
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

// sentence is the first sentence of the comment above a definition, in one line
// of the comment at most.
func (w *writer) sentence(above []byte) []byte {
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

// docstring is the first line of the string below a definition.
func (w *writer) docstring(code []byte) []byte {
	code = code[min(len(code), len(w.signature(code))):]
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
