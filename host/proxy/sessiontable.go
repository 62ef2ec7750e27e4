package proxy

import (
	"sync"
	"time"
)

// Reasons for the end of a session, as the hook on_close gets them.
const (
	endedByClient = "client"
	endedIdle     = "idle"
	endedByHost   = "shutdown"
)

// maxSessions is the number of open sessions of an Endpoint.
const maxSessions = 10_000

// sessionTable holds the open sessions. A session without a running request and an open
// stream first releases its servers and then ends, because few clients end their
// sessions. It is safe for concurrent use.
type sessionTable struct {
	releaseAfter, abandonedAfter, idleAfter time.Duration
	limit                                   int

	mu       sync.Mutex
	sessions map[string]*sessionEntry
	closed   bool
}

// sessionEntry is a session in the table and its activity.
type sessionEntry struct {
	*Session
	onEnd      func() // called once when the session ends
	busy       int    // running requests and open streams
	hasRequest bool   // a request came after initialize
	hasStream  bool   // the client has opened a stream
	isReleased bool   // its servers were released
	timer      *time.Timer
	idleSince  time.Time // of the last request or stream that ended
}

func newSessionTable(o Options, limit int) *sessionTable {
	return &sessionTable{
		releaseAfter: o.ReleaseAfter, abandonedAfter: o.AbandonedAfter, idleAfter: o.IdleAfter,
		limit: limit, sessions: make(map[string]*sessionEntry),
	}
}

// add adds a session; onEnd is called once when it ends. It reports false if there are
// too many sessions, or the table is closed.
func (t *sessionTable) add(s *Session, onEnd func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || len(t.sessions) >= t.limit {
		return false
	}
	o := &sessionEntry{Session: s, onEnd: onEnd, idleSince: time.Now()}
	o.timer = time.AfterFunc(t.timeout(o), func() { t.expire(o) })
	t.sessions[s.id] = o
	return true
}

// makeRoom reports whether a session can be added now. If there are too many, it first ends
// the one that has been idle for the longest time: its client gets a new one with its next
// request, while a refused client gets none.
func (t *sessionTable) makeRoom() bool {
	t.mu.Lock()
	var oldest *sessionEntry
	if !t.closed && len(t.sessions) >= t.limit {
		for _, o := range t.sessions {
			if o.busy == 0 && (oldest == nil || o.idleSince.Before(oldest.idleSince)) {
				oldest = o
			}
		}
	}
	hasRoom := !t.closed && (len(t.sessions) < t.limit || oldest != nil)
	t.mu.Unlock()
	if oldest != nil {
		t.remove(oldest, endedIdle)
	}
	return hasRoom
}

// enter finds a session and keeps it from expiring until leave.
func (t *sessionTable) enter(id string) (o *sessionEntry, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if o, ok = t.sessions[id]; ok {
		o.busy++
		o.isReleased = false
		o.timer.Stop()
	}
	return o, ok
}

func (t *sessionTable) leave(o *sessionEntry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	o.busy--
	if o.busy == 0 && t.sessions[o.id] == o {
		o.idleSince = time.Now()
		o.timer.Reset(t.timeout(o))
	}
}

// recordRequest records that a session has got a request after initialize.
func (t *sessionTable) recordRequest(o *sessionEntry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	o.hasRequest = true
}

// recordStream records that the client of a session has opened a stream.
func (t *sessionTable) recordStream(o *sessionEntry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	o.hasStream = true
}

// lifetime returns how long an idle session stays open. A client that had a stream has
// closed it, and one that sent no request has not started: both are gone, or get a new
// session with their next request.
func (t *sessionTable) lifetime(o *sessionEntry) time.Duration {
	if o.hasStream || !o.hasRequest {
		return min(t.abandonedAfter, t.idleAfter)
	}
	return t.idleAfter
}

// timeout returns how long the timer of an idle session runs: until its servers are
// released, and then until it ends.
func (t *sessionTable) timeout(o *sessionEntry) time.Duration {
	lifetime := t.lifetime(o)
	switch {
	case lifetime <= t.releaseAfter:
		return lifetime
	case o.isReleased:
		return lifetime - t.releaseAfter
	}
	return t.releaseAfter
}

// expire releases the servers of an idle session or ends it.
func (t *sessionTable) expire(o *sessionEntry) {
	t.mu.Lock()
	isIdle := o.busy == 0 && t.sessions[o.id] == o
	releases := isIdle && !o.isReleased && t.lifetime(o) > t.releaseAfter
	switch {
	case releases:
		o.isReleased = true
		o.timer.Reset(t.timeout(o))
	case isIdle:
		delete(t.sessions, o.id)
	}
	t.mu.Unlock()
	switch {
	case releases:
		o.releaseServers()
	case isIdle:
		o.finish(endedIdle)
	}
}

// remove ends a session.
func (t *sessionTable) remove(o *sessionEntry, reason string) {
	t.mu.Lock()
	_, isOpen := t.sessions[o.id]
	delete(t.sessions, o.id)
	t.mu.Unlock()
	if isOpen {
		o.timer.Stop()
		o.finish(reason)
	}
}

// close ends all sessions and accepts no more.
func (t *sessionTable) close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	for _, o := range t.of("") {
		t.remove(o, endedByHost)
	}
}

func (o *sessionEntry) finish(reason string) {
	o.Session.close(reason)
	if o.Events != nil {
		o.Events.AddSession(o.info(), reason)
	}
	o.onEnd()
}

// of returns the sessions of a project, or all with "".
func (t *sessionTable) of(project string) []*sessionEntry {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*sessionEntry
	for _, o := range t.sessions {
		if project == "" || o.scope.Project == project {
			all = append(all, o)
		}
	}
	return all
}
