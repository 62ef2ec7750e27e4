package studio

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/pane"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

func moveBy(m *Model, by int) tea.Cmd {
	if m.view.kind == pane.Stage || m.view.kind == pane.Replay { // each would run the stages
		m.view.setKind(pane.Transformed)
	}
	m.list.move(by, m.areas().list)
	return nil
}

func selectNewest(m *Model) tea.Cmd {
	m.list.newest()
	return nil
}

func scrollView(m *Model, by int) tea.Cmd {
	m.view.scroll(by, m.areas().view)
	return nil
}

func expandView(m *Model) tea.Cmd {
	m.expanded = true
	return nil
}

func cycleView(m *Model) tea.Cmd {
	m.view.cycle(hasEdit(m))
	return nil
}

func walkStages(m *Model, by int) tea.Cmd {
	if hasHeld(m) {
		m.say("the stages of a held answer can be walked after its release")
		return nil
	}
	at := m.view.step
	m.view.walk(by)
	if m.view.kind == pane.Stage && m.view.step == at && m.view.doc.Steps > 0 && m.view.shown.kind == pane.Stage {
		m.say("this is the " + map[bool]string{true: "last", false: "first"}[by > 0] + " stage")
	}
	return nil
}

// toggleKind opens a view, or closes it if it is open.
func toggleKind(m *Model, k pane.Kind) tea.Cmd {
	if k == pane.Replay && hasHeld(m) {
		m.say("a held answer can be replayed after its release")
		return nil
	}
	if m.view.kind == k {
		k = pane.Transformed
	}
	m.view.setKind(k)
	return nil
}

// closeView closes what was opened last: a special view, the whole screen, the query.
func closeView(m *Model) tea.Cmd {
	switch {
	case m.view.kind > pane.Edited:
		m.view.setKind(pane.Transformed)
	case m.expanded:
		m.expanded = false
	case m.query != "":
		return m.follow("")
	}
	return nil
}

// clearList removes the present events from the list.
func clearList(m *Model) tea.Cmd {
	m.after = m.list.log.Last()
	m.list.log.Clear()
	m.list.follow = true
	m.say("cleared; the daemon still has the events")
	return nil
}

// maxCopy is the size of a text that terminals accept by escape sequence.
const maxCopy = 1 << 20

// copyText copies the text of the view to the clipboard of the terminal. Control characters
// are escaped, because a pasted text can be run.
func copyText(m *Model) tea.Cmd {
	raw := m.view.doc.Raw
	switch {
	case raw == "" || m.view.isOld():
		m.say("this view has no text to copy; o shows one")
		return nil
	case len(raw) > maxCopy:
		m.say(fmt.Sprintf("%s bytes are too many for the clipboard of a terminal", pane.Count(len(raw))))
		return nil
	}
	m.say(fmt.Sprintf("%s bytes copied", pane.Count(len(raw))))
	return tea.SetClipboard(iostreams.Clean(raw))
}

// askDrop asks before it drops the selected answer. Another one may be selected when the
// question is answered, because events arrive.
func askDrop(m *Model) tea.Cmd {
	e, ok := m.held()
	if !ok {
		return nil
	}
	id := e.Hold
	m.ask = &question{"drop this answer? The client gets an error", func(m *Model) tea.Cmd {
		return releaseHold(m, id, api.Release{Action: "drop"})
	}}
	return nil
}

// runCommand runs a command of the ":" prompt.
func runCommand(m *Model, text string) tea.Cmd {
	text = strings.TrimSpace(text)
	if id, err := strconv.ParseUint(text, 10, 64); err == nil {
		if !m.list.jump(id) {
			m.say(fmt.Sprintf("event %d is not in the list", id))
		}
		return nil
	}
	actions := map[string]func(*Model) tea.Cmd{
		"": func(*Model) tea.Cmd { return nil }, "holds": selectHeld,
		"sessions": toggleSidebar, "clear": clearList, "help": openHelp, "newest": selectNewest,
		"q": (*Model).quit, "quit": (*Model).quit,
		"models": func(m *Model) tea.Cmd { return m.press("m") }, "release": func(m *Model) tea.Cmd { return m.press("A") },
	}
	do, ok := actions[text]
	if !ok {
		names := []string{"holds", "sessions", "clear", "help", "newest", "quit", "models", "release"}
		note := fmt.Sprintf("unknown command %q", text)
		if best := suggest.Nearest(text, names); best != "" {
			note += ", did you mean " + best
		}
		m.say(note)
		return nil
	}
	return do(m)
}

// selectHeld selects the held answer that has waited longest.
func selectHeld(m *Model) tea.Cmd {
	e, ok := m.list.log.FirstHeld()
	switch {
	case ok:
		m.list.jump(e.ID)
	case isHolding(m):
		m.say("the held answers do not match the query; Esc removes it")
	default:
		m.say("no answer is held")
	}
	return nil
}
