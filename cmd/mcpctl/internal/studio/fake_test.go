package studio

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// daemon is a Service in memory. Its queries are not evaluated; "bad" is invalid.
type daemon struct {
	mu          sync.Mutex
	events      []api.Event
	more        chan struct{} // closed by the next add
	stopped     chan struct{} // closed while the daemon does not run
	bodies      map[uint64][2][]string
	replay      api.Replay
	rule        api.HoldRule
	held        []api.Hold
	released    []string // what was done with holds
	model       string
	queries     []string
	sessions    []api.Session
	corrections []api.Correction
}

func newDaemon() *daemon {
	return &daemon{more: make(chan struct{}), stopped: make(chan struct{}), bodies: make(map[uint64][2][]string), model: "subindex"}
}

func (d *daemon) add(e ...api.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, e...)
	close(d.more)
	d.more = make(chan struct{})
}

// stop ends all streams and forgets the events, like a restart.
func (d *daemon) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = nil
	close(d.stopped)
}

func (d *daemon) start() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = make(chan struct{})
}

var errDown = problem.New(abi.ErrUnavailable, "no daemon")

func (d *daemon) check() error {
	select {
	case <-d.stopped:
		return errDown
	default:
		return nil
	}
}

func (d *daemon) Follow(ctx context.Context, q api.EventQuery, got func(api.Event) error) error {
	for sent := 0; ; {
		d.mu.Lock()
		d.queries = append(d.queries, q.Query)
		now, more, stopped := d.events[min(sent, len(d.events)):], d.more, d.stopped
		d.mu.Unlock()
		select {
		case <-stopped:
			return errDown
		default:
		}
		for _, e := range now {
			sent++
			if e.ID > q.After {
				_ = got(e)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-stopped:
			return errDown
		case <-more:
		}
	}
}

func (d *daemon) Events(_ context.Context, q api.EventQuery) ([]api.Event, error) {
	if q.Query == "bad" {
		p := problem.New(abi.ErrConfig, `unknown word "bad"`)
		p.At = "query:1"
		return nil, p
	}
	return nil, nil
}

func (d *daemon) Body(_ context.Context, id uint64, kind api.BodyKind) (b api.Body, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	texts, ok := d.bodies[id]
	if !ok {
		return b, problem.New(abi.ErrNotFound, "the texts of event %d are no longer stored", id)
	}
	list := texts[0]
	if kind == api.BodyShown {
		list = texts[1]
	}
	for _, s := range list {
		b.Parts = append(b.Parts, api.BodyPart{Source: "home/get", Text: s})
	}
	return b, nil
}

func (d *daemon) Replay(context.Context, uint64) (api.Replay, error) { return d.replay, nil }

func (d *daemon) Object(context.Context, string, string, string) (api.Object, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	manifest, err := json.Marshal(map[string]any{"spec": map[string]string{"proxyModel": d.model}})
	return api.Object{Manifest: manifest}, err
}

func (d *daemon) Objects(context.Context, string, string) ([]api.Object, error) {
	return []api.Object{{Name: "default", Source: "built-in"}, {Name: "subindex", Source: "built-in"}, {Name: "mine", Source: "local"}, {Name: "broken", Source: "local", Problem: "stage \x1b[31m\"x\" not found"}}, nil
}

func (d *daemon) Sessions(context.Context, string) ([]api.Session, error) { return d.sessions, nil }

func (d *daemon) HoldRule(context.Context, string) (api.HoldRule, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.rule
	r.Pending = len(d.held)
	return r, d.check()
}

func (d *daemon) SetHoldRule(_ context.Context, _ string, r api.HoldRule) (api.HoldRule, error) {
	if r.Query == "bad" {
		return r, problem.New(abi.ErrConfig, `unknown word "bad"`)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rule = r
	return r, nil
}

func (d *daemon) Holds(context.Context, string) ([]api.Hold, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.held), nil
}

func (d *daemon) Hold(_ context.Context, id uint64) (api.Hold, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, h := range d.held {
		if h.ID == id {
			return h, nil
		}
	}
	return api.Hold{}, abi.ErrNotFound
}

func (d *daemon) Release(_ context.Context, id uint64, r api.Release) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.held)
	d.held = slices.DeleteFunc(d.held, func(h api.Hold) bool { return h.ID == id })
	if len(d.held) == n {
		return abi.ErrNotFound
	}
	what := r.Action
	for _, s := range r.Texts {
		what += " " + s
	}
	d.released = append(d.released, what)
	return nil
}

func (d *daemon) ReleaseAll(context.Context, string) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.held)
	d.held = nil
	d.released = append(d.released, "all")
	return n, nil
}

func (d *daemon) Corrections(context.Context, string, string) ([]api.Correction, error) {
	return d.corrections, nil
}

// hold holds an answer and adds the event.
func (d *daemon) hold(event, id uint64, original, shown []string) {
	now := time.Now()
	d.mu.Lock()
	d.held = append(d.held, api.Hold{ID: id, Source: "home/get", Since: now, Deadline: now.Add(45 * time.Second), Original: original, Shown: shown})
	d.mu.Unlock()
	d.add(api.Event{ID: event, Type: "content_paused", Time: now, Source: "home/get", Session: "s1", Refs: []string{"r"}, Hold: &api.HoldEnd{ID: id}})
}

// terminal runs a Model like bubbletea, in the bubble of a test.
type terminal struct {
	t       *testing.T
	m       *Model
	d       *daemon
	saved   []string
	clip    string
	hasQuit bool
	msgs    chan tea.Msg
}

// onTerminal runs a test with a screen of a size.
func onTerminal(t *testing.T, d *daemon, width, height int, change func(*Options), test func(*terminal)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		d.more, d.stopped = make(chan struct{}), make(chan struct{}) // of this bubble
		x := &terminal{t: t, d: d, msgs: make(chan tea.Msg, 1000)}
		opt := Options{Service: d, Project: "home", Location: time.UTC}
		opt.SwitchModel = func(_ context.Context, model string) error {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.model = model
			return nil
		}
		opt.SaveTest = func(_ context.Context, id string) (string, error) {
			x.saved = append(x.saved, id)
			return "testdata/" + id + ".txtar", nil
		}
		if change != nil {
			change(&opt)
		}
		x.m = NewModel(ctx, opt)
		x.run(x.m.Init())
		x.send(tea.WindowSizeMsg{Width: width, Height: height})
		x.wait(time.Second) // all stored events have arrived
		test(x)
		cancel()
		<-time.After(time.Minute) // of the bubble: the timers of commands end
	})
}

func (x *terminal) run(cmd tea.Cmd) {
	if cmd != nil {
		go func() { x.msgs <- cmd() }()
	}
}

// send handles a message and everything that follows from it at this moment.
func (x *terminal) send(msg tea.Msg) {
	x.handle(msg)
	for {
		synctest.Wait()
		select {
		case msg := <-x.msgs:
			x.handle(msg)
		default:
			return
		}
	}
}

func (x *terminal) handle(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.QuitMsg:
		x.hasQuit = true
	case tea.BatchMsg:
		for _, cmd := range msg {
			x.run(cmd)
		}
	default:
		v := reflect.ValueOf(msg)
		switch v.Type().String() {
		case "tea.sequenceMsg": // not exported
			go func() {
				for i := range v.Len() {
					x.msgs <- v.Index(i).Interface().(tea.Cmd)()
				}
			}()
		case "tea.setClipboardMsg":
			x.clip = v.String()
		default:
			x.run(x.m.Update(msg))
		}
	}
}

// keys presses keys, given by name or as text.
func (x *terminal) keys(names ...string) {
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "end": tea.KeyEnd}
	for _, name := range names {
		if code, ok := special[name]; ok {
			x.send(tea.KeyPressMsg{Code: code})
			continue
		}
		if len(name) > 5 && name[:5] == "ctrl+" {
			x.send(tea.KeyPressMsg{Code: rune(name[5]), Mod: tea.ModCtrl})
			continue
		}
		for _, r := range name {
			x.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// wait lets time pass.
func (x *terminal) wait(d time.Duration) {
	end := time.After(d)
	for {
		select {
		case <-end:
			x.send(nil)
			return
		case msg := <-x.msgs:
			x.send(msg)
		}
	}
}

// text returns the screen as text, without blanks at the ends of lines.
func (x *terminal) text() string { return frameText(x.m) }
