package syntax

import (
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
// bytes, or -1. The lines of blocks around it that contain nothing else may precede it.
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

// endOfBlock returns the end of the block that begins on the first line: the start of the first
// line after the block, or end if the block has all lines. A comment that is not indented
// deeper is part of the following block.
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
