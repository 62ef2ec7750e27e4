package textin

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/screen"
)

// Area edits a text of several lines. Lines are not wrapped.
type Area struct {
	lines  [][]rune
	row    int
	column int
	top    int
}

// NewArea returns an editor with the cursor at the start.
func NewArea(text string) *Area {
	a := &Area{}
	for _, l := range strings.Split(text, "\n") {
		a.lines = append(a.lines, []rune(l))
	}
	return a
}

// String returns the text.
func (a *Area) String() string {
	var b strings.Builder
	for i, l := range a.lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(string(l))
	}
	return b.String()
}

// Insert inserts text at the cursor.
func (a *Area) Insert(text string) {
	parts := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, p := range parts {
		if i > 0 {
			a.split()
		}
		r := []rune(p)
		a.lines[a.row] = slices.Insert(a.lines[a.row], a.column, r...)
		a.column += len(r)
	}
}

func (a *Area) split() {
	l := a.lines[a.row]
	rest := slices.Clone(l[a.column:])
	a.lines[a.row] = l[:a.column:a.column]
	a.lines = slices.Insert(a.lines, a.row+1, rest)
	a.row, a.column = a.row+1, 0
}

// join appends the next line to the line of the cursor.
func (a *Area) join() {
	a.lines[a.row] = append(a.lines[a.row], a.lines[a.row+1]...)
	a.lines = slices.Delete(a.lines, a.row+1, a.row+2)
}

// Key handles a key that is not text and reports whether it is known.
func (a *Area) Key(key string) bool {
	switch key {
	case "enter":
		a.split()
	case "tab":
		a.Insert("\t")
	case "backspace":
		a.deleteBefore()
	case "delete":
		a.deleteAt()
	default:
		return a.move(key)
	}
	return true
}

func (a *Area) deleteBefore() {
	switch {
	case a.column > 0:
		a.column--
		a.lines[a.row] = slices.Delete(a.lines[a.row], a.column, a.column+1)
	case a.row > 0:
		a.row--
		a.column = len(a.lines[a.row])
		a.join()
	}
}

func (a *Area) deleteAt() {
	switch {
	case a.column < len(a.lines[a.row]):
		a.lines[a.row] = slices.Delete(a.lines[a.row], a.column, a.column+1)
	case a.row < len(a.lines)-1:
		a.join()
	}
}

// page is the number of lines that a page key moves.
const page = 10

func (a *Area) move(key string) bool {
	switch key {
	case "up":
		a.row--
	case "down":
		a.row++
	case "pgup":
		a.row -= page
	case "pgdown":
		a.row += page
	case "left":
		a.column--
	case "right":
		a.column++
	case "home", "ctrl+a":
		a.column = 0
	case "end", "ctrl+e":
		a.column = len(a.lines[a.row])
	case "ctrl+home":
		a.row, a.column = 0, 0
	case "ctrl+end":
		a.row = len(a.lines) - 1
		a.column = len(a.lines[a.row])
	default:
		return false
	}
	a.row = min(max(a.row, 0), len(a.lines)-1)
	a.column = min(max(a.column, 0), len(a.lines[a.row]))
	return true
}

// Draw returns the lines around the cursor, and its position in them.
func (a *Area) Draw(width, height int) (lines []screen.Line, x, y int) {
	height = max(height, 1)
	a.top = min(max(a.top, a.row-height+1), a.row)
	for i := a.top; i < min(a.top+height, len(a.lines)); i++ {
		if i == a.row {
			text, column := window(a.lines[i], a.column, width)
			lines = append(lines, screen.Of(screen.Plain, text))
			x, y = column, i-a.top
			continue
		}
		text := screen.Clean(string(a.lines[i][:min(len(a.lines[i]), width+1)]))
		lines = append(lines, screen.Of(screen.Plain, screen.Short(text, width)))
	}
	return lines, x, y
}
