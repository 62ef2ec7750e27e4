package code

import "github.com/mcpctl/mcpctl/plugins/src/internal/lines"

// header is how a statement begins.
type header struct {
	kind        kind
	text        bool // the name is a sentence
	name, owner span
}

// tok is a word, a bracket with all that is in it, or a byte.
type tok struct {
	at, end int32
	c       byte // 'a' for a word, else the first byte
}

// A header is judged by so many bytes and tokens.
const (
	maxHead   = 1200
	maxTokens = 32
)

// head reads the header of the statement in b[at:end].
func (w *writer) head(at, end int) header {
	var buf [maxTokens]tok
	t := w.tokens(buf[:0], at, min(end, at+maxHead))
	if w.v.syntax&shapes != 0 {
		if h := w.shaped(t); h.kind != other {
			return h
		}
	}
	h := w.named(t)
	if h.kind == other && w.v.calls != "" {
		h = w.described(t)
	}
	if h.kind == other && w.v.call {
		h = w.called(t)
	}
	if h.kind == other || h.kind == value {
		switch a := w.assigned(t); {
		case h.kind == other:
			h = a
		case a.kind == function:
			h.kind = function
		}
	}
	if h.kind != other && h.name.n == 0 && h.kind != function {
		h.name = w.typedefName(t, end)
	}
	return h
}

// tokens appends the tokens up to the body of a statement.
func (w *writer) tokens(t []tok, at, end int) []tok {
	b, v := w.b, w.v
	for at < end && len(t) < maxTokens {
		c, start := b[at], at
		switch {
		case c == '\n' && v.layout && !v.fold:
			return t
		case c <= ' ':
			at++
			continue
		case c == '#' && v.syntax&directives != 0:
			at = lines.End(b, at)
			continue
		case v.ident[c] || c == '@' || c == '#' && !v.layout:
			at = wordEnd(v, b, at, end)
			c = 'a'
		case c == '(' || c == '[':
			at = skipBrackets(b, at, end)
		case c == '"' || c == '\'' && v.syntax&characters == 0:
			at = skipQuote(b, at, end)
			c = '"'
		case c == '/' && at+1 < end && (b[at+1] == '/' || b[at+1] == '*'):
			at = skipNote(b, at, end)
			continue
		case c == '`' && v.syntax&tickedNames != 0:
			if at = skipQuote(b, at, end); at > start+2 {
				t = append(t, tok{int32(start + 1), int32(at - 1), 'a'})
				continue
			}
		default:
			at++
		}
		t = append(t, tok{int32(start), int32(at), c})
		if c == '{' || c == ';' {
			break
		}
	}
	return t
}

var inBrackets = stopsAt(`([{)]}"`)

// skipBrackets is the offset after the bracket that closes the one at an offset.
func skipBrackets(b []byte, at, end int) int {
	depth := 0
	for b = b[:end]; at < end; at = inBrackets.next(b, at+1) {
		switch b[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 {
				return at + 1
			}
		case '"':
			at = skipQuote(b, at, end) - 1
		}
	}
	return end
}

func skipQuote(b []byte, at, end int) int {
	for i := at + 1; i < end && b[i] != '\n'; i++ {
		switch b[i] {
		case '\\':
			i++
		case b[at]:
			return i + 1
		}
	}
	return at + 1
}

func skipNote(b []byte, at, end int) int {
	line := b[at+1] == '/'
	for at += 2; at < end; at++ {
		if line && b[at] == '\n' || !line && b[at] == '/' && b[at-1] == '*' {
			return at + 1
		}
	}
	return end
}

func (w *writer) word(t tok) []byte { return w.b[t.at:t.end] }

// nameOf is the span of a token, cut to what a name may be. A quote that is not
// closed has nothing in it.
func nameOf(t tok) span { return span{t.at, int16(max(0, min(t.end-t.at, 400)))} }
