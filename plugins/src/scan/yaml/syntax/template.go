package syntax

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// A template of YAML, such as a manifest of a Helm chart or a file of Ansible, has actions of Go templates or
// Jinja: {{ ... }}, {% ... %}, {# ... #}. A line that consists of actions is like a comment; an action in a
// line is like a word.

// filler replaces the bytes of an action in a line. It cannot be part of a plain key, so that a line
// with it is not structural.
const filler = '\x01'

// trailer is the first byte of a line of actions that belongs to the text above it.
const trailer = '\x02'

// isTemplate reports whether the line from p on is one action of a template. A text with such lines is YAML once a program has replaced them.
func isTemplate(b []byte, p int) bool {
	return opensAction(b, p) && IsAction(bytes.TrimRight(b[p:lines.End(b, p)], " \t\r\n"))
}

// IsAction reports whether a line without blanks around it begins and ends like an action of a template.
func IsAction(line []byte) bool {
	return opensAction(line, 0) && len(line) > 3 && line[len(line)-1] == '}' && line[len(line)-2] == closing(line[1])
}

func opensAction(b []byte, p int) bool {
	return p+1 < len(b) && b[p] == '{' && (b[p+1] == '{' || b[p+1] == '%' || b[p+1] == '#')
}

// closing returns the first of the two bytes that end an action: } for {{, % for {%, and # for {#. c is the second
// byte of the action.
func closing(c byte) byte {
	if c == '{' {
		return '}'
	}
	return c
}

// OpensTemplate reports whether a text begins with an action of a template, after document marks and
// comments.
func OpensTemplate(b []byte) bool {
	for at := Start(b); at < len(b); at = lines.End(b, at) {
		p := skipBlanks(b, at)
		if !isEnd(b, p) && !IsMark(b[at:]) {
			return opensAction(b, p)
		}
	}
	return false
}

// FillActions returns a copy of a text in which the bytes of actions are replaced by filler. If a line consists of
// actions, its first byte is replaced too: by "#" if the line belongs to the text below it, because its first action
// opens a block or is a comment, and by trailer if the line belongs to the text above it. The copy has the same
// length, but an action that spans several lines becomes one line. n is the number of lines that consist of
// actions. ok is false if the text has no actions, or one without an end.
func FillActions(b []byte) (plain []byte, n int, ok bool) {
	at := nextAction(b, 0)
	if at < 0 {
		return nil, 0, false
	}
	plain = bytes.Clone(b)
	first := -1                    // the first action of a line that so far consists of actions, or -1
	from, begun := Start(b), false // begun: there is text before the action
	for at >= 0 {
		if beginsLine(b, at) {
			first = at
		}
		begun = begun || len(bytes.TrimSpace(b[from:at])) > 0
		end := actionEnd(b, at)
		if end < 0 {
			return nil, 0, false
		}
		for i := at; i < end; i++ {
			plain[i] = filler
		}
		from, at = end, skipBlanks(b, end)
		if opensAction(b, at) {
			continue
		}
		if first >= 0 && isEnd(b, at) {
			n++
			if !begun || leads(b, first) {
				plain[first] = '#'
			} else {
				plain[first] = trailer
			}
		}
		at, first = nextAction(b, at), -1
	}
	return plain, n, true
}

// leads reports whether the action at an offset belongs to the text below it: it opens a block, assigns a variable, or is
// a comment.
func leads(b []byte, at int) bool {
	text := bytes.TrimLeft(b[at+len("{{"):min(len(b), at+64)], "-+ \t\r\n")
	if b[at+1] == '#' || bytes.HasPrefix(text, []byte("/*")) || bytes.HasPrefix(text, []byte("$")) {
		return true
	}
	word, _, _ := bytes.Cut(text, []byte(" "))
	switch string(word) {
	case "if", "with", "range", "define", "block", "for", "set", "macro":
		return true
	}
	return false
}

// nextAction returns the offset of the next action from p on, -1 if there is none.
func nextAction(b []byte, p int) int {
	for ; p < len(b); p++ {
		n := lines.IndexByte(b[p:], '{')
		if n < 0 {
			return -1
		}
		if p += n; opensAction(b, p) {
			return p
		}
	}
	return -1
}

// beginsLine reports whether only blanks precede p in its line.
func beginsLine(b []byte, p int) bool {
	for p > 0 && (b[p-1] == ' ' || b[p-1] == '\t') {
		p--
	}
	return p == Start(b) || b[p-1] == '\n'
}

// isFilled reports whether a line that begins at p, after its indentation, consists of actions.
func isFilled(b []byte, p int) bool {
	return p+1 < len(b) && (b[p] == '#' || b[p] == trailer) && b[p+1] == filler
}

// actionEnd returns the offset after the action at b[at], -1 if it has no end. Braces in strings,
// characters and comments do not end it.
func actionEnd(b []byte, at int) int {
	i := at + len("{{")
	shut := closing(b[at+1])
	if shut == '#' {
		return markEnd(b, i, "#}")
	}
	if text := bytes.TrimLeft(b[i:min(len(b), i+4)], "- "); bytes.HasPrefix(text, []byte("/*")) {
		i = markEnd(b, i, "*/")
	}
	for i >= 0 && i < len(b) {
		switch b[i] {
		case shut:
			if i+1 < len(b) && b[i+1] == '}' {
				return i + 2
			}
			i++
		case '`':
			i = markEnd(b, i+1, "`")
		case '"', '\'':
			i = stringEnd(b, i)
		default:
			i++
		}
	}
	return -1
}

// markEnd returns the offset after the next mark from p on, -1 if there is none.
func markEnd(b []byte, p int, mark string) int {
	if n := bytes.Index(b[p:], []byte(mark)); n >= 0 {
		return p + n + len(mark)
	}
	return -1
}

// stringEnd returns the offset after the string or character in quotes at p, -1 if it does not end in its line.
func stringEnd(b []byte, p int) int {
	for i := p + 1; i < len(b) && b[i] != '\n'; i++ {
		switch b[i] {
		case b[p]:
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}
