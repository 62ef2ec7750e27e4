package studio

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/pane"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/screen"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/traffic"
)

// Model is the state of the screen. It is not safe for concurrent use; commands report to
// it by messages.
type Model struct {
	opt           Options
	ctx           context.Context
	width, height int

	list     list
	view     viewer
	holds    holding
	expanded bool // the view has the whole screen

	query    string
	after    uint64 // id: earlier events were cleared
	feed     *traffic.Feed
	stopFeed context.CancelFunc

	proxymodel string   // of the project; "" for the default
	undo       []string // proxymodels before the switches of this screen
	sessions   []api.Session
	offline    bool // the daemon does not answer

	over   overlay     // sidebar, picker or help; nil for none
	prompt *prompt     // input in the status line
	ask    *question   // in the status line
	area   *editing    // edits a held answer in place
	note   screen.Line // message in the status line, until the next key
}

// NewModel returns the screen of a project. Commands end with ctx.
func NewModel(ctx context.Context, opt Options) *Model {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Location == nil {
		opt.Location = time.Local
	}
	m := &Model{opt: opt, ctx: ctx}
	m.list.follow = true
	m.view.loader, m.view.kind = pane.NewLoader(opt.Service), pane.Transformed
	m.holds.edits = make(map[uint64][]string)
	return m
}

func (m *Model) now() time.Time { return m.opt.Now() }

// Init starts to receive events.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.follow(""), m.poll(0), readModel(m))
}

// doneMsg is the end of a command. then changes the model if err is nil.
type doneMsg struct {
	note string
	err  error
	then func(*Model) tea.Cmd
}

// Update changes the screen.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd := m.update(msg)
	return tea.Batch(cmd, m.load())
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case batchMsg:
		return m.receive(msg)
	case pollMsg:
		return m.polled(msg)
	case viewMsg:
		m.view.show(msg)
	case staleMsg:
		if msg.key == m.view.wanted && m.view.shown != m.view.wanted {
			m.view.stale = true
		}
	case doneMsg:
		return m.done(msg)
	}
	return nil
}

func (m *Model) done(msg doneMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		m.fail(msg.err)
	case msg.note != "":
		m.say(msg.note)
	}
	if msg.then != nil && msg.err == nil {
		return msg.then(m)
	}
	return nil
}

// say shows a message until the next key.
func (m *Model) say(text string) { m.note = screen.Of(screen.Cyan, screen.Clean(text)) }

// fail shows an error until the next key.
func (m *Model) fail(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	var texts []string
	for _, l := range errorLines(err) {
		texts = append(texts, l.String())
	}
	m.note = screen.Of(screen.Red.With(screen.Bold), strings.Join(texts, "; "))
}

// batchMsg is new events of a feed.
type batchMsg struct {
	feed  *traffic.Feed
	batch traffic.Batch
}

// follow replaces the list with the events of a query.
func (m *Model) follow(query string) tea.Cmd {
	if m.stopFeed != nil {
		m.stopFeed()
	}
	ctx, stop := context.WithCancel(m.ctx)
	m.query, m.stopFeed = query, stop
	m.feed = traffic.NewFeed(api.EventQuery{Project: m.opt.Project, Query: query, After: m.after})
	m.list.log.Clear()
	m.list.follow = true
	feed, svc := m.feed, m.opt.Service
	return tea.Batch(func() tea.Msg {
		feed.Run(ctx, svc)
		return nil
	}, next(ctx, feed, 0))
}

// next waits for events, but not before a delay.
func next(ctx context.Context, feed *traffic.Feed, delay time.Duration) tea.Cmd {
	return func() tea.Msg {
		if delay > 0 {
			t := time.NewTimer(delay)
			defer t.Stop()
			select {
			case <-ctx.Done():
				return nil
			case <-t.C:
			}
		}
		if b, ok := feed.Next(ctx); ok {
			return batchMsg{feed, b}
		}
		return nil
	}
}

// receive adds events to the list.
func (m *Model) receive(msg batchMsg) tea.Cmd {
	if msg.feed != m.feed {
		return nil // of an earlier query
	}
	b := msg.batch
	if b.Restarted {
		m.list.log.Clear()
		m.after = 0
		m.view.loader.Forget()
		m.online("connected again")
	}
	var cmd tea.Cmd
	for _, e := range b.Entries {
		m.take(e)
		if e.Type == traffic.Switched {
			cmd = readModel(m)
		}
	}
	m.list.settle()
	if b.Dropped > 0 {
		m.say("some events arrived too fast and are missing in the list")
	}
	switch {
	case b.Fatal:
		m.fail(b.Err)
		return cmd
	case b.Err != nil:
		m.offline = true
	}
	return tea.Batch(cmd, next(m.ctx, m.feed, batchEvery))
}

// take adds an event. The release of an answer is no row of its own, because the call has one.
func (m *Model) take(e traffic.Entry) {
	if e.Hold != 0 && e.Outcome != "" {
		m.ended(e.Hold)
	}
	if e.Type != traffic.Released || strings.Contains(m.query, "type:") {
		m.list.log.Add(e)
	}
}

// online notes that the daemon answers.
func (m *Model) online(text string) {
	if m.offline {
		m.offline = false
		m.say(text)
	}
}

// readModel reads the name of the project's proxymodel.
func readModel(m *Model) tea.Cmd {
	return func() tea.Msg {
		name, err := projectModel(m.ctx, m.opt.Service, m.opt.Project)
		return doneMsg{err: offlineIsNoError(err), then: func(m *Model) tea.Cmd {
			if err == nil {
				m.proxymodel = name
			}
			return nil
		}}
	}
}

// offlineIsNoError drops the error of a daemon that is not there, which the title shows.
func offlineIsNoError(err error) error {
	if errors.Is(err, abi.ErrUnavailable) {
		return nil
	}
	return err
}

// projectModel returns the proxymodel in the file of a project; "" for the default.
func projectModel(ctx context.Context, svc Service, project string) (string, error) {
	o, err := svc.Object(ctx, "project", "", project)
	if err != nil {
		return "", err
	}
	var manifest struct{ Spec struct{ ProxyModel string } }
	err = json.Unmarshal(o.Manifest, &manifest)
	return manifest.Spec.ProxyModel, err
}
