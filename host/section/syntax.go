package section

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// syntax is what stands between the parts of a text without being one: pure
// structure, which no reader misses in a listing.
type syntax uint8

const (
	syntaxText syntax = iota // white space only
	syntaxJSON               // punctuation, keys with their colon
	syntaxXML                // tags, processing instructions, doctype
	syntaxYAML               // lines that are only a key, dashes, document marks
)

// syntaxOf judges by the type that the stage named; false if that says nothing
// about the parts, as for "mixed".
func syntaxOf(name string) (syntax, bool) {
	switch {
	case name == "" || name == "mixed" || name == "unknown":
		return syntaxText, false
	case strings.HasPrefix(name, "json"), name == "ndjson":
		return syntaxJSON, true
	case name == "xml", name == "html", name == "svg":
		return syntaxXML, true
	case name == "yaml":
		return syntaxYAML, true
	}
	return syntaxText, true
}

// guessSyntax judges a text of which no stage named the type by its first byte.
// A wrong guess lists a line too many or too few; every byte stays reachable.
func guessSyntax(text []byte) syntax {
	switch i := skipStart(text); {
	case i == len(text):
		return syntaxText
	case text[i] == '{' || text[i] == '[':
		return syntaxJSON
	case text[i] == '<':
		return syntaxXML
	}
	return syntaxText
}

// innerSyntax judges a text inside another one, where YAML is common too.
func innerSyntax(text []byte) syntax {
	if guess := guessSyntax(text); guess != syntaxText || !beginsYAML(text) {
		return guess
	}
	return syntaxYAML
}

// beginsYAML reports whether the first line that is no comment has a key, a dash
// or a document mark.
func beginsYAML(text []byte) bool {
	for line := range bytes.Lines(text[skipStart(text):]) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if key, _, ok := bytes.Cut(line, []byte(": ")); ok && isYAMLKey(append(bytes.Clone(key), ':')) {
			return true
		}
		return bytes.HasPrefix(line, []byte("- ")) || pureYAML(line)
	}
	return false
}

// decodedSyntax judges a decoded string, for all its parts at once: JSON begins
// with a value that ends, which the link that Markdown may begin with does not.
func decodedSyntax(text []byte) syntax {
	guess := innerSyntax(text)
	if guess == syntaxJSON {
		if _, err := jsonspan.ValueEnd(text, skipStart(text)); err != nil {
			return syntaxText
		}
	}
	return guess
}

// skipStart returns the first byte behind a byte order mark and blanks.
func skipStart(text []byte) int {
	i := 0
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		i = 3
	}
	return jsonspan.SkipBlank(text, i)
}

// pure reports whether gap holds structure only.
func (s syntax) pure(gap []byte) bool {
	gap = bytes.TrimPrefix(gap, []byte("\ufeff"))
	switch s {
	case syntaxJSON:
		return pureJSON(gap)
	case syntaxXML:
		return pureXML(gap)
	case syntaxYAML:
		return pureYAML(gap)
	}
	return isBlank(gap)
}

func pureJSON(gap []byte) bool {
	for i := 0; i < len(gap); {
		switch gap[i] {
		case ' ', '\t', '\n', '\r', ',', ':', '[', ']', '{', '}':
			i++
		case '"':
			end, err := jsonspan.ValueEnd(gap, i)
			if err != nil {
				return false
			}
			i = jsonspan.SkipBlank(gap, end)
			if i == len(gap) || gap[i] != ':' {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func pureXML(gap []byte) bool {
	for {
		gap = bytes.TrimLeft(gap, " \t\r\n")
		if len(gap) == 0 {
			return true
		}
		end := markupEnd(gap)
		if end < 0 {
			return false
		}
		gap = gap[end:]
	}
}

// markupEnd returns where the tag, instruction or document type at b[0] ends; -1 if
// there is none. A comment and CDATA say something, and so may what else stands in
// angle brackets.
func markupEnd(b []byte) int {
	const doctype = "<!doctype"
	switch {
	case len(b) < len("<a>") || b[0] != '<':
	case b[1] == '?':
		if end := bytes.IndexByte(b, '>'); isNameStart(b[2]) && end > 0 && b[end-1] == '?' {
			return end + 1
		}
	case isNameStart(b[1]), b[1] == '/' && isNameStart(b[2]), len(b) > len(doctype) && bytes.EqualFold(b[:len(doctype)], []byte(doctype)):
		return tagEnd(b)
	}
	return -1
}

// isNameStart reports whether the name of a tag may begin with c.
func isNameStart(c byte) bool { return c|0x20-'a' < 26 || c == '_' || c == ':' || c >= 0x80 }

// tagEnd returns where the tag at b[0] ends, quoted values and the bracketed
// part of a doctype passed over; -1 if it does not.
func tagEnd(b []byte) int {
	depth := 0
	for i := 1; i < len(b); i++ {
		switch c := b[i]; c {
		case '"', '\'':
			n := bytes.IndexByte(b[i+1:], c)
			if n < 0 {
				return -1
			}
			i += n + 1
		case '[':
			depth++
		case ']':
			depth--
		case '<':
			if depth <= 0 {
				return -1
			}
		case '>':
			if depth <= 0 {
				return i + 1
			}
		}
	}
	return -1
}

func pureYAML(gap []byte) bool {
	for line := range bytes.Lines(gap) {
		line = bytes.TrimLeft(bytes.TrimRight(line, " \t\r\n"), " \t")
		for len(line) > 0 && line[0] == '-' && (len(line) == 1 || line[1] == ' ') {
			line = bytes.TrimLeft(line[1:], " \t")
		}
		if len(line) > 0 && !isYAMLKey(line) && string(line) != "---" && string(line) != "..." {
			return false
		}
	}
	return true
}

// isYAMLKey reports whether line is one key with its colon and nothing behind.
// What could be read in two ways is none: it is then listed, which costs a line.
func isYAMLKey(line []byte) bool {
	key, ok := bytes.CutSuffix(line, []byte(":"))
	if !ok || len(key) == 0 || bytes.Contains(key, []byte(": ")) {
		return false
	}
	if q := key[0]; q == '"' || q == '\'' {
		last := len(key) - 1
		return last > 0 && key[last] == q && !bytes.ContainsAny(key[1:last], string(q)+`\`)
	}
	return !bytes.ContainsAny(key[:1], "{}[],-\f\v\r") && !bytes.ContainsAny(key, `#":`)
}

// calls reports whether something in a text is called name: in XML a tag or an
// attribute, in YAML a key. What the other types hold has no names, or paths of
// its own.
func (s syntax) calls(text []byte, name string) bool {
	for at := 0; name != ""; at++ {
		next := bytes.Index(text[at:], []byte(name))
		if next < 0 {
			return false
		}
		at += next
		before, after := byte('\n'), byte(0)
		if at > 0 {
			before = text[at-1]
		}
		if end := at + len(name); end < len(text) {
			after = text[end]
		}
		switch tag := before == '<' && strings.IndexByte(" \t\r\n/>", after) >= 0; {
		case s == syntaxXML && (tag || after == '=' && strings.IndexByte(blanks, before) >= 0):
			return true
		case s == syntaxYAML && strings.IndexByte(" \t\n\"'{,", before) >= 0 && strings.IndexByte(":\"'", after) >= 0:
			return true
		}
	}
	return false
}
