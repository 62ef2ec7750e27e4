package studio

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/textin"
)

// prompt is an input in the status line.
type prompt struct {
	label string
	line  *textin.Line
	enter func(m *Model, text string) tea.Cmd // closes the prompt if it succeeds
}

// question is a question in the status line. Any key but y means no.
type question struct {
	text string
	yes  func(*Model) tea.Cmd
}

func (m *Model) answer(key string) tea.Cmd {
	yes := m.ask.yes
	m.ask = nil
	switch key {
	case "y", "Y":
		return yes(m)
	case "ctrl+c": // twice: quit at once; holds end by themselves
		return m.leave(false)
	}
	return nil
}

func (m *Model) promptKey(msg tea.KeyPressMsg) tea.Cmd {
	p := m.prompt
	switch key := msg.String(); {
	case key == "esc" || key == "ctrl+c":
		m.prompt = nil
	case key == "enter":
		return p.enter(m, p.line.String())
	case p.line.Key(key):
	case msg.Text != "":
		p.line.Insert(msg.Text)
	}
	return nil
}

func (m *Model) paste(text string) {
	switch {
	case m.area != nil:
		m.area.text.Insert(text)
	case m.prompt != nil:
		m.prompt.line.Insert(text)
	}
}

func askCommand(m *Model) tea.Cmd {
	m.prompt = &prompt{":", textin.NewLine(""), func(m *Model, text string) tea.Cmd {
		m.prompt = nil
		return runCommand(m, text)
	}}
	return nil
}

func askQuery(m *Model) tea.Cmd {
	m.prompt = &prompt{"/", textin.NewLine(m.query), checkQuery}
	return nil
}

// checkQuery shows the events of a query, if it is valid.
func checkQuery(m *Model, query string) tea.Cmd {
	return func() tea.Msg {
		_, err := m.opt.Service.Events(m.ctx, api.EventQuery{Project: m.opt.Project, Query: query, Limit: 1})
		if errors.Is(err, abi.ErrUnavailable) {
			err = nil // the feed waits for the daemon
		}
		return doneMsg{err: err, then: func(m *Model) tea.Cmd {
			m.prompt = nil
			return m.follow(query)
		}}
	}
}

func askHold(m *Model) tea.Cmd {
	m.prompt = &prompt{"hold answers of: ", textin.NewLine(m.holds.rule.Query), func(m *Model, query string) tea.Cmd {
		note := "answers that match " + query + " are held from now on"
		if query == "" {
			note = "answers are no longer held by a query"
		}
		return m.setRule(api.HoldRule{All: m.holds.rule.All, Query: query}, note)
	}}
	return nil
}
