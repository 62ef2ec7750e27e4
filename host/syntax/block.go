package syntax

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/host/heading"
)

// Values of the key blocks of a declaration.
const (
	blocksByIndentation = "indentation"
	blocksByHeading     = "#"
)

func checkBlocks(value string) error {
	if value != "" && value != blocksByIndentation && value != blocksByHeading {
		return fmt.Errorf("blocks: %q, want %q or %q", value, blocksByIndentation, blocksByHeading)
	}
	return nil
}

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

// Blocks returns the spans of the blocks of text with this name: a key with the lines that are
// indented deeper, or a heading with the text up to the next one of its level or above. Of
// nested blocks with the name only those of the outermost level are returned, at most limit.
// It returns none if the syntax declares no blocks, and does not return the whole text.
//
// column is that of the first byte in its line, and own is the name of the text, or "".
func (s *Syntax) Blocks(text []byte, column int, own, name string, limit int) (spans [][2]int) {
	const maxBlockName = 1000
	if s.blocks == "" || name == "" || len(name) > maxBlockName {
		return nil
	}
	lines := s.readLines(text, column)
	if at := s.indexOfOwn(lines, len(text), own); at >= 0 {
		lines = lines[at+1:]
	}
	isNamed := s.matchName(name)
	outermost := -1
	for _, l := range lines {
		if (outermost < 0 || l.rank < outermost) && isNamed(l) {
			outermost = l.rank
		}
	}
	for i, l := range lines {
		if len(spans) < limit && l.rank == outermost && isNamed(l) {
			spans = append(spans, [2]int{l.start, s.endOfBlock(lines[i:], len(text))})
		}
	}
	return spans
}

// BlockItem returns the span of an item of the list that is the value of text, counted from 0:
// of a key, or of an item. known is false if the syntax has no lists or the value is on the
// line of the key, where it may be a list in brackets. column and own are as in Blocks.
func (s *Syntax) BlockItem(text []byte, column int, own string, n int) (span [2]int, ok, known bool) {
	if s.blocks != blocksByIndentation {
		return span, false, false
	}
	lines := s.readLines(text, column)
	if len(lines) == 0 {
		return span, false, true
	}
	lines = lines[max(s.indexOfOwn(lines, len(text), own), 0):]
	first := lines[0]
	list := lines[1:]
	if first.inner > 0 { // - - a
		nested := first
		nested.start += first.inner - first.indent
		nested.indent = first.inner
		list = append([]line{nested}, list...)
	}
	for len(list) > 0 && list[0].isText {
		list = list[1:]
	}
	if first.inner == 0 && hasInlineValue(first.value) {
		return span, false, false
	}
	if len(list) == 0 || !list[0].isItem || list[0].indent < first.indent || first.inner == 0 && first.name != "" && list[0].indent < first.level {
		return span, false, true
	}
	starts := itemsAt(list, list[0].indent)
	if n >= len(starts)-1 {
		return span, false, true
	}
	item := list[starts[n]:starts[n+1]]
	item[0].level = item[0].indent
	end := len(text)
	if starts[n+1] < len(list) {
		end = list[starts[n+1]].start
	}
	return [2]int{item[0].start, s.endOfBlock(item, end)}, true, true
}

// indexOfOwn returns the index of the line with the name of a text that is one block of size
// bytes, or -1. The
// lines of blocks around it that contain nothing else may precede it.
func (s *Syntax) indexOfOwn(lines []line, size int, name string) int {
	own := -1
	for i := range lines {
		if lines[i].isItem || lines[i].isText || s.endOfBlock(lines[i:], size) < size {
			break
		}
		if lines[i].name == name {
			return i
		}
		own = 0
	}
	return own
}

// itemsAt returns the indexes of the lines that begin an item in a column, up to the end of
// the list, and that end.
func itemsAt(lines []line, column int) (starts []int) {
	for i, l := range lines {
		switch {
		case l.isText || l.indent > column:
		case l.indent == column && l.isItem:
			starts = append(starts, i)
		default:
			return append(starts, i)
		}
	}
	return append(starts, len(lines))
}

// hasInlineValue reports whether a value is more than an anchor, a tag or a comment, which
// precede the lines of a value.
func hasInlineValue(value string) bool {
	for value != "" && strings.IndexByte("&!#", value[0]) >= 0 {
		if value[0] == '#' {
			return false
		}
		_, value, _ = strings.Cut(value, " ")
		value = strings.TrimLeft(value, " ")
	}
	return value != ""
}

// matchName returns a function that reports whether a line begins a block with this name.
func (s *Syntax) matchName(name string) func(l line) bool {
	if s.blocks != blocksByHeading {
		return func(l line) bool { return !l.isText && l.name == name }
	}
	return func(l line) bool { return !l.isText && l.name != "" && heading.Matches(l.name, name) }
}

// endOfBlock returns the end of the block that begins on the first line: the start of the next
// line that is not in it, or end. A comment that is not indented belongs to what follows it.
func (s *Syntax) endOfBlock(lines []line, end int) int {
	first, comment := lines[0], -1
	for _, l := range lines[1:] {
		isInside := l.indent > first.level || l.isItem && l.indent == first.level // a list may be in the column of its key
		if s.blocks == blocksByHeading {
			isInside = l.isText || l.level > first.level
		}
		switch {
		case isInside:
			comment = -1
		case !l.isText && comment < 0:
			return l.start
		case !l.isText:
			return comment
		case comment < 0:
			comment = l.start
		}
	}
	if comment >= 0 {
		return comment
	}
	return end
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
		if !isClosed(value[1:], value[0]) {
			t.quote = value[0]
		}
	}
}

// contains reports whether a line belongs to the open text, and closes it at its end.
func (t *longText) contains(body string, indent int) bool {
	if t.quote != 0 {
		if isClosed(body, t.quote) {
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

// isClosed reports whether a text in quotes ends in a line.
func isClosed(text string, quote byte) bool {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote && quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return true
		}
	}
	return false
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
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote && quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			rest, ok = strings.CutPrefix(strings.TrimLeft(text[i+1:], " "), ":")
			return decodeKey(text[:i+1]), rest, ok
		}
	}
	return "", "", false
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
