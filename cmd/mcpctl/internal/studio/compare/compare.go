// Package compare shows the difference of two untrusted texts as rows of a screen: by lines with the
// changed words marked, or by path if both texts are JSON.
package compare

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/screen"
)

const (
	contextLines = 3
	maxRows      = 20_000
	maxBytes     = 8 << 20 // of both texts
)

// Texts returns the difference of two texts, by path if both are JSON.
func Texts(before, after string) []screen.Row {
	switch {
	case before == after:
		return note("no difference")
	case len(before)+len(after) > maxBytes:
		return note(fmt.Sprintf("%d and %d bytes are too many to compare", len(before), len(after)))
	}
	rows, ok := JSON(before, after)
	if !ok {
		rows = Lines(before, after)
	}
	if len(rows) > maxRows {
		rows = append(rows[:maxRows:maxRows], note(fmt.Sprintf("%d more lines", len(rows)-maxRows))...)
	}
	return rows
}

func note(text string) []screen.Row { return []screen.Row{{Text: text, Style: screen.Dim}} }

// Lines returns the removed and added lines of two texts, with context.
func Lines(before, after string) []screen.Row {
	if !strings.HasSuffix(before, "\n") && !strings.HasSuffix(after, "\n") {
		before, after = before+"\n", after+"\n"
	}
	d, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), contextLines)
	if err != nil { // only for edits that do not belong to the text
		return note(screen.Clean(err.Error()))
	}
	var rows []screen.Row
	next := 1 // the line after the last hunk
	for _, h := range d.Hunks {
		if n := h.FromLine - next; n > 0 {
			rows = append(rows, note(equalLines(n))...)
		}
		rows = append(rows, hunk(h)...)
		next = h.FromLine
		for _, l := range h.Lines {
			if l.Kind != udiff.Insert {
				next++
			}
		}
	}
	if n := strings.Count(strings.TrimSuffix(before, "\n"), "\n") + 2 - next; n > 0 {
		rows = append(rows, note(equalLines(n))...)
	}
	return rows
}

func equalLines(n int) string {
	if n == 1 {
		return "... 1 equal line"
	}
	return fmt.Sprintf("... %d equal lines", n)
}

// hunk returns the rows of a hunk. A run of removed lines is compared word by word with the
// run of added lines that follows it.
func hunk(h *udiff.Hunk) (rows []screen.Row) {
	var removed, added []string
	flush := func() {
		rows = append(rows, changedLines(removed, added)...)
		removed, added = nil, nil
	}
	for _, l := range h.Lines {
		text := visible(l.Content)
		switch l.Kind {
		case udiff.Delete:
			if len(added) > 0 {
				flush()
			}
			removed = append(removed, text)
		case udiff.Insert:
			added = append(added, text)
		default:
			flush()
			rows = append(rows, screen.Row{Text: "  " + text})
		}
	}
	flush()
	return rows
}

// visible cleans a line and marks the absence of a line end.
func visible(line string) string {
	text, ended := strings.CutSuffix(line, "\n")
	text = screen.Clean(text)
	if !ended {
		text += " (no line end)"
	}
	return text
}

// changedLines pairs removed and added lines in order.
func changedLines(removed, added []string) []screen.Row {
	out := make([]screen.Row, 0, len(removed)+len(added))
	plus := make([]screen.Row, 0, len(added))
	for i, a := range removed {
		row := screen.Row{Text: "- " + shorten(a), Style: screen.Red}
		if i < len(added) {
			var other screen.Row
			row, other = changedLine(a, added[i])
			plus = append(plus, other)
		}
		out = append(out, row)
	}
	for _, b := range added[len(plus):] {
		plus = append(plus, screen.Row{Text: "+ " + shorten(b), Style: screen.Green})
	}
	return append(out, plus...)
}

// maxLine is the length of a line that is shown whole although it was replaced or has no
// counterpart. A result in one line would otherwise hide what replaced it.
const maxLine = 2000

func shorten(line string) string {
	if len(line) <= maxLine {
		return line
	}
	from, to := maxLine/2, len(line)-maxLine/4
	for !utf8.RuneStart(line[from]) {
		from--
	}
	for !utf8.RuneStart(line[to]) {
		to++
	}
	return line[:from] + fmt.Sprintf(" … %d bytes … ", to-from) + line[to:]
}

// changedLine returns the rows of a line before and after, with the words marked that differ.
func changedLine(before, after string) (minus, plus screen.Row) {
	a, b := words(before, after)
	if a == nil && b == nil {
		before, after = shorten(before), shorten(after)
	}
	return screen.Row{Text: "- " + before, Style: screen.Red, Marks: a}, screen.Row{Text: "+ " + after, Style: screen.Green, Marks: b}
}
