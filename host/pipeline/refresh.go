package pipeline

import (
	"slices"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

const (
	maxRefreshes  = 64        // Contents that wait for an LLM at one time; further ones keep their provisional result
	maxHeldBytes  = 128 << 20 // sum of their sizes: a Content may be as large as a frame
	refreshAtOnce = 2         // concurrent background runs
	updateBuffer  = 16
)

// Update is a later Result that replaces a provisional one, because a missing
// answer has arrived. The host replaces the Tree of the provisional one.
type Update struct {
	Scopes  []flow.Scope // those that received the provisional result; Project and Subject differ
	Content flow.Content
	Hash    [32]byte // SHA-256 of Content.Bytes
	Result  Result
}

// refresher runs the requests of provisional results again when their missing
// answers have settled.
type refresher struct {
	updates chan Update
	slots   chan struct{}

	mu      sync.Mutex
	waiting map[refreshKey]*audience
	held    int // bytes of the Contents of running goroutines
}

// refreshKey is the key of the first provisional run of a loop. The session is set
// only if a run read it.
type refreshKey struct {
	key     [32]byte
	session string
}

// audience is the list of scopes that received one provisional result.
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
// must read it continuously; otherwise refreshing stops.
func (p *Pipeline) Updates() <-chan Update { return p.refresh.updates }

// follow schedules another run for the request of a provisional loop. Requests that
// wait for the same answers are run again once.
func (p *Pipeline) follow(r Request, l *loop) {
	k := refreshKey{key: l.firstKey}
	if l.private {
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
	pending := l.pending
	if p.spawn(func() {
		p.runAgain(k, a, r, pending)
		f.end(k, a)
		f.release(size)
	}) {
		f.waiting[k] = a
		f.held += size
	}
}

// runAgain waits for the missing answers and runs the request again, until no
// result is provisional, a step fails, or the number of runs is used up. A failed
// run replaces nothing.
func (p *Pipeline) runAgain(k refreshKey, a *audience, r Request, pending []<-chan struct{}) {
	r.Content.LLMWaited = 0 // no client waits for this run
	for range abi.LimitBackgroundRuns {
		if !p.await(pending) {
			return
		}
		l := loop{p: p, r: &r, kind: abi.KindStage}
		res, err := l.walk(p.life)
		<-p.refresh.slots
		if err != nil || l.broken {
			return
		}
		pending = l.pending
		if len(pending) == 0 {
			p.refresh.end(k, a) // a scope that receives the old result from now on needs its own update
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

// await waits for all channels and then for a slot, which the caller releases.
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
