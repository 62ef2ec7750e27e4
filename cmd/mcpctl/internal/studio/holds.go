package studio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/pane"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/traffic"
)

// holding is what the screen knows about held answers.
type holding struct {
	rule    api.HoldRule
	list    []api.Hold
	edits   map[uint64][]string // by hold: all texts, edited
	missing map[uint64]bool     // held rows that the daemon did not list the last time
	ours    bool                // this screen turned the rule on
	passed  int                 // answers over the limit that were reported
}

func (h *holding) get(id uint64) (api.Hold, bool) {
	for _, x := range h.list {
		if x.ID == id {
			return x, true
		}
	}
	return api.Hold{}, false
}

func (h *holding) deadline(id uint64) (time.Time, bool) {
	x, ok := h.get(id)
	return x.Deadline, ok
}

func (h *holding) isEdited(id uint64) bool { return h.edits[id] != nil }

func (h *holding) isOn() bool { return h.rule.All || h.rule.Query != "" }

// pollEvery is the time between two looks at the holds. It is also the step of countdowns.
const pollEvery = time.Second

// pollMsg is the state of the holds. Sessions is nil if no sidebar is open.
type pollMsg struct {
	rule     api.HoldRule
	holds    []api.Hold
	sessions []api.Session
	err      error
	once     bool // no further poll follows
}

// poll asks for the holds after a while, and then again and again.
func (m *Model) poll(after time.Duration) tea.Cmd {
	ctx, svc, project, sidebar := m.ctx, m.opt.Service, m.opt.Project, m.isSidebar()
	if after == 0 {
		return func() tea.Msg { return pollNow(ctx, svc, project, sidebar) }
	}
	return tea.Tick(after, func(time.Time) tea.Msg { return pollNow(ctx, svc, project, sidebar) })
}

// pollOnce asks for the holds in addition to the regular polls.
func (m *Model) pollOnce() tea.Cmd {
	poll := m.poll(0)
	return func() tea.Msg {
		msg := poll().(pollMsg)
		msg.once = true
		return msg
	}
}

func pollNow(ctx context.Context, svc Service, project string, sidebar bool) (msg pollMsg) {
	if msg.rule, msg.err = svc.HoldRule(ctx, project); msg.err == nil && msg.rule.Pending > 0 {
		msg.holds, msg.err = svc.Holds(ctx, project)
	}
	if sidebar && msg.err == nil {
		msg.sessions, msg.err = svc.Sessions(ctx, project)
	}
	return msg
}

// polled takes the state of the holds.
func (m *Model) polled(msg pollMsg) tea.Cmd {
	var cmd tea.Cmd
	if !msg.once {
		cmd = m.poll(pollEvery)
	}
	if msg.err != nil {
		if errors.Is(msg.err, abi.ErrUnavailable) {
			m.offline = true
		} else {
			m.fail(msg.err)
		}
		return cmd
	}
	m.online("connected again")
	if m.holds.isOn() && !msg.rule.All && msg.rule.Query == "" {
		m.say("answers are no longer held: the daemon was restarted, or the rule was turned off elsewhere")
	}
	if h := &m.holds; msg.rule.Passed > h.passed {
		m.say(countOf(msg.rule.Passed, "answer was", "answers were") + " not held, because too many wait")
	}
	m.holds.passed = msg.rule.Passed
	m.holds.rule, m.holds.list = msg.rule, msg.holds
	if msg.sessions != nil {
		m.sessions = msg.sessions
	}
	m.endMissing()
	return cmd
}

// endMissing ends rows whose hold has not been listed twice: its end may not match the
// query of the list.
func (m *Model) endMissing() {
	missing := make(map[uint64]bool)
	for _, id := range m.list.log.Held() {
		if _, ok := m.holds.get(id); ok {
			continue
		}
		if m.holds.missing[id] {
			m.ended(id)
			continue
		}
		missing[id] = true
	}
	m.holds.missing = missing
}

// ended notes the end of a hold.
func (m *Model) ended(hold uint64) {
	if m.list.log.End(hold) {
		m.list.settle()
	}
	delete(m.holds.edits, hold)
}

// held returns the selected entry if it is a held answer.
func (m *Model) held() (*traffic.Entry, bool) {
	e, ok := m.list.current()
	return e, ok && e.Held()
}

// setRule replaces the hold rule.
func (m *Model) setRule(rule api.HoldRule, note string) tea.Cmd {
	return func() tea.Msg {
		now, err := m.opt.Service.SetHoldRule(m.ctx, m.opt.Project, rule)
		return doneMsg{note, err, func(m *Model) tea.Cmd {
			on := m.holds.isOn()
			m.holds.rule = now
			m.holds.ours = m.holds.isOn() && (m.holds.ours || !on)
			m.prompt = nil
			return nil
		}}
	}
}

// toggleHold turns "hold all" on or off.
func toggleHold(m *Model) tea.Cmd {
	rule := api.HoldRule{All: !m.holds.rule.All, Query: m.holds.rule.Query}
	note := "all answers are held from now on; p turns this off"
	if !rule.All {
		note = "answers are no longer held"
		if rule.Query != "" {
			note = "only answers that match " + rule.Query + " are held"
		}
		if n := len(m.holds.list); n > 0 {
			note += fmt.Sprintf("; %s, A releases them", countOf(n, "answer waits", "answers wait"))
		}
	}
	return m.setRule(rule, note)
}

// release ends the selected hold.
func (m *Model) release(r api.Release) tea.Cmd {
	e, ok := m.held()
	if !ok {
		return nil
	}
	return releaseHold(m, e.Hold, r)
}

// releaseHold ends a hold.
func releaseHold(m *Model, id uint64, r api.Release) tea.Cmd {
	if r.Action == "release" && m.holds.isEdited(id) {
		r = api.Release{Action: "edit", Texts: m.holds.edits[id]}
	}
	note := map[string]string{"release": "released", "edit": "released with the edit", "drop": "dropped: the client gets an error"}[r.Action]
	return func() tea.Msg {
		err := m.opt.Service.Release(m.ctx, id, r)
		if errors.Is(err, abi.ErrNotFound) {
			p := problem.New(abi.ErrNotFound, "the answer is no longer held")
			p.Cause = "its time was over, or another studio released it"
			err = p
		}
		return doneMsg{note, err, func(m *Model) tea.Cmd {
			if r.Action == "edit" {
				m.view.setKind(pane.Transformed) // the difference to the edit was shown
			}
			m.ended(id)
			return m.pollOnce()
		}}
	}
}

// releaseAll ends all holds, those with an edit with their edit, and calls then.
func (m *Model) releaseAll(then func(*Model) tea.Cmd) tea.Cmd {
	edits := make(map[uint64][]string)
	for id, texts := range m.holds.edits {
		edits[id] = texts
	}
	return func() tea.Msg {
		n := 0
		var failed error
		for id, texts := range edits {
			err := m.opt.Service.Release(m.ctx, id, api.Release{Action: "edit", Texts: texts})
			if err == nil {
				n++
			} else if !errors.Is(err, abi.ErrNotFound) {
				failed = err
			}
		}
		rest, err := m.opt.Service.ReleaseAll(m.ctx, m.opt.Project)
		return doneMsg{countOf(n+rest, "answer", "answers") + " released", errors.Join(failed, err), then}
	}
}

// quit ends the screen. It asks if answers are held, because nobody else may release them.
func (m *Model) quit() tea.Cmd {
	n := max(len(m.holds.list), m.holds.rule.Pending)
	if m.opt.ReadOnly || n == 0 {
		return m.leave(false)
	}
	m.ask = &question{countOf(n, "answer is held", "answers are held") + ": release and quit?", func(m *Model) tea.Cmd { return m.leave(true) }}
	return nil
}

// leave turns the rule of this screen off, releases all answers if wanted, and quits. An
// error does not keep the user from quitting: holds end by themselves.
func (m *Model) leave(release bool) tea.Cmd {
	var steps []tea.Cmd
	if m.holds.ours && !m.opt.ReadOnly {
		steps = append(steps, m.setRule(api.HoldRule{}, ""))
	}
	if release {
		steps = append(steps, m.releaseAll(nil))
	}
	return tea.Sequence(append(steps, tea.Quit)...)
}

// leaveTimeout is the time for abandon.
const leaveTimeout = 2 * time.Second

// abandon turns the rule of this screen off and releases the held answers, if the screen
// ended in another way than by quit: by a signal or an error.
func (m *Model) abandon() error {
	if !m.holds.ours || m.opt.ReadOnly {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.ctx), leaveTimeout)
	defer cancel()
	if _, err := m.opt.Service.SetHoldRule(ctx, m.opt.Project, api.HoldRule{}); err != nil {
		return err
	}
	_, err := m.opt.Service.ReleaseAll(ctx, m.opt.Project)
	return err
}

// saveTest saves the correction of the selected event as a test.
func saveTest(m *Model) tea.Cmd {
	e, ok := m.list.current()
	if !ok || !isCorrected(e) {
		return nil
	}
	entry := *e
	return func() tea.Msg {
		list, err := m.opt.Service.Corrections(m.ctx, m.opt.Project, entry.Session)
		if err != nil {
			return doneMsg{err: err}
		}
		ids := correctionsOf(list, entry)
		if len(ids) == 0 {
			return doneMsg{err: problem.New(abi.ErrNotFound, "no correction is stored for event %d", entry.ID).WithHint("mcpctl get corrections")}
		}
		var paths []string
		for _, id := range ids {
			path, err := m.opt.SaveTest(m.ctx, id)
			if err != nil {
				return doneMsg{err: err}
			}
			paths = append(paths, path)
		}
		return doneMsg{note: "saved as " + strings.Join(paths, ", ")}
	}
}

// isCorrected reports whether an entry belongs to an edit that was sent.
func isCorrected(e *traffic.Entry) bool { return e.Type == traffic.Edited || e.Outcome == "edited" }

// sameEdit is the time between the corrections of one answer, of which each edited text has
// one.
const sameEdit = time.Second

// correctionsOf returns the corrections of an event: those of its source that are next to it
// in time.
func correctionsOf(list []api.Correction, e traffic.Entry) (ids []string) {
	distance := func(c api.Correction) time.Duration { return c.Timestamp.Sub(e.Time).Abs() }
	list = slices.DeleteFunc(slices.Clone(list), func(c api.Correction) bool { return c.SourceName != e.Source })
	if len(list) == 0 {
		return nil
	}
	nearest := slices.MinFunc(list, func(a, b api.Correction) int { return cmp.Compare(distance(a), distance(b)) })
	for _, c := range list {
		if c.Timestamp.Sub(nearest.Timestamp).Abs() < sameEdit {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
