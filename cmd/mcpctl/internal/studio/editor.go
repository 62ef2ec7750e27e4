package studio

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/pane"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/textin"
)

// editing is the edit of a held answer on the screen.
type editing struct {
	hold   uint64
	before []string
	text   *textin.Area
}

// openEditor opens the editor with the texts of the selected held answer.
func openEditor(m *Model) tea.Cmd {
	e, _ := m.held()
	id, kind := e.Hold, ""
	edited := m.holds.edits[id]
	return func() tea.Msg {
		h, err := m.opt.Service.Hold(m.ctx, id)
		if err == nil && len(h.Shown) == 0 {
			err = problem.New(abi.ErrNotFound, "the answer has no text to edit")
		}
		return doneMsg{err: err, then: func(m *Model) tea.Cmd {
			kind = string(h.Type)
			now := h.Shown
			if edited != nil {
				now = edited
			}
			if m.opt.Editor == "" {
				m.area = &editing{id, h.Shown, textin.NewArea(joinTexts(now))}
				return nil
			}
			return m.runEditor(id, kind, h.Shown, now)
		}}
	}
}

// runEditor gives the terminal to the editor of the user.
func (m *Model) runEditor(id uint64, kind string, shown, now []string) tea.Cmd {
	dir, err := os.MkdirTemp("", "mcpctl-studio-")
	if err != nil {
		m.fail(err)
		return nil
	}
	file := filepath.Join(dir, "answer"+extension(kind))
	if err := os.WriteFile(file, []byte(joinTexts(now)), 0o600); err != nil {
		m.fail(errors.Join(err, os.RemoveAll(dir)))
		return nil
	}
	// The variable may contain flags, so a shell parses it, as in git and kubectl.
	cmd := exec.CommandContext(m.ctx, "sh", "-c", m.opt.Editor+` "$1"`, "sh", file)
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.RemoveAll(dir)
		if err != nil {
			p := problem.New(abi.ErrUnavailable, "editor %q failed", m.opt.Editor)
			p.Cause = err.Error()
			return doneMsg{err: p.WithHint("export EDITOR=vi")}
		}
		b, err := os.ReadFile(file)
		return doneMsg{err: err, then: func(m *Model) tea.Cmd {
			m.takeEdit(id, shown, string(b))
			return nil
		}}
	})
}

// extension lets an editor recognise the language.
func extension(kind string) string {
	for _, word := range []string{"json", "html", "yaml", "xml"} {
		if strings.Contains(kind, word) {
			return "." + word
		}
	}
	return ".md"
}

// takeEdit stores an edited text until the answer is released.
func (m *Model) takeEdit(id uint64, shown []string, text string) {
	texts, err := splitTexts(text, shown)
	// The row is newer than the list of holds, which is asked for once a second.
	isHeld := slices.Contains(m.list.log.Held(), id)
	switch {
	case !isHeld:
		m.fail(problem.New(abi.ErrNotFound, "the answer was sent before the edit was kept, so the client has the unedited text"))
	case err != nil:
		m.fail(err)
	case slices.Equal(texts, shown):
		delete(m.holds.edits, id)
		m.say("the text is unchanged")
	default:
		m.holds.edits[id] = texts
		m.view.setKind(pane.Diff)
		m.say("edited; r releases the answer with the edit, V reverts it")
	}
	m.view.edits++
}

// revertEdit forgets the edit of the selected answer.
func revertEdit(m *Model) tea.Cmd {
	e, _ := m.held()
	delete(m.holds.edits, e.Hold)
	m.view.edits++
	m.say("reverted")
	return nil
}

// areaKey handles a key of the editor on the screen.
func (m *Model) areaKey(msg tea.KeyPressMsg) tea.Cmd {
	a := m.area
	switch key := msg.String(); {
	case key == "esc":
		m.area = nil
		if joinTexts(a.before) != a.text.String() && !m.holds.isEdited(a.hold) {
			m.say("the edit was discarded")
		}
	case key == "ctrl+s":
		m.area = nil
		m.takeEdit(a.hold, a.before, a.text.String())
	case a.text.Key(key):
	case msg.Text != "":
		a.text.Insert(msg.Text)
	}
	return nil
}

// A text of several parts is edited as one, with a line between the parts.
const divider = "\n----- part %d of %d: text above and below is sent as separate parts -----\n"

func joinTexts(texts []string) string {
	var b strings.Builder
	for i, t := range texts {
		if i > 0 {
			fmt.Fprintf(&b, divider, i+1, len(texts))
		}
		b.WriteString(t)
	}
	return b.String()
}

// splitTexts returns the parts of an edited text. Editors add a line end to the last line;
// it is removed if the part had none before.
func splitTexts(text string, before []string) ([]string, error) {
	var parts []string
	for i := 1; i < len(before); i++ {
		part, rest, ok := strings.Cut(text, fmt.Sprintf(divider, i+1, len(before)))
		if !ok {
			p := problem.New(abi.ErrConfig, "the edit was discarded: the line before part %d of %d is missing", i+1, len(before))
			p.Cause = "the lines between the parts must not be changed"
			return nil, p
		}
		parts, text = append(parts, part), rest
	}
	last := before[len(before)-1]
	if !strings.HasSuffix(last, "\n") {
		text = strings.TrimSuffix(text, "\n")
	}
	return append(parts, text), nil
}
