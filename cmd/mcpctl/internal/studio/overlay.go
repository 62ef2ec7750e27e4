package studio

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/screen"
)

// overlay is a list over the view or beside the list of events.
type overlay interface {
	// key handles a key and reports whether it was handled; other keys are those of the list.
	key(m *Model, name string) (tea.Cmd, bool)
	// lines returns the lines and the index of the selected one, -1 without a selection.
	lines(m *Model) ([]screen.Line, int)
	title(m *Model) string
	footer() string
}

// choose moves a selection and returns the new index.
func choose(at, n int, name string) (int, bool) {
	switch name {
	case "j", "down":
		at++
	case "k", "up":
		at--
	case "G", "end":
		at = n - 1
	case "g", "home":
		at = 0
	default:
		return at, false
	}
	return max(min(at, n-1), 0), true
}

// help lists the keys of the list and the view.
type help struct{ top int }

func openHelp(m *Model) tea.Cmd {
	m.over = &help{}
	return nil
}

func (h *help) key(m *Model, name string) (tea.Cmd, bool) {
	lines, _ := h.lines(m)
	switch name {
	case "esc", "q", "?":
		m.over = nil
	case "ctrl+c":
		return nil, false
	case "pgdown", "space":
		h.top = min(h.top+m.areas().view, len(lines)-1)
	default:
		h.top, _ = choose(h.top, len(lines), name)
	}
	return nil, true
}

func (h *help) lines(m *Model) (out []screen.Line, selected int) {
	for _, b := range bindings {
		if b.steers && m.opt.ReadOnly {
			continue
		}
		out = append(out, screen.Line{{Text: fmt.Sprintf(" %-9s ", strings.Join(b.keys, " ")), Style: screen.Bold}, {Text: b.help}})
	}
	marks := "H held  E edited  ! error  * changed by stages"
	out = append(out, nil, screen.Of(screen.Dim, " in the list: "+marks))
	return out[min(h.top, len(out)-1):], -1
}

func (h *help) title(*Model) string { return "keys of the list and the view" }
func (h *help) footer() string      { return "j k scroll  Esc close" }

// picker switches the proxymodel of the project.
type picker struct {
	models   []api.Object
	selected int
}

// openPicker loads the proxymodels.
func openPicker(m *Model) tea.Cmd {
	return func() tea.Msg {
		list, err := m.opt.Service.Objects(m.ctx, "proxymodel", "")
		return doneMsg{err: err, then: func(m *Model) tea.Cmd {
			p := &picker{models: list}
			p.selected = max(slices.IndexFunc(list, func(o api.Object) bool { return o.Name == m.modelName() }), 0)
			m.over = p
			return nil
		}}
	}
}

func (p *picker) key(m *Model, name string) (tea.Cmd, bool) {
	switch name {
	case "esc", "q", "m":
		m.over = nil
	case "ctrl+c":
		return nil, false
	case "enter":
		m.over = nil
		if p.selected < len(p.models) {
			return m.switchModel(p.models[p.selected].Name), true
		}
	default:
		p.selected, _ = choose(p.selected, len(p.models), name)
	}
	return nil, true
}

func (p *picker) lines(m *Model) (out []screen.Line, selected int) {
	for _, o := range p.models {
		mark, style := "  ", screen.Plain
		if o.Name == m.modelName() {
			mark = "* "
		}
		text := mark + screen.Clean(o.Name)
		switch {
		case o.Problem != "":
			text, style = text+"  "+screen.Clean(o.Problem), screen.Yellow
		case o.Source != "local":
			text += "  (" + screen.Clean(o.Source) + ")"
		}
		out = append(out, screen.Of(style, text))
	}
	return out, p.selected
}

func (p *picker) title(m *Model) string { return "proxymodel of " + screen.Clean(m.opt.Project) }
func (p *picker) footer() string        { return "j k select  Enter switch  Esc close" }

// modelName returns the proxymodel in use.
func (m *Model) modelName() string {
	if m.proxymodel == "" {
		return "default"
	}
	return m.proxymodel
}

// switchModel sets the proxymodel of the project and remembers the one before.
func (m *Model) switchModel(name string) tea.Cmd {
	if name == m.modelName() {
		return nil
	}
	return func() tea.Msg {
		before, err := projectModel(m.ctx, m.opt.Service, m.opt.Project)
		if err == nil {
			err = m.opt.SwitchModel(m.ctx, name)
		}
		return doneMsg{"switched to " + name + "; u undoes it", err, func(m *Model) tea.Cmd {
			m.undo = append(m.undo, before)
			m.proxymodel = name
			m.view.loader.Forget()
			return nil
		}}
	}
}

// undoSwitch restores the proxymodel before the last switch.
func undoSwitch(m *Model) tea.Cmd {
	before := m.undo[len(m.undo)-1]
	return func() tea.Msg {
		err := m.opt.SwitchModel(m.ctx, before)
		return doneMsg{"undone", err, func(m *Model) tea.Cmd {
			m.undo = m.undo[:len(m.undo)-1]
			m.proxymodel = before
			m.view.loader.Forget()
			m.say("switched back to " + m.modelName())
			return nil
		}}
	}
}

// sidebar lists the sessions of the project.
type sidebar struct{ selected int }

func (m *Model) isSidebar() bool {
	_, ok := m.over.(*sidebar)
	return ok
}

func toggleSidebar(m *Model) tea.Cmd {
	if m.isSidebar() {
		m.over = nil
		return nil
	}
	m.over = &sidebar{}
	return m.pollOnce()
}

func (s *sidebar) key(m *Model, name string) (tea.Cmd, bool) {
	switch name {
	case "esc", "s", "q":
		m.over = nil
	case "enter":
		if s.selected == 0 {
			return m.follow(withoutSession(m.query)), true
		}
		if s.selected <= len(m.sessions) {
			query := strings.TrimSpace(withoutSession(m.query) + " session:" + m.sessions[s.selected-1].ID)
			return checkQuery(m, query), true
		}
	default:
		at, ok := choose(s.selected, len(m.sessions)+1, name)
		s.selected = at
		return nil, ok
	}
	return nil, true
}

// withoutSession removes the session from a query.
func withoutSession(query string) string {
	words := strings.Fields(query)
	words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "session:") })
	return strings.Join(words, " ")
}

func (s *sidebar) lines(m *Model) (out []screen.Line, selected int) {
	out = append(out, screen.Of(screen.Bold, "all sessions"))
	for _, x := range m.sessions {
		state, style := "closed", screen.Dim
		if x.Open {
			state, style = "open", screen.Plain
		}
		client := screen.Clean(x.Client)
		if client == "" {
			client = screen.Clean(x.ID)
		}
		text := fmt.Sprintf("%s %s, %s", client, state, countOf(x.Events, "event", "events"))
		if x.Held > 0 {
			text += fmt.Sprintf(", %d held", x.Held)
		}
		out = append(out, screen.Of(style, text))
	}
	return out, min(s.selected, len(m.sessions))
}

func (s *sidebar) title(*Model) string { return "sessions" }
func (s *sidebar) footer() string      { return "j k select  Enter show its events  Esc close" }
