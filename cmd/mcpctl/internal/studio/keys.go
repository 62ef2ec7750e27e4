package studio

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/pane"
)

// binding is a key and its action.
type binding struct {
	keys   []string
	help   string
	short  string            // in the footer; empty if the footer does not show it
	steers bool              // refused in a read-only screen
	valid  func(*Model) bool // nil if always
	do     func(*Model) tea.Cmd
	undo   string            // short while isOn
	isOn   func(*Model) bool // nil if never
}

// bindings are the keys of the list and the view, in the order of the help.
var bindings []binding

func init() { // the help, which is one of the actions, lists the bindings
	bindings = []binding{
		{keys: []string{"r"}, help: "release the held answer, with its edit if there is one", short: "release", steers: true, valid: hasHeld,
			do: func(m *Model) tea.Cmd { return m.release(api.Release{Action: "release"}) }},
		{keys: []string{"e"}, help: "edit the held answer in $EDITOR, or here if it is not set", short: "edit", steers: true, valid: hasHeld, do: openEditor},
		{keys: []string{"V"}, help: "revert the edit", short: "revert", steers: true, valid: hasEdit, do: revertEdit},
		{keys: []string{"d"}, help: "drop the held answer: the client gets an error", short: "drop", steers: true, valid: hasHeld, do: askDrop},
		{keys: []string{"A"}, help: "release all held answers", short: "release all", steers: true, valid: isHolding,
			do: func(m *Model) tea.Cmd { return m.releaseAll((*Model).pollOnce) }},
		{keys: []string{"x"}, help: "save the correction as a test of the stage", short: "save test", steers: true, valid: hasCorrection, do: saveTest},
		{keys: []string{"o"}, help: "original, transformed, difference; in a stage: output, difference to its input", short: "view", valid: hasEntry, do: cycleView},
		{keys: []string{"enter"}, help: "show the view on the whole screen", short: "expand", valid: isListed, do: expandView},
		{keys: []string{"j"}, help: "next event", valid: hasEntry, do: func(m *Model) tea.Cmd { return moveBy(m, 1) }},
		{keys: []string{"k"}, help: "previous event", valid: hasEntry, do: func(m *Model) tea.Cmd { return moveBy(m, -1) }},
		{keys: []string{"J", "ctrl+d"}, help: "a page of events down", valid: hasEntry, do: func(m *Model) tea.Cmd { return moveBy(m, m.areas().list) }},
		{keys: []string{"K", "ctrl+u"}, help: "a page of events up", valid: hasEntry, do: func(m *Model) tea.Cmd { return moveBy(m, -m.areas().list) }},
		{keys: []string{"G"}, help: "the newest event; new events are selected as they arrive", short: "newest", valid: isBehind, do: selectNewest},
		{keys: []string{"g"}, help: "the oldest event", valid: hasEntry, do: func(m *Model) tea.Cmd { return moveBy(m, -m.list.log.Len()) }},
		{keys: []string{"down"}, help: "scroll the view", valid: hasEntry, do: func(m *Model) tea.Cmd { return scrollView(m, 1) }},
		{keys: []string{"up"}, help: "scroll the view back", valid: hasEntry, do: func(m *Model) tea.Cmd { return scrollView(m, -1) }},
		{keys: []string{"pgdown", "space"}, help: "scroll the view by a page", valid: hasEntry, do: func(m *Model) tea.Cmd { return scrollView(m, m.areas().view) }},
		{keys: []string{"pgup"}, help: "scroll the view back by a page", valid: hasEntry, do: func(m *Model) tea.Cmd { return scrollView(m, -m.areas().view) }},
		{keys: []string{"home"}, help: "start of the view", valid: hasEntry, do: func(m *Model) tea.Cmd { return scrollView(m, -1<<30) }},
		{keys: []string{"end"}, help: "end of the view", valid: hasEntry, do: func(m *Model) tea.Cmd { return scrollView(m, 1<<30) }},
		{keys: []string{"/"}, help: "show only the events of a query", short: "query", do: askQuery},
		{keys: []string{"p"}, help: "hold all answers, or stop it", short: "hold all", undo: "hold off", isOn: holdsAll, steers: true, do: toggleHold},
		{keys: []string{"i"}, help: "hold the answers of a query", short: "hold query", steers: true, do: askHold},
		{keys: []string{"["}, help: "previous stage, run again on the original", valid: hasEntry, do: func(m *Model) tea.Cmd { return walkStages(m, -1) }},
		{keys: []string{"]"}, help: "next stage, run again on the original", short: "stages", valid: hasEntry, do: func(m *Model) tea.Cmd { return walkStages(m, 1) }},
		{keys: []string{"R"}, help: "replay the original through the present stages", short: "replay", valid: hasEntry, do: func(m *Model) tea.Cmd { return toggleKind(m, pane.Replay) }},
		{keys: []string{"t"}, help: "tokens by part and stage", short: "tokens", valid: hasEntry, do: func(m *Model) tea.Cmd { return toggleKind(m, pane.Tokens) }},
		{keys: []string{"s"}, help: "sessions; Enter shows the events of one", short: "sessions", do: toggleSidebar},
		{keys: []string{"m"}, help: "switch the proxymodel of the project", short: "model", steers: true, do: openPicker},
		{keys: []string{"u"}, help: "undo the switch", short: "undo switch", steers: true, valid: hasUndo, do: undoSwitch},
		{keys: []string{"y"}, help: "copy the text of the view", short: "copy", valid: hasEntry, do: copyText},
		{keys: []string{"c"}, help: "clear the list", valid: hasEntry, do: clearList},
		{keys: []string{":"}, help: "command: an event id, holds, sessions, models, clear, q", do: askCommand},
		{keys: []string{"esc"}, help: "close", short: "close", valid: isOpen, do: closeView},
		{keys: []string{"?"}, help: "this help", short: "help", do: openHelp},
		{keys: []string{"q", "ctrl+c"}, help: "quit; held answers are released", short: "quit", do: (*Model).quit},
	}
}

func hasEntry(m *Model) bool { return m.list.log.Len() > 0 }
func hasHeld(m *Model) bool  { _, ok := m.held(); return ok }
func hasEdit(m *Model) bool {
	e, ok := m.held()
	return ok && m.holds.isEdited(e.Hold)
}
func holdsAll(m *Model) bool  { return m.holds.rule.All }
func hasUndo(m *Model) bool   { return len(m.undo) > 0 }
func isHolding(m *Model) bool { return len(m.holds.list) > 0 || m.holds.rule.Pending > 0 }
func isBehind(m *Model) bool  { return hasEntry(m) && !m.list.follow }
func isListed(m *Model) bool  { return hasEntry(m) && !m.expanded }
func isOpen(m *Model) bool    { return m.expanded || m.view.kind > pane.Edited || m.query != "" }
func hasCorrection(m *Model) bool {
	e, ok := m.list.current()
	return ok && isCorrected(e)
}

// isShown reports whether the footer shows a key now.
func (b binding) isShown(m *Model) bool {
	return b.short != "" && (b.valid == nil || b.valid(m)) && !(b.steers && m.opt.ReadOnly)
}

// label returns the text of a key in the footer.
func (b binding) label(m *Model) string {
	if b.isOn != nil && b.isOn(m) {
		return b.undo
	}
	return b.short
}

// isLast reports whether the footer shows the key at its end.
func (b binding) isLast() bool { return slices.Contains([]string{"esc", "?", "q"}, b.keys[0]) }

// key handles a key by what is open: an editor, an input, a question, an overlay, the list.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	m.note = nil
	switch {
	case m.area != nil:
		return m.areaKey(msg)
	case m.prompt != nil:
		return m.promptKey(msg)
	case m.ask != nil:
		return m.answer(name)
	case m.over != nil:
		if cmd, ok := m.over.key(m, name); ok {
			return cmd
		}
	}
	return m.press(name)
}

// press runs the action of a key.
func (m *Model) press(name string) tea.Cmd {
	i := slices.IndexFunc(bindings, func(b binding) bool { return slices.Contains(b.keys, name) })
	if i < 0 {
		return nil
	}
	b := bindings[i]
	switch {
	case b.steers && m.opt.ReadOnly:
		m.say("read only; to steer: mcpctl console --model-studio " + m.opt.Project)
	case b.valid != nil && !b.valid(m):
		m.say(b.refusal())
	default:
		return b.do(m)
	}
	return nil
}

// refusal says why a key does nothing now.
func (b binding) refusal() string {
	switch b.keys[0] {
	case "r", "e", "d":
		return "the selected event is not a held answer; :holds selects one"
	case "V":
		return "the selected event has no edit"
	case "A":
		return "no answer is held"
	case "x":
		return "the selected event was not edited"
	case "u":
		return "no switch of this screen to undo"
	case "esc":
		return "q quits"
	case "G", "enter":
		return ""
	}
	return "no event is selected"
}
