package syntax

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
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
	indent     int
	level      int  // column of the key after the dashes of items, or the number of signs of a heading
	isItem     bool // it begins with a dash
	isText     bool // a comment or no heading; it ends no block
	name       string
}

// Blocks returns the spans of the blocks of text with this name: a key with the lines that are
// indented deeper, or a heading with the text up to the next one of its level or above. Of
// nested blocks with the name only those of the outermost level are returned, at most limit.
// It returns none if the syntax declares no blocks, and does not return the whole text.
func (s *Syntax) Blocks(text []byte, name string, limit int) (spans [][2]int) {
	if s.blocks == "" || name == "" || len(name) > maxName {
		return nil
	}
	lines := s.readLines(text)
	for len(lines) > 0 && lines[0].isText {
		lines = lines[1:]
	}
	if len(lines) > 0 && !lines[0].isItem && s.endOfBlock(lines, len(text)) == len(text) {
		lines = lines[1:] // text is one block, and its name is that of the text
	}
	outermost := -1
	for _, l := range lines {
		if s.isNamed(l, name) && (outermost < 0 || l.level < outermost) {
			outermost = l.level
		}
	}
	for i, l := range lines {
		if len(spans) < limit && l.level == outermost && s.isNamed(l, name) {
			spans = append(spans, [2]int{l.start, s.endOfBlock(lines[i:], len(text))})
		}
	}
	return spans
}

// BlockItem returns the span of an item of the list that text contains, counted from 0. ok is
// false if the syntax has no lists, or text is itself an item.
func (s *Syntax) BlockItem(text []byte, n int) (span [2]int, ok bool) {
	if s.blocks != blocksByIndentation {
		return span, false
	}
	lines := s.readLines(text)
	first := slices.IndexFunc(lines, func(l line) bool { return l.isItem })
	if first <= 0 {
		return span, false
	}
	column := lines[first].indent
	for i, l := range lines[first:] {
		switch {
		case l.indent < column, l.indent == column && !l.isItem && !l.isText:
			return span, false
		case l.indent > column || l.isText:
		case n > 0:
			n--
		default:
			item := lines[first+i:]
			item[0].level = column
			if next := slices.IndexFunc(item[1:], func(l line) bool { return l.isItem && l.indent == column }); next >= 0 {
				return [2]int{l.start, s.endOfBlock(item[:next+1], item[next+1].start)}, true
			}
			return [2]int{l.start, s.endOfBlock(item, len(text))}, true
		}
	}
	return span, false
}

func (s *Syntax) isNamed(l line, name string) bool {
	if l.isText || l.name == "" {
		return false
	}
	return l.name == name || s.blocks == blocksByHeading && abi.Slug(l.name) == abi.Slug(name) && abi.Slug(name) != ""
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

// readLines returns the lines of text that are not blank.
func (s *Syntax) readLines(text []byte) (lines []line) {
	fence := ""
	for at := 0; at < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		body := strings.TrimRight(string(text[at:end]), " \t\r\n")
		if body != "" {
			l := line{start: at, end: end, indent: len(body) - len(strings.TrimLeft(body, " "))}
			if s.blocks == blocksByHeading {
				l.readHeading(body, &fence)
			} else {
				l.readKey(body)
			}
			lines = append(lines, l)
		}
		at = end
	}
	return lines
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
	l.isText, l.level = false, level
	l.name = strings.Trim(strings.TrimRight(strings.TrimSpace(title), "#"), " \t")
}

// readKey reads a line of YAML.
func (l *line) readKey(body string) {
	l.level = l.indent
	text := body[l.level:]
	for text == "-" || strings.HasPrefix(text, "- ") {
		l.isItem = true
		rest := strings.TrimLeft(text[1:], " ")
		l.level += len(text) - len(rest)
		text = rest
	}
	if text == "" || text[0] == '#' {
		l.isText = !l.isItem
		return
	}
	name, rest, ok := strings.Cut(text, ":")
	if quote := text[0]; quote == '"' || quote == '\'' {
		end := strings.IndexByte(text[1:], quote)
		if end < 0 {
			return
		}
		name, rest, ok = text[1:1+end], strings.TrimPrefix(text[2+end:], ":"), strings.HasPrefix(text[2+end:], ":")
	}
	if ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
		l.name = strings.TrimRight(name, " ")
	}
}
