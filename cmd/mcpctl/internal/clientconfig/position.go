package clientconfig

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Locator converts byte offsets to positions. Ascending offsets cost one pass over the text in
// total.
// A Locator is not safe for concurrent use.
type Locator struct {
	text []byte

	offset, line, column int // of the last position, from 0
}

// NewLocator returns a Locator at the beginning of text.
func NewLocator(text []byte) *Locator { return &Locator{text: text} }

// Position returns "line:column" of a byte offset. Both count from 1; columns count characters.
func (l *Locator) Position(offset int) string {
	offset = min(offset, len(l.text))
	if offset < l.offset {
		*l = Locator{text: l.text}
	}
	passed := l.text[l.offset:offset]
	if n := bytes.Count(passed, []byte("\n")); n > 0 {
		l.line, l.column = l.line+n, 0
		passed = passed[bytes.LastIndexByte(passed, '\n')+1:]
	}
	l.column += utf8.RuneCount(passed)
	l.offset = offset
	return fmt.Sprintf("%d:%d", l.line+1, l.column+1)
}
