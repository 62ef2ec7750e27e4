package studio

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/pane"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/screen"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/traffic"
)

// list is the windowed list of events. Its cost does not depend on the number of entries.
type list struct {
	log      traffic.Log
	selected uint64 // id
	offset   int    // line of the selected entry in the window
	follow   bool   // select each new entry
}

// current returns the selected entry.
func (l *list) current() (*traffic.Entry, bool) { return l.log.Get(l.selected) }

// settle updates the selection after the log changed. If the list follows new entries, or the
// selected answer was released, it selects the answer that has been held longest. A new
// arrival therefore never moves the selection away from a held answer.
func (l *list) settle() {
	if _, ok := l.current(); l.log.Len() == 0 || ok && !l.follow {
		return
	}
	i := min(l.log.Index(l.selected), l.log.Len()-1)
	if l.follow {
		i = l.log.Len() - 1
	}
	if e, ok := l.log.FirstHeld(); ok {
		i = l.log.Index(e.ID)
	}
	if l.follow {
		l.offset = i
	}
	l.selected = l.log.At(i).ID
}

// moveBy selects another entry, relative to the selected one.
func (l *list) move(by, height int) {
	if l.log.Len() == 0 {
		return
	}
	from := l.log.Index(l.selected)
	to := min(max(from+by, 0), l.log.Len()-1)
	l.selected = l.log.At(to).ID
	l.offset = min(max(min(l.offset, height-1)+to-from, 0), max(height-1, 0))
	l.follow = to == l.log.Len()-1 && by > 0
}

// selectNewest selects the newest entry and follows.
func (l *list) newest() {
	l.follow = true
	l.settle()
}

// jump selects the entry with an id, if it is there.
func (l *list) jump(id uint64) bool {
	if _, ok := l.log.Get(id); !ok {
		return false
	}
	l.selected, l.follow = id, false
	return true
}

// top returns the index of the first entry of a window that contains the selected one.
func (l *list) top(height int) int {
	at := l.log.Index(l.selected)
	top := at - min(l.offset, height-1)
	return max(min(top, l.log.Len()-height), 0)
}

// rowStyle is what rows have in common.
type rowStyle struct {
	width    int
	now      time.Time
	location *time.Location
	deadline func(hold uint64) (time.Time, bool)
	edited   func(hold uint64) bool
}

// draw returns height lines.
func (l *list) draw(height int, s rowStyle) []screen.Line {
	out := make([]screen.Line, 0, height)
	for i := l.top(height); i < l.log.Len() && len(out) < height; i++ {
		e := l.log.At(i)
		out = append(out, s.row(e, e.ID == l.selected))
	}
	return fill(out, s.width, height)
}

// Widths at which a row shows more.
const (
	showSizes = 44
	showTime  = 34
	showTook  = 72
)

func (s rowStyle) row(e *traffic.Entry, selected bool) screen.Line {
	mark, style := s.mark(e)
	cursor := " "
	if selected {
		cursor = ">"
	}
	line := screen.Line{{Text: cursor}, {Text: mark + " ", Style: style}}
	if s.width >= showTime {
		line = append(line, screen.Span{Text: e.Time.In(s.location).Format("15:04:05") + " ", Style: screen.Dim})
	}
	right := s.figures(e)
	title := screen.Line{{Text: rowTitle(e), Style: style}}
	if e.Failed && e.Note != "" {
		title = append(title, screen.Span{Text: "  " + e.Note, Style: screen.Dim})
	}
	line = append(line, title.Fit(max(s.width-line.Width()-screen.Width(right), 0))...)
	line = append(line, screen.Span{Text: right}).Fit(s.width)
	if selected {
		return line.Restyle(screen.Reverse)
	}
	return line
}

// mark returns the letter of an entry: held, edited, error, changed.
func (s rowStyle) mark(e *traffic.Entry) (string, screen.Style) {
	switch {
	case e.Held() && s.edited(e.Hold):
		return "E", screen.Yellow
	case e.Held():
		return "H", screen.Yellow
	case e.Failed:
		return "!", screen.Red
	case e.Type == traffic.Edited, e.Outcome == "edited":
		return "E", screen.Cyan
	case e.Changed:
		return "*", screen.Plain
	case e.Source == "":
		return " ", screen.Dim
	}
	return " ", screen.Plain
}

// rowTitle returns what an entry is about, and its type if that is not the call of a source.
func rowTitle(e *traffic.Entry) string {
	switch {
	case e.Type == traffic.Paused:
		return "held: " + e.Title
	case e.Type == "tool_call" || e.Type == "request":
		return e.Title
	case e.Type == "section_read":
		return "section " + strings.TrimPrefix(e.Title, "read_section ")
	}
	return strings.TrimSpace(e.Type + " " + e.Title)
}

// figures returns the right part of a row.
func (s rowStyle) figures(e *traffic.Entry) string {
	if e.Held() {
		if at, ok := s.deadline(e.Hold); ok {
			return "  " + countdown(at.Sub(s.now))
		}
		return ""
	}
	if s.width < showSizes || e.In+e.Out == 0 && e.Micros == 0 {
		return ""
	}
	text := fmt.Sprintf("  %5s>%-5s", pane.Count(e.In), pane.Count(e.Out))
	if e.In+e.Out == 0 {
		text = strings.Repeat(" ", len(text))
	}
	if saved := e.Saved(); saved > 0 {
		text += fmt.Sprintf(" %4s", fmt.Sprintf("-%d%%", saved))
	} else {
		text += strings.Repeat(" ", 5)
	}
	if s.width >= showTook {
		text += fmt.Sprintf(" %6s", took(e.Micros))
	}
	return text
}

func took(micros int64) string {
	switch {
	case micros <= 0:
		return ""
	case micros < 1e6:
		return fmt.Sprintf("%dms", (micros+999)/1000)
	}
	return fmt.Sprintf("%.1fs", float64(micros)/1e6)
}

func countdown(d time.Duration) string {
	s := int(max(d, 0).Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// fill returns height lines of exactly width cells.
func fill(lines []screen.Line, width, height int) []screen.Line {
	lines = lines[:min(len(lines), max(height, 0))]
	for i := range lines {
		lines[i] = lines[i].Fit(width)
	}
	for len(lines) < height {
		lines = append(lines, screen.Line{}.Fit(width))
	}
	return lines
}
