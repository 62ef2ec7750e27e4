package syntax

import (
	"bytes"
	"encoding/json"
	"strings"
)

// line is a line of a text with blocks that may begin or end one.
type line struct {
	start, end int // with its line break
	indent     int // column of its first character
	level      int // column of the key after the dashes of items, or the number of signs of a heading
	rank       int // level, but of a key after a dash as if one blank were between
	isItem     bool
	inner      int    // of an item: the column of a second dash, or 0
	isText     bool   // a comment, a line of a long text, or no heading; it ends no block
	name       string // of the key or heading
	value      string // after the key or the dashes
}

// readLines returns the lines of text that are not blank, from the first one that is no comment.
func (s *Syntax) readLines(text []byte, column int) (lines []line) {
	fence, long := "", longText{owner: -1}
	for at := 0; at < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if body := strings.TrimRight(string(text[at:end]), " \t\r\n"); body != "" {
			l := line{start: at, end: end, indent: len(body) - len(strings.TrimLeft(body, " "))}
			if at == 0 {
				body = strings.Repeat(" ", column) + body
				l.indent += column
			}
			switch {
			case s.blocks == blocksByHeading:
				l.readHeading(body, &fence)
			case long.contains(body, l.indent):
				l.isText = true
			default:
				l.readKey(body)
				long.begin(&l)
			}
			if len(lines) > 0 || !l.isText {
				lines = append(lines, l)
			}
		}
		at = end
	}
	return lines
}

// longText is a value of YAML on several lines that are no keys.
type longText struct {
	owner int  // column that its lines are deeper than; -1: none is open
	quote byte // with which it ends, or 0
}

// begin opens the text that the value of a line begins.
func (t *longText) begin(l *line) {
	value := l.value
	for value != "" && (value[0] == '&' || value[0] == '!') {
		_, value, _ = strings.Cut(value, " ")
		value = strings.TrimLeft(value, " ")
	}
	switch {
	case value == "":
	case value[0] == '|' || value[0] == '>':
		t.owner = l.level
		if l.name == "" {
			t.owner = l.indent
		}
	case value[0] == '"' || value[0] == '\'':
		if indexOfQuote(value[1:], value[0]) < 0 {
			t.quote = value[0]
		}
	}
}

// contains reports whether a line belongs to the open text, and closes it at its end.
func (t *longText) contains(body string, indent int) bool {
	if t.quote != 0 {
		if indexOfQuote(body, t.quote) >= 0 {
			t.quote = 0
		}
		return true
	}
	if t.owner >= 0 && indent > t.owner {
		return true
	}
	t.owner = -1
	return false
}

// indexOfQuote returns the index of the quote that ends a text in quotes, or -1. text begins
// after the first quote.
func indexOfQuote(text string, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote && quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i
		}
	}
	return -1
}

// readHeading reads a line of Markdown. fence is that of the open code block, or "".
func (l *line) readHeading(body string, fence *string) {
	text := strings.TrimLeft(body, " ")
	l.isText = true
	for _, mark := range [...]string{"```", "~~~"} {
		if strings.HasPrefix(text, mark) && (*fence == "" || *fence == mark) {
			if *fence == "" {
				*fence = mark
			} else {
				*fence = ""
			}
			return
		}
	}
	const maxLevel = 6
	title := strings.TrimLeft(text, "#")
	level := len(text) - len(title)
	if *fence != "" || level == 0 || level > maxLevel || title != "" && title[0] != ' ' && title[0] != '\t' {
		return
	}
	l.isText, l.level, l.rank = false, level, level
	l.name = strings.Trim(strings.TrimRight(strings.TrimSpace(title), "#"), " \t")
}

// readKey reads a line of YAML.
func (l *line) readKey(body string) {
	l.level = l.indent
	text := body[l.level:]
	for text == "-" || strings.HasPrefix(text, "- ") {
		if l.isItem && l.inner == 0 {
			l.inner = l.level
		}
		l.isItem = true
		rest := strings.TrimLeft(text[1:], " ")
		l.rank = l.level + 2
		l.level += len(text) - len(rest)
		text = rest
	}
	if !l.isItem {
		l.rank = l.level
	}
	l.value = text
	if text == "" || text[0] == '#' {
		l.isText = !l.isItem
		return
	}
	name, rest, ok := cutKey(text)
	if ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
		l.name, l.value = name, strings.TrimLeft(rest, " \t")
	}
}

// cutKey cuts a line of YAML before and after the colon of its key. The name is decoded.
func cutKey(text string) (name, rest string, ok bool) {
	quote := text[0]
	if quote != '"' && quote != '\'' {
		end := strings.Index(text, ": ")
		if end < 0 && strings.HasSuffix(text, ":") {
			end = len(text) - 1
		}
		if end < 0 {
			return "", "", false
		}
		return strings.TrimRight(text[:end], " "), text[end+1:], true
	}
	end := 1 + indexOfQuote(text[1:], quote)
	if end == 0 {
		return "", "", false
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(text[end+1:], " "), ":")
	return decodeKey(text[:end+1]), rest, ok
}

// decodeKey returns the text of a key in quotes.
func decodeKey(quoted string) string {
	inner := quoted[1 : len(quoted)-1]
	if quoted[0] == '\'' {
		return strings.ReplaceAll(inner, "''", "'")
	}
	var text string
	if json.Unmarshal([]byte(quoted), &text) == nil {
		return text
	}
	return inner
}
