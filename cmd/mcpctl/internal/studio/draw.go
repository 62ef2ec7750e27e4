package studio

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/pane"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/screen"
)

// areas are the sizes of the parts of the screen: a title, the list and the view, a status
// line, the keys.
type areas struct {
	width, body int  // of list and view together
	beside      bool // the view is beside the list, not below
	listWidth   int
	list        int // lines of the list
	viewWidth   int
	view        int // lines of the view without its title
}

const (
	fixedLines   = 3   // title, status, keys
	minBeside    = 120 // width from which the view is beside the list
	maxListWidth = 80
	sidebarWidth = 34
)

func (m *Model) areas() areas {
	a := areas{width: m.width, body: max(m.height-fixedLines, 0)}
	switch {
	case m.isWhole():
		a.viewWidth, a.view = a.width, a.body-1
	case a.width >= minBeside:
		a.beside = true
		a.listWidth, a.list = min(2*a.width/5, maxListWidth), a.body
		a.viewWidth, a.view = a.width-a.listWidth-1, a.body-1
	default:
		a.listWidth, a.list = a.width, max(2*a.body/5, min(a.body, 3))
		a.viewWidth, a.view = a.width, a.body-a.list-1
	}
	a.view = max(a.view, 0)
	return a
}

// isWhole reports whether the view has the whole screen. A picker, the help and the editor
// use the place of the view.
func (m *Model) isWhole() bool {
	_, isHelp := m.over.(*help)
	return m.expanded && !m.isSidebar() || m.area != nil || isHelp
}

func (m *Model) viewWidth() int { return m.areas().viewWidth }

// isOld reports whether the view is not the one of the selected event.
func (v *viewer) isOld() bool { return v.wanted != v.shown }

// View draws the screen for bubbletea.
func (m *Model) View() tea.View {
	lines := m.Frame()
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.Render()
	}
	v := tea.NewView(strings.Join(texts, "\n"))
	v.AltScreen = true
	v.Cursor = painter{m}.cursor()
	return v
}

// Frame returns the lines of the screen, each of exactly its width.
func (m *Model) Frame() []screen.Line {
	if m.width <= 0 || m.height <= 0 {
		return nil
	}
	a, p := m.areas(), painter{m}
	lines := []screen.Line{p.titleLine().Fit(a.width).Restyle(screen.Reverse)}
	lines = append(lines, p.body(a)...)
	lines = append(lines, p.statusLine().Fit(a.width), p.footer(a.width).Fit(a.width))
	return fill(lines, a.width, m.height)
}

// painter draws the parts of the screen.
type painter struct{ *Model }

func (m painter) body(a areas) []screen.Line {
	view := m.viewLines(a)
	if a.list == 0 {
		return view
	}
	list := m.listLines(a)
	if !a.beside {
		return append(list, view...)
	}
	out := make([]screen.Line, a.body)
	for i := range out {
		out[i] = append(append(list[i], screen.Span{Text: "│", Style: screen.Dim}), view[i]...)
	}
	return out
}

// listLines returns the list, with the sessions beside it.
func (m painter) listLines(a areas) []screen.Line {
	side := 0
	if m.isSidebar() {
		side = min(sidebarWidth, a.listWidth/2)
	}
	style := rowStyle{a.listWidth - side, m.now(), m.opt.Location, m.holds.deadline, m.holds.isEdited}
	rows := m.list.draw(a.list, style)
	if m.list.log.Len() == 0 && a.list > 0 {
		rows[0] = screen.Of(screen.Dim, " "+m.emptyText()).Fit(style.width)
	}
	if side == 0 {
		return rows
	}
	sessions := drawOverlay(m.over, m.Model, side-1, a.list)
	for i := range rows {
		rows[i] = append(append(sessions[i], screen.Span{Text: "│", Style: screen.Dim}), rows[i]...)
	}
	return rows
}

func (m painter) emptyText() string {
	switch {
	case m.offline:
		return "waiting for the daemon"
	case m.query != "":
		return "no event matches the query yet"
	}
	return "no events yet"
}

// viewLines returns the title and the lines of the view, or of the editor or list that covers it.
func (m painter) viewLines(a areas) []screen.Line {
	var title string
	var lines []screen.Line
	switch {
	case m.area != nil:
		title = fmt.Sprintf("edit of held answer %d: ctrl+s keeps it, Esc discards it", m.area.hold)
		lines, _, _ = m.area.text.Draw(a.viewWidth, a.view)
	case m.over != nil && !m.isSidebar():
		title = m.over.title(m.Model)
		lines = drawOverlay(m.over, m.Model, a.viewWidth, a.view)
	default:
		title = m.viewTitle(a)
		lines = m.view.draw(a.viewWidth, a.view)
	}
	head := screen.Of(screen.Bold, "── "+title+" ").Fit(a.viewWidth)
	height := a.body
	if !a.beside {
		height -= a.list
	}
	return fill(append([]screen.Line{head}, lines...), a.viewWidth, height)
}

func (m painter) viewTitle(a areas) string {
	v := &m.view
	if v.wanted.entry == 0 {
		return "no event selected"
	}
	title := fmt.Sprintf("#%d %s", v.wanted.entry, kindTitle(v.kind))
	if v.isOld() || v.err != nil || v.doc.Text == nil {
		return title
	}
	title = fmt.Sprintf("#%d %s", v.wanted.entry, v.doc.Title)
	if v.doc.Tokens > 0 {
		title += fmt.Sprintf(", %s tokens", pane.Count(v.doc.Tokens))
	}
	if n := v.doc.Text.Len(); n > a.view {
		title += fmt.Sprintf(", lines %d-%d of %d", v.top+1, min(v.top+a.view, n), n)
	}
	return title
}

func kindTitle(k pane.Kind) string {
	return map[pane.Kind]string{pane.Original: "original", pane.Transformed: "transformed", pane.Diff: "difference", pane.Edited: "edited",
		pane.Tokens: "tokens", pane.Stage: "stage", pane.Replay: "replay"}[k]
}

// drawOverlay returns the lines of an overlay around the selected one.
func drawOverlay(o overlay, m *Model, width, height int) []screen.Line {
	lines, selected := o.lines(m)
	if selected >= 0 && selected < len(lines) {
		lines[selected] = append(screen.Line{{Text: "> "}}, lines[selected]...).Fit(width).Restyle(screen.Reverse)
		for i := range lines {
			if i != selected {
				lines[i] = append(screen.Line{{Text: "  "}}, lines[i]...)
			}
		}
	}
	top := max(selected-height+1, 0)
	return fill(lines[min(top, len(lines)):], width, height)
}

// titleLine names the project, its proxymodel, the holds and the state of the connection.
func (m painter) titleLine() screen.Line {
	parts := []string{" mcpctl " + screen.Clean(m.opt.Project), "model " + screen.Clean(m.modelName())}
	if n := m.holds.rule.Pending; n > 0 {
		parts = append(parts, fmt.Sprintf("%d held", n))
	}
	switch r := m.holds.rule; {
	case r.All:
		parts = append(parts, "HOLD ALL")
	case r.Query != "":
		parts = append(parts, "hold "+screen.Clean(r.Query))
	}
	if m.opt.ReadOnly {
		parts = append(parts, "read only")
	}
	if m.offline {
		parts = append(parts, "NO DAEMON, trying again")
	}
	return screen.Of(screen.Bold, strings.Join(parts, " | "))
}

// statusLine shows an input, a question, a message, or the place in the list.
func (m painter) statusLine() screen.Line {
	switch {
	case m.prompt != nil:
		text, _ := m.prompt.line.Draw(m.width - screen.Width(m.prompt.label) - 1)
		return screen.Line{{Text: m.prompt.label, Style: screen.Bold}, {Text: text}}
	case m.ask != nil:
		return screen.Of(screen.Bold.With(screen.Yellow), m.ask.text+" [y/N]")
	case m.note != nil:
		return m.noteLines()[0]
	}
	n := m.list.log.Len()
	parts := []string{" " + countOf(n, "event", "events")}
	if n > 0 {
		parts[0] = fmt.Sprintf(" %d of %s", m.list.log.Index(m.list.selected)+1, countOf(n, "event", "events"))
	}
	if m.list.follow {
		parts = append(parts, "following")
	}
	if m.query != "" {
		parts = append(parts, "query "+screen.Clean(m.query))
	}
	return screen.Of(screen.Dim, strings.Join(parts, ", "))
}

func (m painter) noteLines() []screen.Line { return wrapped(m.note, m.width) }

// footer lists the keys that are valid now, as many as fit.
func (m painter) footer(width int) screen.Line {
	switch {
	case m.area != nil:
		return screen.Of(screen.Dim, " ctrl+s keep  Esc discard")
	case m.prompt != nil && m.note != nil:
		return m.note
	case m.note != nil && len(m.noteLines()) > 1 && m.ask == nil: // a long message takes the line of the keys too
		return m.noteLines()[1]
	case m.prompt != nil:
		return screen.Of(screen.Dim, " Enter apply  Esc cancel")
	case m.ask != nil:
		return screen.Of(screen.Dim, " y yes  any other key no")
	case m.over != nil:
		return screen.Of(screen.Dim, " "+m.over.footer())
	}
	var first, last screen.Line // Esc, help and quit are always visible
	for _, b := range bindings {
		if !b.isShown(m.Model) {
			continue
		}
		key := screen.Line{{Text: " " + b.keys[0], Style: screen.Bold}, {Text: " " + b.label(m.Model) + " ", Style: screen.Dim}}
		if b.isLast() {
			last = append(last, key...)
		} else if first.Width()+key.Width()+lastKeys <= width {
			first = append(first, key...)
		}
	}
	return append(first, last...)
}

// lastKeys is the width of the keys that are always visible.
const lastKeys = len(" esc close  ? help  q quit ")

// cursor returns the position of the cursor, if a text is edited.
func (m painter) cursor() *tea.Cursor {
	switch {
	case m.area != nil:
		a := m.areas()
		_, x, y := m.area.text.Draw(a.viewWidth, a.view)
		return tea.NewCursor(x, y+2)
	case m.prompt != nil:
		label := screen.Width(m.prompt.label)
		_, x := m.prompt.line.Draw(m.width - label - 1)
		return tea.NewCursor(label+x, m.height-2)
	}
	return nil
}

// errorLines returns what failed, why, and the command that helps.
func errorLines(err error) []screen.Line {
	p := problem.From(err)
	message := p.Message
	if p.At != "" {
		message = p.At + ": " + message
	}
	lines := []screen.Line{screen.Of(screen.Red, iostreams.Cells(message))}
	if p.Cause != "" {
		lines = append(lines, screen.Of(screen.Plain, iostreams.Cells(p.Cause)))
	}
	for _, l := range strings.Split(strings.TrimRight(p.Snippet, "\n"), "\n") {
		if l != "" {
			lines = append(lines, screen.Of(screen.Dim, iostreams.Cells(l)))
		}
	}
	if p.Hint != "" {
		lines = append(lines, screen.Of(screen.Cyan, "try: "+iostreams.Cells(p.Hint)))
	}
	return lines
}
