package proxy

import (
	"sync"
	"time"
)

// registry holds the sessions that are open. One without a running request and an
// open stream first releases its servers and then ends: few clients say that they
// leave. When it ends depends on what shows that the client is gone (see patience).
// Safe for concurrent use.
type registry struct {
	release, abandoned, idle time.Duration
	most                     int

	mu       sync.Mutex
	sessions map[string]*tenancy
	closed   bool
}

// tenancy is a session in the registry and what it is busy with.
type tenancy struct {
	*Session
	end      func() // ends what belongs to the session besides it
	busy     int
	used     bool // a request came after initialize
	streamed bool // the client has opened a stream
	released bool // its servers were released
	timer    *time.Timer
}

func newRegistry(o Options, most int) *registry {
	return &registry{release: o.ReleaseAfter, abandoned: o.AbandonedAfter, idle: o.IdleAfter, most: most, sessions: make(map[string]*tenancy)}
}

// pause is how long the timer of a session runs: until its servers are released, and
// then until it ends.
func (r *registry) pause(t *tenancy) time.Duration {
	whole := r.patience(t)
	switch {
	case whole <= r.release:
		return whole
	case t.released:
		return whole - r.release
	}
	return r.release
}

// patience is how long the session stays open with nothing going on. A client that
// had a stream has closed it, and one that sent no request has not begun: both are
// gone, or will find out with the next request, which opens a new session.
func (r *registry) patience(t *tenancy) time.Duration {
	if t.streamed || !t.used {
		return min(r.abandoned, r.idle)
	}
	return r.idle
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
	t.timer = time.AfterFunc(r.pause(t), func() { r.expire(t) })
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
		t.released = false
		t.timer.Stop()
	}
	return t, ok
}

func (r *registry) leave(t *tenancy) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.busy--
	if t.busy == 0 && r.sessions[t.id] == t {
		t.timer.Reset(r.pause(t))
	}
}

// note records what the client of a session has shown of itself.
func (r *registry) note(t *tenancy, request, stream bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.used, t.streamed = t.used || request, t.streamed || stream
}

func (r *registry) expire(t *tenancy) {
	r.mu.Lock()
	idle := t.busy == 0 && r.sessions[t.id] == t
	release := idle && !t.released && r.patience(t) > r.release
	switch {
	case release:
		t.released = true
		t.timer.Reset(r.pause(t))
	case idle:
		delete(r.sessions, t.id)
	}
	r.mu.Unlock()
	switch {
	case release:
		t.releaseServers()
	case idle:
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
		t.timer.Stop()
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
