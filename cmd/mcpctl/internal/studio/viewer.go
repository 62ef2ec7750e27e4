package studio

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/pane"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/screen"
)

// viewKey identifies the content of a viewer, so that it is laid out only once.
type viewKey struct {
	entry    uint64
	held     bool
	kind     pane.Kind
	step     int
	stepDiff bool
	width    int
	edits    int // number of edits of held answers, so that an edit is shown
}

// viewer is the view of the selected event. While a view is loaded, the last one remains
// for a moment.
type viewer struct {
	loader   *pane.Loader
	kind     pane.Kind
	step     int
	stepDiff bool
	edits    int

	wanted viewKey
	shown  viewKey
	doc    pane.Doc
	err    error
	top    int
	stale  bool // the shown view is too old to be shown
	cancel context.CancelFunc
}

// viewMsg is a loaded view.
type viewMsg struct {
	key viewKey
	doc pane.Doc
	err error
}

// staleMsg says that a view has not been loaded for a while.
type staleMsg struct{ key viewKey }

// slow is the time after which the last view is replaced with a note.
const slow = 300 * time.Millisecond

// isLoading reports whether the wanted view is not there yet.
func (v *viewer) isLoading() bool { return v.wanted != v.shown && !v.stale }

// load starts to load the view of the selected event, unless it is shown or on its way.
func (m *Model) load() tea.Cmd {
	v := &m.view
	e, ok := m.list.current()
	if !ok || m.height == 0 {
		v.wanted, v.shown, v.doc, v.err = viewKey{}, viewKey{}, pane.Doc{}, nil
		return nil
	}
	edit := m.holds.edits[e.Hold]
	if !e.Held() {
		edit = nil
	}
	if v.kind == pane.Edited && edit == nil {
		v.kind = pane.Transformed
	}
	key := viewKey{e.ID, e.Held(), v.kind, v.step, v.stepDiff, m.viewWidth(), v.edits}
	if key == v.wanted {
		return nil
	}
	if v.cancel != nil {
		v.cancel()
	}
	ctx, cancel := context.WithCancel(m.ctx)
	v.wanted, v.stale, v.cancel = key, false, cancel
	loader, req := v.loader, pane.Request{Entry: *e, Kind: v.kind, Step: v.step, StepDiff: v.stepDiff, Width: key.width, Edit: edit}
	return tea.Batch(func() tea.Msg {
		doc, err := loader.Load(ctx, req)
		return viewMsg{key, doc, err}
	}, tea.Tick(slow, func(time.Time) tea.Msg { return staleMsg{key} }))
}

// show takes a loaded view, unless another one is wanted by now.
func (v *viewer) show(msg viewMsg) {
	if msg.key != v.wanted {
		return
	}
	before := v.shown
	before.width, before.edits, before.held = msg.key.width, msg.key.edits, msg.key.held
	if before != msg.key {
		v.top = 0
	}
	v.shown, v.doc, v.err, v.stale = msg.key, msg.doc, msg.err, false
}

// scrollView moves the text by lines.
func (v *viewer) scroll(by, height int) {
	n := 0
	if v.doc.Text != nil {
		n = v.doc.Text.Len()
	}
	v.top = max(min(v.top+by, n-height), 0)
}

// draw returns height lines of the view.
func (v *viewer) draw(width, height int) []screen.Line {
	var lines []screen.Line
	switch {
	case v.stale:
		lines = []screen.Line{screen.Of(screen.Dim, "loading ...")}
	case v.err != nil:
		for _, l := range errorLines(v.err) {
			lines = append(lines, wrapped(l, width)...)
		}
	case v.doc.Text != nil:
		v.scroll(0, height)
		lines = v.doc.Text.Window(v.top, height)
	}
	return fill(lines, width, height)
}

// wrapped returns a line in several lines.
func wrapped(l screen.Line, width int) []screen.Line {
	style := screen.Plain
	if len(l) > 0 {
		style = l[0].Style
	}
	t := screen.Wrap([]screen.Row{{Text: l.String(), Style: style}}, width)
	return t.Window(0, t.Len())
}

// setKind selects a view and forgets the stage.
func (v *viewer) setKind(k pane.Kind) { v.kind, v.step, v.stepDiff = k, 0, false }

// cycle selects the next of the texts and their difference.
func (v *viewer) cycle(edited bool) {
	next := map[pane.Kind]pane.Kind{pane.Original: pane.Transformed, pane.Transformed: pane.Diff, pane.Diff: pane.Original}
	if edited {
		next[pane.Transformed], next[pane.Edited] = pane.Edited, pane.Diff
	}
	k, ok := next[v.kind]
	switch {
	case v.kind == pane.Stage:
		v.stepDiff = !v.stepDiff
	case ok:
		v.setKind(k)
	default:
		v.setKind(pane.Original)
	}
}

// walkStages selects the next or previous stage.
func (v *viewer) walk(by int) {
	switch {
	case v.kind != pane.Stage:
		v.setKind(pane.Stage)
		if by < 0 {
			v.step = -1
		}
	case v.shown.kind == pane.Stage && v.doc.Steps > 0:
		v.step = min(max(v.doc.Step+by, 0), v.doc.Steps-1)
	}
}
