package proxy

import (
	"sync"
	"time"
)

// registry holds the sessions that are open. One that has no request running
// and no stream open for a while is ended: clients leave without a word.
// Safe for concurrent use.
type registry struct {
	idle time.Duration
	most int

	mu       sync.Mutex
	sessions map[string]*tenancy
	closed   bool
}

// tenancy is a session in the registry and what it is busy with.
type tenancy struct {
	*Session
	end   func() // what ends besides the session
	busy  int
	timer *time.Timer
}

func newRegistry(idle time.Duration, most int) *registry {
	return &registry{idle: idle, most: most, sessions: make(map[string]*tenancy)}
}

// add takes a session in; end is called once when it ends. It reports false if
// there are too many, or none are taken any more.
func (r *registry) add(s *Session, end func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || len(r.sessions) >= r.most {
		return false
	}
	t := &tenancy{Session: s, end: end}
	if r.idle > 0 {
		t.timer = time.AfterFunc(r.idle, func() { r.expire(t) })
	}
	r.sessions[s.id] = t
	return true
}

// takes reports whether there is room for one more session at this moment.
func (r *registry) takes() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.closed && len(r.sessions) < r.most
}

// enter finds a session and keeps it from expiring until leave.
func (r *registry) enter(id string) (t *tenancy, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t, ok = r.sessions[id]; ok {
		t.busy++
		if t.timer != nil {
			t.timer.Stop()
		}
	}
	return t, ok
}

func (r *registry) leave(t *tenancy) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.busy--
	if t.busy == 0 && t.timer != nil && r.sessions[t.id] == t {
		t.timer.Reset(r.idle)
	}
}

func (r *registry) expire(t *tenancy) {
	r.mu.Lock()
	idle := t.busy == 0 && r.sessions[t.id] == t
	if idle {
		delete(r.sessions, t.id)
	}
	r.mu.Unlock()
	if idle {
		t.finish(endedIdle)
	}
}

// Why a session ends, as on_close is told.
const (
	endedByClient = "client"
	endedIdle     = "idle"
	endedByHost   = "shutdown"
)

// remove ends a session.
func (r *registry) remove(t *tenancy, reason string) {
	r.mu.Lock()
	_, open := r.sessions[t.id]
	delete(r.sessions, t.id)
	r.mu.Unlock()
	if open {
		if t.timer != nil {
			t.timer.Stop()
		}
		t.finish(reason)
	}
}

// close ends all sessions and takes no more.
func (r *registry) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	for _, t := range r.of("") {
		r.remove(t, endedByHost)
	}
}

func (t *tenancy) finish(reason string) {
	t.close(reason)
	t.end()
}

// of returns the sessions of a project, all with "".
func (r *registry) of(project string) []*tenancy {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*tenancy
	for _, t := range r.sessions {
		if project == "" || t.scope.Project == project {
			all = append(all, t)
		}
	}
	return all
}
