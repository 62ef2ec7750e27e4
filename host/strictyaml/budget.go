package strictyaml

import (
	"fmt"
	"strings"
)

// nodeCounter estimates how many nodes a YAML text has, in one pass without
// recursion. It knows quotes, comments, block scalars and flow brackets. In doubt it
// counts too many nodes, never much too few.
type nodeCounter struct {
	text   string
	pos    int
	line   int // from 1
	bol    int // offset of the beginning of the line
	nodes  int
	flow   int  // open brackets
	fresh  bool // a value or key may start at pos
	first  bool // only blanks and dashes precede pos on this line
	column int  // of the first token of this line that is not a dash: a key, if a colon follows
	owner  int  // column of the last key or dash; deeper lines belong to it
	dashes int  // on this line
}

// CheckSize returns the reason and the line if a text has too many nodes or is
// nested too deeply, else "".
func CheckSize(text string) (why string, line int) {
	b := newNodeCounter(text)
	for b.pos < len(text) {
		b.step()
		if b.nodes > maxNodes {
			return fmt.Sprintf("more than %d values and keys in one document", maxNodes), b.line
		}
		if b.flow > maxDepth || b.dashes > maxDepth {
			return fmt.Sprintf("nested deeper than %d levels", maxDepth), b.line
		}
	}
	return "", 0
}

func newNodeCounter(text string) *nodeCounter {
	return &nodeCounter{text: text, line: 1, fresh: true, first: true, owner: -1}
}

func (b *nodeCounter) step() {
	c := b.text[b.pos]
	switch {
	case c == '\n':
		b.pos++
		b.newline()
	case c == ' ' || c == '\t' || c == '\r':
		b.pos++
	case c == '#' && b.afterBlank():
		b.skipLine()
	case b.flow > 0 && strings.IndexByte(",[]{}", c) >= 0, b.fresh && (c == '[' || c == '{'):
		b.bracket(c)
	case c == ':' && b.endsKey():
		b.key()
	case b.fresh:
		b.start(c)
	default:
		b.pos++
	}
}

// newline is called after a line break. A plain scalar continues on deeper lines,
// where a quote or a dash is text. In brackets it continues until the next indicator.
func (b *nodeCounter) newline() {
	b.line++
	b.bol, b.dashes = b.pos, 0
	text := strings.TrimLeft(b.text[b.pos:], " ")
	indent := len(b.text) - b.pos - len(text)
	continues := !b.fresh && (b.flow > 0 || indent > b.owner)
	b.fresh, b.first = !continues, !continues
}

// key is called at the colon after a key.
func (b *nodeCounter) key() {
	b.nodes++
	b.pos++
	b.fresh = true
	if b.flow == 0 {
		b.owner = b.column
	}
}

func (b *nodeCounter) afterBlank() bool {
	return b.pos == 0 || strings.IndexByte(" \t\n", b.text[b.pos-1]) >= 0
}

// endsKey reports whether the colon at pos ends a key.
func (b *nodeCounter) endsKey() bool {
	if b.pos+1 == len(b.text) || strings.IndexByte(" \t\r\n", b.text[b.pos+1]) >= 0 {
		return true
	}
	return b.flow > 0
}

func (b *nodeCounter) bracket(c byte) {
	switch c {
	case '[', '{':
		b.flow++
	case ']', '}':
		b.flow--
	}
	b.nodes++
	b.pos++
	b.fresh = true
}

// start is called at the first byte of a token.
func (b *nodeCounter) start(c byte) {
	b.nodes++
	dash := (c == '-' || c == '?') && b.flow == 0 && b.blankNext()
	if b.first && !dash {
		b.column, b.first = b.pos-b.bol, false
	}
	switch {
	case dash:
		b.owner = b.pos - b.bol
		b.dashes++
		b.pos++
	case c == '"' || c == '\'':
		b.skipQuoted(c)
		b.fresh = false
	case (c == '|' || c == '>') && b.flow == 0:
		b.skipBlockScalar()
	case c == '&' || c == '*' || c == '!':
		b.skipProperty()
	default:
		b.fresh = false
		b.pos++
	}
}

// skipProperty skips an anchor, an alias or a tag. A value may follow.
func (b *nodeCounter) skipProperty() {
	for b.pos++; b.pos < len(b.text) && strings.IndexByte(" \t\r\n,[]{}", b.text[b.pos]) < 0; b.pos++ {
	}
}

func (b *nodeCounter) blankNext() bool {
	return b.pos+1 == len(b.text) || strings.IndexByte(" \t\r\n", b.text[b.pos+1]) >= 0
}

func (b *nodeCounter) skipQuoted(quote byte) {
	for b.pos++; b.pos < len(b.text); b.pos++ {
		switch c := b.text[b.pos]; {
		case c == '\n':
			b.line++
			b.bol = b.pos + 1
		case c == '\\' && quote == '"':
			b.pos++
		case c == quote && quote == '\'' && strings.HasPrefix(b.text[b.pos+1:], "'"):
			b.pos++
		case c == quote:
			b.pos++
			return
		}
	}
	b.pos = len(b.text)
}

func (b *nodeCounter) skipLine() {
	end := strings.IndexByte(b.text[b.pos:], '\n')
	if end < 0 {
		b.pos = len(b.text)
		return
	}
	b.pos += end
}

// skipBlockScalar skips a header and all lines that are indented deeper than the
// key or dash it belongs to.
func (b *nodeCounter) skipBlockScalar() {
	b.skipLine()
	for b.pos < len(b.text) {
		line := b.text[b.pos+1:]
		if end := strings.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		if strings.TrimSpace(line) != "" && indentOf(line) <= b.owner {
			return
		}
		b.line++
		b.bol = b.pos + 1
		b.pos += 1 + len(line)
	}
}
