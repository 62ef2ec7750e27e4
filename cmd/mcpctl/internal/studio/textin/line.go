// Package textin contains two small editors: Line for one row of text, Area for a text that is
// corrected in place. They hold the exact text and draw a clean one.
package textin

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/screen"
)

// Line edits one row of text.
type Line struct {
	text []rune
	at   int
}

// NewLine returns an editor with the cursor behind text.
func NewLine(text string) *Line {
	r := []rune(text)
	return &Line{r, len(r)}
}

// String returns the text.
func (l *Line) String() string { return string(l.text) }

// Insert inserts text at the cursor. Line ends become blanks.
func (l *Line) Insert(text string) {
	r := []rune(strings.NewReplacer("\r", "", "\n", " ").Replace(text))
	l.text = slices.Insert(l.text, l.at, r...)
	l.at += len(r)
}

// Key handles a key that is not text and reports whether it is known.
func (l *Line) Key(key string) bool {
	switch key {
	case "left":
		l.at = max(l.at-1, 0)
	case "right":
		l.at = min(l.at+1, len(l.text))
	case "home", "ctrl+a":
		l.at = 0
	case "end", "ctrl+e":
		l.at = len(l.text)
	case "backspace":
		if l.at > 0 {
			l.at--
			l.text = slices.Delete(l.text, l.at, l.at+1)
		}
	case "delete":
		if l.at < len(l.text) {
			l.text = slices.Delete(l.text, l.at, l.at+1)
		}
	case "ctrl+u":
		l.text = l.text[l.at:]
		l.at = 0
	case "ctrl+w":
		from := l.at
		for l.at > 0 && l.text[l.at-1] == ' ' {
			l.at--
		}
		for l.at > 0 && l.text[l.at-1] != ' ' {
			l.at--
		}
		l.text = slices.Delete(l.text, l.at, from)
	default:
		return false
	}
	return true
}

// Draw returns the part of the text around the cursor, and the column of the cursor.
func (l *Line) Draw(width int) (text string, column int) {
	return window(l.text, l.at, width)
}

// window returns the part of a row around the cursor that fits into width.
func window(row []rune, at, width int) (text string, column int) {
	width = max(width, 1)
	from := at
	for used := 1; from > 0; from-- { // the cursor needs a cell
		if used += screen.Width(screen.Clean(string(row[from-1]))); used > width {
			break
		}
	}
	before := screen.Clean(string(row[from:at]))
	for screen.Width(before) >= width && from < at { // tabs and escapes are wider than their parts
		from++
		before = screen.Clean(string(row[from:at]))
	}
	rest := row[at:min(len(row), at+width)]
	text, _ = screen.Cut(before+screen.Clean(string(rest)), width)
	return text, min(screen.Width(before), width-1)
}
