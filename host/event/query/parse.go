package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Parse parses a query. Empty text yields a Query that matches every event.
//
// Errors: *SyntaxError.
func Parse(text string) (*Query, error) {
	switch {
	case len(text) > MaxBytes:
		return nil, part{text, 0}.failure("query %s is too long", ": %d bytes, limit %d", len(text), MaxBytes)
	case !utf8.ValidString(text):
		return nil, invalidUTF8(text)
	}
	q := &Query{}
	for rest := (part{text, 0}).skipSpace(); rest.text != ""; rest = rest.skipSpace() {
		token, after, err := rest.cutToken()
		if err != nil {
			return nil, err
		}
		if len(q.terms) == MaxTokens {
			return nil, token.failure("too many tokens: %s is over the limit", " of %d", MaxTokens)
		}
		t, err := parseTerm(token)
		if err != nil {
			return nil, err
		}
		q.terms = append(q.terms, t)
		rest = after
	}
	return q, nil
}

func invalidUTF8(text string) error {
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			return part{text[i : i+1], i}.failure("%s is not UTF-8", "")
		}
	}
	return nil
}

// part is a part of a query and its place, in bytes from 0.
type part struct {
	text string
	at   int
}

func (p part) from(i int) part { return part{p.text[i:], p.at + i} }
func (p part) upTo(i int) part { return part{p.text[:i], p.at} }
func (p part) isQuoted() bool  { return strings.HasPrefix(p.text, `"`) }
func (p part) skipSpace() part {
	return p.from(len(p.text) - len(strings.TrimLeftFunc(p.text, unicode.IsSpace)))
}
func (p part) hasPrefix(s string) bool { return strings.HasPrefix(p.text, s) }

// cutToken cuts the first token: it ends at a space outside of quotation marks.
func (p part) cutToken() (token, rest part, err error) {
	end, err := p.end(unicode.IsSpace)
	return p.upTo(end), p.from(end), err
}

// cutValue cuts the first of several values that are separated by commas.
func (p part) cutValue() (value, rest part, more bool) {
	end, _ := p.end(func(r rune) bool { return r == ',' }) // quotation marks are in pairs, see cutToken
	if end == len(p.text) {
		return p, p.from(end), false
	}
	return p.upTo(end), p.from(end + 1), true
}

// end returns the index of the first separator outside of quotation marks.
func (p part) end(isSeparator func(rune) bool) (int, error) {
	quote := -1 // index of the opening quotation mark
	skip := false
	for i, r := range p.text {
		switch {
		case skip:
			skip = false
		case quote >= 0 && r == '\\':
			skip = true
		case r == '"' && quote < 0:
			quote = i
		case r == '"':
			quote = -1
		case quote < 0 && isSeparator(r):
			return i, nil
		}
	}
	if quote >= 0 {
		return len(p.text), p.from(quote).failure("quotation mark of %s is not closed", "")
	}
	return len(p.text), nil
}

// unquote returns the text in quotation marks, or the part itself if it has none.
func (p part) unquote() (text string, err error) {
	if !p.isQuoted() {
		if i := strings.IndexByte(p.text, '"'); i >= 0 {
			return "", p.failure("%s has a quotation mark inside", "; write it as \\\" in quotation marks")
		}
		return p.text, nil
	}
	var b strings.Builder
	for i := 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '\\' && i+1 < len(p.text) && (p.text[i+1] == '"' || p.text[i+1] == '\\'):
			i++
			b.WriteByte(p.text[i])
		case c == '"' && i+1 < len(p.text):
			return "", p.failure("%s continues after its closing quotation mark", "")
		case c == '"':
			return b.String(), nil
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// quote returns text so that unquote returns it.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// parseTerm parses one token.
func parseTerm(token part) (t term, err error) {
	rest := token
	if t.negated = token.hasPrefix("-"); t.negated {
		rest = token.from(1)
		if rest.text == "" || rest.hasPrefix("-") {
			return t, token.failure("%s negates nothing", "; quote it to search for it as text")
		}
	}
	t.test, err = parsePredicate(rest)
	return t, err
}

func parsePredicate(p part) (predicate, error) {
	colon := strings.IndexByte(p.text, ':')
	if p.isQuoted() || colon < 0 {
		return parseWord(p)
	}
	name, value := p.upTo(colon), p.from(colon+1)
	if k, ok := keys[name.text]; ok {
		if value.text == "" {
			return nil, p.failure("%s has no value", ", for example %s", k.Example)
		}
		return k.parse(name.text, value)
	}
	if _, ok := flags[name.text]; ok {
		return nil, p.failure("%s has a value", ", but %s takes none", name.text)
	}
	if s := suggest.DidYouMean(name.text, keyNames()); s != "" {
		return nil, name.failure("unknown key %s", "%s", s)
	}
	return nil, name.failure("unknown key %s", "; quote the token to search for it as text")
}

// parseWord parses a token without a key: a flag, or text to search for.
func parseWord(p part) (predicate, error) {
	if _, ok := flags[p.text]; ok {
		return flag(p.text), nil
	}
	text, err := p.unquote()
	if err == nil && text == "" {
		err = p.failure("%s is empty", "")
	}
	return newWord(text), err
}
