package main

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// secretNames are suffixes of names of secrets. A suffix that does not begin with - _ or
// . is compared without these characters and blanks.
var secretNames = []string{
	"password", "passwords", "passwd", "passphrase", "pwd", "_pass", ".pass", "-pass", "secret", "secrets", "token", "credential", "credentials",
	"authorization", "apikey", "accesskey", "secretkey", "privatekey", "signingkey", "encryptionkey", "masterkey", "accountkey",
}

// stayNames are the names of values to keep, unless the config has others.
var stayNames = []string{"page_token", "next_token", "continuation_token", "sync_token"}

// What does not depend on the config is computed once, when the module starts, and not in
// each call.
var standardNames, standardStay = newNames(secretNames), newNames(stayNames)

const passwordMark = "[redacted password]"

// findValues finds secrets by their names: password=x, "password": "x", <password>x<,
// --password x. Names have many forms, and a pattern that does not begin with plain text
// is slow, so this rule reads a copy of the content once.
func findValues(c *stage.Ctx) []finding {
	v := reader{text: c.Input.String(), names: standardNames, stay: standardStay}
	if more := c.Strings("names"); len(more) > 0 {
		v.names = newNames(slices.Concat(secretNames, more))
	}
	if stay := c.Strings("keepNames", stayNames...); !slices.Equal(stay, stayNames) {
		v.stay = newNames(stay)
	}
	v.escaped = c.Input.JSON().Valid()
	var found []finding
	for at := 0; at < len(v.text); at++ {
		switch v.text[at] {
		case ':', '=', '>':
		case '-':
			if !strings.HasPrefix(v.text[at:], "--") {
				continue
			}
		default:
			continue
		}
		if f, ok := v.readAt(at); ok && !isHarmless(v.text[f.Start:f.End]) {
			found = append(found, f)
			at = max(at, f.End-1)
		}
	}
	return found
}

// reader finds values in a text.
type reader struct {
	text        string
	names, stay *names
	escaped     bool // the text is JSON: a line may end in the two characters \n
}

// readAt returns the value of a name before a sign or after two dashes.
func (r *reader) readAt(sign int) (finding, bool) {
	start, name, nameQuote := sign, "", ""
	dashes := r.text[sign] == '-'
	if dashes {
		name, _, _ = strings.Cut(r.text[sign:min(sign+maxName, len(r.text))], " ")
	} else {
		start, name, nameQuote = findName(r.text, sign)
	}
	if !r.names.endsWithName(name) || r.stay.endsWithName(name) {
		return finding{}, false
	}
	at := len(r.text) - len(strings.TrimLeft(r.text[sign:], " \t:=>"))
	if dashes {
		at = min(sign+len(name)+1, len(r.text))
	}
	quote, rest := cutQuote(r.text[at:])
	at = len(r.text) - len(trimScheme(rest))
	f := finding{stage.Span{Start: at}, passwordMark}
	rest = r.text[at:]
	block, indent := findYAMLBlock(r.text[sign:])
	switch {
	case quote != "": // up to the closing quote
		f.End = at + findClosing(rest, quote, r.escaped)
	case nameQuote != "": // a number or a list of JSON; the replacement is a string
		f.End = at + bareEnd(rest)
		f.mark = nameQuote + f.mark + nameQuote
	case block > 0:
		f.Start, f.End = sign+indent, sign+block
	case r.isLineStart(start):
		f.End = at + r.valueEnd(rest, "")
	default:
		f.End = at + r.valueEnd(rest, " \t;&<\"'`")
	}
	return f, true
}

// maxName is the maximum length of a name.
const maxName = 64

// findName returns the name before a sign, which is one word or "API key", and its quote.
func findName(text string, sign int) (start int, name, quote string) {
	s := strings.TrimRight(text[max(0, sign-maxName):sign], " \t*`")
	if bare := strings.TrimRight(s, `"'`); bare != s {
		bare = strings.TrimRight(bare, `\`)
		s, quote = bare, s[len(bare):]
	}
	i := len(strings.TrimRightFunc(s, isName))
	if i > 0 && s[i-1] == ' ' && strings.EqualFold(s[i:], "key") {
		i = len(strings.TrimRightFunc(s[:i-1], isName))
	}
	return max(0, sign-maxName) + i, s[i:], quote
}

func isName(r rune) bool {
	return r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// trimScheme returns a value without the scheme of an Authorization header.
func trimScheme(s string) string {
	for _, scheme := range []string{"bearer ", "basic ", "digest ", "token "} {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return s[len(scheme):]
		}
	}
	return s
}

// findYAMLBlock returns the end and the start of the text of a YAML block if s begins with the
// sign of one, and 0 otherwise.
func findYAMLBlock(s string) (end, start int) {
	line, rest, _ := strings.Cut(s, "\n")
	if line = strings.TrimLeft(line[1:], " \t"); line == "" || strings.Trim(line, "|>-+0123456789 \t\r") != "" || line[0] != '|' && line[0] != '>' {
		return 0, 0
	}
	indent := rest[:len(rest)-len(strings.TrimLeft(rest, " "))]
	end = len(s) - len(rest)
	start = end + len(indent)
	for line := range strings.Lines(rest) {
		if indent == "" || !strings.HasPrefix(line, indent) && strings.TrimSpace(line) != "" {
			break
		}
		end += len(line)
	}
	return max(end-1, start), start
}

// cutQuote splits a quote with its backslashes from the start of s.
func cutQuote(s string) (quote, rest string) {
	n := len(s) - len(strings.TrimLeft(s, `\`))
	if n < len(s) && (s[n] == '"' || s[n] == '\'') {
		return s[:n+1], s[n+1:]
	}
	return "", s
}

// findClosing returns the position at which a quote or an enclosing one is closed, at the
// latest before a blank line. A quote with k backslashes is closed by one with k, 3k+2,
// 5k+4...; all others are escaped. Enclosing quotes have (k-1)/2 backslashes, and so on
// down to 0.
func findClosing(s, quote string, escaped bool) int {
	run := 0
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			run++
			continue
		}
		if s[i] == quote[len(quote)-1] || escaped && s[i] == '"' {
			for k := 0; k < len(quote); k = 2*k + 1 {
				if run%(2*k+2) == k && !isDoubled(s, i, quote, escaped) {
					return i - k
				}
			}
			if isDoubled(s, i, quote, escaped) {
				i++
			}
		}
		if strings.HasPrefix(s[i:], "\n\n") {
			return i
		}
		run = 0
	}
	return len(s)
}

// isDoubled reports whether a quote in s is one of two that stand for one, as in YAML.
func isDoubled(s string, i int, quote string, escaped bool) bool {
	return !escaped && len(quote) == 1 && i > 0 && strings.HasPrefix(s[i+1:], quote)
}

// bareEnd returns the end of a JSON value that is not a string. It is 0 for an object, whose
// names are checked one by one.
func bareEnd(s string) int {
	if strings.HasPrefix(s, "{") {
		return 0
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		if quote, rest := cutQuote(s[i:]); quote != "" {
			i += 2*len(quote) + findClosing(rest, quote, true) - 1
			continue
		}
		switch s[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth < 0 {
				return i
			} else if depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\\':
			if depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// valueEnd returns the end of a value without quotes: the end of its line, or a stop character.
func (r *reader) valueEnd(s string, stops string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\n', strings.IndexByte(stops, s[i]) >= 0, r.escaped && s[i] == '"':
			return i
		case stops != "" && (strings.HasPrefix(s[i:], ", ")):
			return i
		case r.escaped && s[i] == '\\' && i+1 < len(s):
			if strings.IndexByte(`nrt"`, s[i+1]) >= 0 {
				return i
			}
			i++
		}
	}
	return len(s)
}

// isLineStart reports whether a name is the first word of its line, so that its value may
// have blanks.
func (r *reader) isLineStart(at int) bool {
	before := strings.TrimRight(r.text[:at], " \t-*>#")
	if before == "" || strings.HasSuffix(before, "\n") {
		return true
	}
	if !r.escaped {
		return false
	}
	// In JSON a line starts after \n, and the n may have been read as a part of the name.
	return strings.HasSuffix(before, `"`) || strings.HasSuffix(before, `\n`) || strings.HasSuffix(before, `\`) && r.text[at] == 'n'
}

// isHarmless reports whether a value is not a secret: an empty value, a placeholder, the
// mark of a redactor, or a rule about it.
func isHarmless(v string) bool {
	v = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(v), ","))
	word, _, _ := strings.Cut(v, " ")
	switch strings.ToLower(v) {
	case "", "null", "none", "nil", "true", "false", "~":
		return true
	}
	switch word {
	case "MUST", "REQUIRED", "NEVER", "SHOULD":
		return true
	}
	return strings.Trim(v, "*") == "" || isEnclosed(v, "${", "}") || isEnclosed(v, "{{", "}}") || isEnclosed(v, "[redacted ", "]")
}

// isEnclosed reports whether s is one text between two others.
func isEnclosed(s, before, after string) bool {
	return strings.HasPrefix(s, before) && strings.HasSuffix(s, after) && strings.Count(s, after) == 1
}

// names are suffixes of names in lower case, without the characters that plain removes
// unless they begin with one.
type names struct {
	ends []string
	last [256]bool // last letters of the suffixes, to reject most names quickly
}

func newNames(some []string) *names {
	n := new(names)
	for _, one := range some {
		if one = strings.ToLower(one); one == "" {
			continue
		}
		if strings.IndexByte("_.-", one[0]) < 0 {
			one = plain.Replace(one)
		}
		end := one[len(one)-1:]
		n.last[end[0]], n.last[strings.ToUpper(end)[0]] = true, true
		n.ends = append(n.ends, one)
	}
	return n
}

// endsWithName reports whether a name has one of the suffixes in any notation.
func (n *names) endsWithName(name string) bool {
	if name == "" || !n.last[name[len(name)-1]] {
		return false
	}
	name = strings.ToLower(name)
	short := plain.Replace(name)
	for _, one := range n.ends {
		if strings.HasSuffix(short, one) || strings.HasSuffix(name, one) {
			return true
		}
	}
	return false
}

var plain = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")
