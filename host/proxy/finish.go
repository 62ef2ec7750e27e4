package proxy

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

// finishing names the servers whose start goes on after their session has ended.
// The zero value has none. Safe for concurrent use.
type finishing struct {
	mu      sync.Mutex
	servers map[catalogKey]struct{}
}

// begin reports false if the server is being finished already.
func (f *finishing) begin(key catalogKey) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, already := f.servers[key]; already {
		return false
	}
	if f.servers == nil {
		f.servers = make(map[catalogKey]struct{})
	}
	f.servers[key] = struct{}{}
	return true
}

func (f *finishing) done(key catalogKey) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.servers, key)
}

// finishTimeout bounds the start of a server that gives no timeout of its own.
const finishTimeout = time.Minute

// finishLater hands the connection of a session that ends over to the Endpoint if
// its server has not been listed lately: a client that leaves sooner than its servers
// start would otherwise never see their tools, however often it comes back. It
// reports false if the connection is to be closed. The caller holds links.mu.
func (s *Session) finishLater(n *link) bool {
	key := catalogKey{s.scope.Subject, n.server.Name}
	if n.up == nil || n.retired || s.e.life.Err() != nil || !s.e.catalog.outdated(s.scope.Subject, n.server, s.e.now()) || !s.e.finishing.begin(key) {
		return false
	}
	n.retired = true
	n.users++ // calls that end meanwhile do not close it
	n.forget()
	go s.finish(key, n)
	return true
}

// finish waits for the server to start, records its lists, and closes the
// connection.
func (s *Session) finish(key catalogKey, n *link) {
	defer s.closeFinished(key, n)
	var failed error
	defer s.e.recovered("start of a server", &failed)
	limit := cmp.Or(n.server.Timeout, finishTimeout)
	ctx, cancel := context.WithTimeoutCause(s.e.life, limit, fmt.Errorf("no answer within %s", limit))
	defer cancel()
	if err := n.up.Ready(ctx); err != nil {
		s.noteUnfinished(n, err)
		return
	}
	s.e.catalog.greet(key.subject, n.server, n.up)
	for k := range listKinds {
		if _, err := s.e.readNow(ctx, key.subject, n.server, n.up, k); err != nil && k == tools {
			s.noteUnfinished(n, err)
			return
		}
	}
}

// noteUnfinished records why a server could not be listed, unless it was the end of
// the Endpoint.
func (s *Session) noteUnfinished(n *link, why error) {
	if s.e.life.Err() == nil {
		s.e.catalog.miss(s.scope.Subject, n.server, tools, why)
	}
}

func (s *Session) closeFinished(key catalogKey, n *link) {
	s.links.mu.Lock()
	s.shut(n)
	s.links.mu.Unlock()
	s.e.finishing.done(key)
}
