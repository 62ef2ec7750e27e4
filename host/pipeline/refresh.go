package pipeline

import (
	"slices"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

const (
	maxRefreshes  = 64        // Contents that wait for an LLM at one time; more stay as they are
	maxHeldBytes  = 128 << 20 // of them all: a Content may be as large as a frame
	refreshAtOnce = 2         // runs off the request path
	updateBuffer  = 16
)

// Update is a Result that came later: what was missing in a provisional one is
// there now. The host puts its Tree in the place of the old one.
type Update struct {
	Scopes  []flow.Scope // who was given the provisional result; Project and Subject differ
	Content flow.Content
	Hash    [32]byte // SHA-256 of Content.Bytes
	Result  Result
}

// refresher runs provisional results again once what they lack has settled.
type refresher struct {
	updates chan Update
	slots   chan struct{}

	mu      sync.Mutex
	waiting map[refreshKey]*audience
	held    int // bytes of the Contents of routines that run
}

// refreshKey is the key of the first provisional run of a tour; a session only
// if a run read its name.
type refreshKey struct {
	key     [32]byte
	session string
}

// audience is who was given one provisional result.
type audience struct{ scopes []flow.Scope }

func (a *audience) add(s flow.Scope) {
	for _, old := range a.scopes {
		if old.Project == s.Project && old.Subject == s.Subject {
			return
		}
	}
	a.scopes = append(a.scopes, s)
}

func newRefresher() refresher {
	return refresher{
		updates: make(chan Update, updateBuffer),
		slots:   make(chan struct{}, refreshAtOnce),
		waiting: make(map[refreshKey]*audience),
	}
}

// Updates delivers results that replace provisional ones, until Close. The host
// reads it all the time: nothing is refreshed while nobody does.
func (p *Pipeline) Updates() <-chan Update { return p.refresh.updates }

// follow sees to it that the request of a provisional tour is run again.
// Requests that wait for the same answers are run again once.
func (p *Pipeline) follow(r Request, t *tour) {
	k := refreshKey{key: t.firstKey}
	if t.private {
		k.session = r.Scope.Session
	}
	f := &p.refresh
	f.mu.Lock()
	defer f.mu.Unlock()
	if a := f.waiting[k]; a != nil {
		a.add(r.Scope)
		return
	}
	size := len(r.Content.Bytes)
	if len(f.waiting) >= maxRefreshes || f.held+size > maxHeldBytes {
		return
	}
	a := &audience{scopes: []flow.Scope{r.Scope}}
	pending := t.pending
	if p.spawn(func() {
		p.runAgain(k, a, r, pending)
		f.end(k, a)
		f.release(size)
	}) {
		f.waiting[k] = a
		f.held += size
	}
}

// runAgain waits and runs, until nothing is provisional any more, a step fails
// or the number of runs is used up. A run that failed replaces nothing.
func (p *Pipeline) runAgain(k refreshKey, a *audience, r Request, pending []<-chan struct{}) {
	r.Content.LLMWaited = 0 // nobody waits for this
	for range abi.LimitBackgroundRuns {
		if !p.await(pending) {
			return
		}
		t := tour{p: p, r: &r, kind: abi.KindStage}
		res, err := t.walk(p.life)
		<-p.refresh.slots
		if err != nil || t.broken {
			return
		}
		pending = t.pending
		if len(pending) == 0 {
			p.refresh.end(k, a) // who is still given the old result follows anew
		}
		u := Update{Scopes: p.refresh.audience(a), Content: r.Content, Hash: *r.hash(), Result: res}
		select {
		case p.refresh.updates <- u:
		case <-p.life.Done():
			return
		}
		if len(pending) == 0 {
			return
		}
	}
}

// await waits for all channels, then for a slot, which the caller gives back.
func (p *Pipeline) await(pending []<-chan struct{}) bool {
	for _, c := range pending {
		select {
		case <-c:
		case <-p.life.Done():
			return false
		}
	}
	select {
	case p.refresh.slots <- struct{}{}:
		return true
	case <-p.life.Done():
		return false
	}
}

func (f *refresher) audience(a *audience) []flow.Scope {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(a.scopes)
}

func (f *refresher) end(k refreshKey, a *audience) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting[k] == a {
		delete(f.waiting, k)
	}
}

func (f *refresher) release(size int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held -= size
}
