package host

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/correction"
	"github.com/mcpctl/mcpctl/host/event"
	eventquery "github.com/mcpctl/mcpctl/host/event/query"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hold"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/review"
	"github.com/mcpctl/mcpctl/host/section"
	"github.com/mcpctl/mcpctl/host/transform"
)

// newReviewer returns the Reviewer of all answers.
func newReviewer(h *Host) proxy.Reviewer {
	return &review.Reviewer{Parts: review.Parts{
		Store: h.transformer.Store, Original: h.Storage().Original, Describe: eventLog{h}.describe, Watched: h.watchers.watch,
		Events: h.events, Holds: h.holds, Corrections: h.corrections, Log: h.log,
		Edited: func(c correction.Correction) { recordAnswerEdit(h.opts.Home, h.log, c) },
	}}
}

// watchers counts the streams of events by project; "" follows all projects. The zero
// value is empty. It is safe for concurrent use.
type watchers struct {
	mu sync.Mutex
	n  map[string]int
}

// add adds a stream until done is called.
func (w *watchers) add(project string) (done func()) {
	w.count(project, 1)
	return func() { w.count(project, -1) }
}

func (w *watchers) count(project string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n == nil {
		w.n = make(map[string]int)
	}
	if w.n[project] += n; w.n[project] == 0 {
		delete(w.n, project)
	}
}

// watch reports whether a stream follows a project.
func (w *watchers) watch(project string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.n[project] > 0 || w.n[""] > 0
}

// Studio returns the operations with which a person sees and steers traffic.
func (h *Host) Studio() Studio { return Studio{h} }

// Studio reads the texts of events, and runs them again.
type Studio struct{ h *Host }

// Holds returns the held answers.
func (s Studio) Holds() *hold.Holds { return s.h.holds }

// Corrections returns the edits of held answers.
func (s Studio) Corrections() *correction.Store { return s.h.corrections }

// Event returns a stored event.
//
// Errors: abi.ErrNotFound.
func (s Studio) Event(id uint64) (event.Event, error) {
	e, ok := s.h.events.Get(id)
	switch last := s.h.events.Last(); {
	case ok:
		return e, nil
	case id > last || id == 0:
		return e, fmt.Errorf("%w: event %d, the last one is %d", abi.ErrNotFound, id, last)
	}
	return e, fmt.Errorf("%w: event %d is no longer stored", abi.ErrNotFound, id)
}

// Text is one stored text of an event.
type Text struct {
	Ref string
	flow.Content
}

// Originals returns the texts that the server sent, after the filters.
//
// Errors: abi.ErrNotFound.
func (s Studio) Originals(id uint64) ([]Text, error) {
	e, err := s.Event(id)
	if err != nil {
		return nil, err
	}
	if len(e.Refs) == 0 {
		return nil, fmt.Errorf("%w: event %d (%s) has no stored original", abi.ErrNotFound, id, e.Type)
	}
	return s.texts(e, e.Refs)
}

// Shown returns the texts that the client received.
//
// Errors: abi.ErrNotFound.
func (s Studio) Shown(id uint64) ([]Text, error) {
	e, err := s.Event(id)
	switch {
	case err != nil:
		return nil, err
	case len(e.Shown) > 0:
		return s.texts(e, e.Shown)
	case len(e.Refs) > 0 && !e.Changed && e.Section == "":
		return s.texts(e, e.Refs)
	case e.Error != "": // the answer was this error
		return []Text{{Content: flow.Content{Source: e.Source, Bytes: []byte(e.Error)}}}, nil
	}
	return nil, fmt.Errorf("%w: the text that the client received for event %d (%s) was not stored", abi.ErrNotFound, id, e.Type)
}

func (s Studio) texts(e event.Event, refs []string) (texts []Text, err error) {
	for _, ref := range refs {
		c, err := s.h.Storage().Original(e.Project, ref)
		if err != nil {
			return nil, err
		}
		texts = append(texts, Text{ref, c})
	}
	return texts, nil
}

// maxOutline is the number of sections in a Coverage.
const maxOutline = 4000

// Coverage describes how much of an original the model has read.
type Coverage struct {
	Ref      string
	Bytes    int
	Whole    bool     // the client received the original itself
	Read     [][2]int // sorted and disjoint
	Sections []section.Outline
}

// Coverage returns what was read of the originals of an event, in its session.
//
// Errors: abi.ErrNotFound.
func (s Studio) Coverage(id uint64) (list []Coverage, err error) {
	e, err := s.Event(id)
	if err != nil {
		return nil, err
	}
	originals, err := s.Originals(id)
	if err != nil {
		return nil, err
	}
	reads := s.readsOf(e)
	for _, o := range originals {
		c := Coverage{Ref: o.Ref, Bytes: len(o.Bytes), Whole: !e.Changed && e.Section == "", Read: joinRanges(reads[o.Ref])}
		if c.Whole {
			c.Read = [][2]int{{0, len(o.Bytes)}}
		}
		doc, err := s.h.transformer.Doc(flow.Scope{Project: e.Project}, o.Ref)
		if err != nil {
			return nil, err
		}
		c.Sections = doc.Outline(maxOutline)
		list = append(list, c)
	}
	return list, nil
}

// readsOf returns the ranges that the session of an event has read, by ref.
func (s Studio) readsOf(e event.Event) map[string][][2]int {
	reads := make(map[string][][2]int)
	for _, r := range s.h.events.Since(0, event.Query{Project: e.Project, Session: e.Session}) {
		if r.Range != nil && len(r.Refs) > 0 && r.Type != event.ContentTransformed {
			reads[r.Refs[0]] = append(reads[r.Refs[0]], *r.Range)
		}
	}
	return reads
}

// joinRanges sorts ranges and joins those that touch.
func joinRanges(ranges [][2]int) [][2]int {
	joined := [][2]int{}
	slices.SortFunc(ranges, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	for _, r := range ranges {
		if n := len(joined); n > 0 && r[0] <= joined[n-1][1] {
			joined[n-1][1] = max(joined[n-1][1], r[1])
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// Replay is a run of one original through the present stages.
type Replay struct {
	transform.Replay
	Same bool // the client received the same text
}

// Replay runs the originals of an event through the stages of its project as they are
// now.
//
// Errors: abi.ErrNotFound.
func (s Studio) Replay(ctx context.Context, id uint64) (list []Replay, err error) {
	e, err := s.Event(id)
	if err != nil {
		return nil, err
	}
	originals, err := s.Originals(id)
	if err != nil {
		return nil, err
	}
	shown, err := s.Shown(id)
	if err != nil {
		shown = nil // then nothing is the same
	}
	for _, o := range originals {
		r, err := s.h.transformer.Replay(ctx, e.Project, o.Ref, o.Content, s.h.config.AnswerLimit(e.Project))
		if err != nil {
			return nil, err
		}
		same := slices.ContainsFunc(shown, func(t Text) bool { return string(t.Bytes) == string(r.Text) })
		list = append(list, Replay{r, same})
	}
	return list, nil
}

// Session is an open session, or one whose events are still stored.
type Session struct {
	proxy.SessionInfo
	Open   bool
	Model  string // of its project now; of a session that has ended, the last one that it used
	Events int
	Last   event.Event // the latest one; zero if there is none
	Held   int
}

// IgnoringClients returns the clients that were observed to ignore list_changed, by name and
// version, the latest first.
func (s Studio) IgnoringClients() (names []string) {
	for _, c := range slices.Backward(s.h.endpoint.IgnoringClients()) {
		if name := c.Name + " " + c.Version; !slices.Contains(names, name) { // of another subject
			names = append(names, name)
		}
	}
	return names
}

// Sessions returns the sessions of a project, the latest last; "" means all projects.
func (s Studio) Sessions(project string) []Session {
	byID := make(map[string]*Session)
	for _, info := range s.h.endpoint.OpenSessions(project) {
		byID[info.Scope.Session] = &Session{SessionInfo: info, Open: true}
	}
	for _, e := range s.h.events.Since(0, event.Query{Project: project}) {
		if e.Session == "" {
			continue
		}
		o := byID[e.Session]
		if o == nil {
			o = &Session{SessionInfo: proxy.SessionInfo{Scope: flow.Scope{Project: e.Project, Session: e.Session}, Client: e.Client, Opened: e.Time}}
			byID[e.Session] = o
		}
		o.Events++
		o.Last = e
		if len(e.Runs) > 0 {
			o.Model = e.Runs[len(e.Runs)-1].Model
		}
	}
	for _, a := range s.h.holds.List(project) {
		if o := byID[a.Info.(review.Held).Event.Session]; o != nil {
			o.Held++
		}
	}
	state := s.h.config.State()
	var list []Session
	for _, o := range byID {
		if o.Open || o.Model == "" { // a session that has ended keeps the last one that it used
			o.Model = state.ModelOf(o.Scope.Project)
		}
		list = append(list, *o)
	}
	slices.SortFunc(list, func(a, b Session) int { return a.Opened.Compare(b.Opened) })
	return list
}

// SetHoldRule sets which answers of a project are held: all, those that a query selects,
// or none.
//
// Errors: abi.ErrConfig for an invalid query.
func (s Studio) SetHoldRule(project string, all bool, query string) error {
	r := hold.Rule{All: all}
	if query = strings.TrimSpace(query); query != "" {
		q, err := eventquery.Parse(query)
		if err != nil {
			return err
		}
		r.Query = q.String()
		r.Match = func(a *hold.Answer) bool {
			return q.Matches(eventquery.Record{Event: a.Info.(review.Held).Event, Text: func() []string { return a.Texts }})
		}
	}
	s.h.holds.SetRule(project, r)
	return nil
}
