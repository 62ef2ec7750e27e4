package syntax

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// syntax determines which text between parts is only structure, which no reader
// misses in a listing.
type syntax uint8

const (
	plainText syntax = iota // white space only
	jsonText                // punctuation, and keys with their colon
	xmlText                 // tags, processing instructions, document types
	yamlText                // lines with only a key, dashes, document markers
)

const blanks = " \t\r\n\f"

func (s syntax) IsJSON() bool        { return s == jsonText }
func (s syntax) HasAttributes() bool { return s == xmlText }

// guess returns the syntax of a text without a declared type, by its first byte. A
// wrong guess adds or removes one line; every byte can still be read.
func guess(text []byte) syntax {
	switch i := skipStart(text); {
	case i == len(text):
		return plainText
	case text[i] == '{' || text[i] == '[':
		return jsonText
	case text[i] == '<':
		return xmlText
	}
	return plainText
}

// guessNested is like guess for a text inside another one, where YAML is common
// too.
func guessNested(text []byte) syntax {
	if s := guess(text); s != plainText || !beginsYAML(text) {
		return s
	}
	return yamlText
}

// guessDecoded returns the syntax of a decoded string. Unlike the link that
// Markdown may begin with, JSON begins with a complete value.
func guessDecoded(text []byte) syntax {
	s := guessNested(text)
	if s == jsonText {
		if _, err := jsonspan.ValueEnd(text, skipStart(text)); err != nil {
			return plainText
		}
	}
	return s
}

// beginsYAML reports whether the first line that is not a comment contains a key,
// a dash or a document marker.
func beginsYAML(text []byte) bool {
	for line := range bytes.Lines(text[skipStart(text):]) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if key, _, ok := bytes.Cut(line, []byte(": ")); ok && isYAMLKey(append(bytes.Clone(key), ':')) {
			return true
		}
		return bytes.HasPrefix(line, []byte("- ")) || isYAMLStructure(line)
	}
	return false
}

// skipStart returns the index of the first byte after a byte order mark and
// blanks.
func skipStart(text []byte) int {
	i := 0
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		i = 3
	}
	return jsonspan.SkipBlank(text, i)
}

// IsStructure reports whether gap contains only structure.
func (s syntax) IsStructure(gap []byte) bool {
	gap = bytes.TrimPrefix(gap, []byte("\ufeff"))
	switch s {
	case jsonText:
		return isJSONStructure(gap)
	case xmlText:
		return isXMLStructure(gap)
	case yamlText:
		return isYAMLStructure(gap)
	}
	return len(bytes.TrimLeft(gap, blanks)) == 0
}

func isJSONStructure(gap []byte) bool {
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

func isXMLStructure(gap []byte) bool {
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

func isYAMLStructure(gap []byte) bool {
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

// isYAMLKey reports whether line is one key with its colon and nothing else. An
// ambiguous line is not a key: it is listed, which costs one line.
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

// HasName reports whether a tag or attribute of XML, or a key of YAML, has this
// name. Other types have no names, or paths of their own.
func (s syntax) HasName(text []byte, name string) bool {
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
		if s.isName(before, after) {
			return true
		}
	}
	return false
}

// isName reports whether a word between these two bytes is a name.
func (s syntax) isName(before, after byte) bool {
	isOneOf := func(c byte, set string) bool { return strings.IndexByte(set, c) >= 0 }
	switch s {
	case xmlText:
		isTag := before == '<' && isOneOf(after, " \t\r\n/>")
		return isTag || after == '=' && isOneOf(before, blanks)
	case yamlText:
		return isOneOf(before, " \t\n\"'{,") && isOneOf(after, ":\"'")
	}
	return false
}
