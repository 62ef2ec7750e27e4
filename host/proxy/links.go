package proxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// links are a session's connections to the servers of its project.
type links struct {
	synced atomic.Pointer[Project] // the state of the project that they follow

	released atomic.Bool // the session is idle: its servers are connected to when a request needs them

	mu     sync.Mutex
	byName map[string]*link
	closed bool
}

// link is one connection. It is closed when it is retired and its last call has
// ended, so that a change of the project fails no call. A retired link in byName is
// replaced by a new connection when it is used.
type link struct {
	server  Server
	up      Upstream // nil if err is not
	err     error
	since   time.Time     // it was asked for
	greeted chan struct{} // closed when its first handshake is over
	forget  context.CancelFunc
	users   int
	retired bool
	shut    bool
}

// sync makes the connections those of the project: new servers are connected to,
// servers that were changed anew, others are left. Lists are then looked at
// again in the background. seen is the state that the caller has; should it be
// older than what another request has seen, the newest one counts.
func (l *links) sync(s *Session, seen *Project) {
	if l.synced.Load() == seen {
		return
	}
	l.mu.Lock()
	before := l.synced.Load()
	p, err := s.e.Projects.Project(seen.Name)
	if err != nil {
		p = seen // deleted meanwhile: the session will be ended
	}
	if l.closed || before == p {
		l.mu.Unlock()
		return
	}
	l.synced.Store(p)
	want := make(map[string]Server, len(p.Servers))
	for _, server := range p.Servers {
		want[server.Name] = server
		if have := l.byName[server.Name]; have == nil || have.server.Revision != server.Revision || have.server.Shared != server.Shared {
			s.retire(have)
			if l.released.Load() {
				l.byName[server.Name] = releasedLink(server)
			} else {
				l.byName[server.Name] = s.connect(server)
			}
		}
	}
	for name, have := range l.byName {
		if _, ok := want[name]; !ok {
			s.retire(have)
			delete(l.byName, name)
		}
	}
	l.mu.Unlock()
	if before != nil {
		s.recheckAll()
	}
}

// connect asks for the connection and follows its first handshake. The caller
// holds links.mu.
func (s *Session) connect(server Server) *link {
	n := &link{server: server, since: time.Now(), greeted: make(chan struct{})}
	n.up, n.err = s.e.Upstreams.For(s.ctx, s.scope, server, s.client, &peer{s: s, server: server, to: s.out})
	if n.err != nil {
		if old := s.links.byName[server.Name]; old == nil || old.err == nil || old.err.Error() != n.err.Error() { // once, not at each try
			s.e.log.Warn("no connection to server", "project", s.scope.Project, "server", server.Name, "err", n.err)
		}
		close(n.greeted)
		return n
	}
	s.e.connections.add(1)
	var ctx context.Context
	ctx, n.forget = context.WithCancel(s.ctx)
	go s.greet(ctx, n)
	return n
}

// greet records the first handshake of a server and brings one that starts late
// up to date. It waits for as long as the connection is used.
func (s *Session) greet(ctx context.Context, n *link) {
	var failed error
	defer s.e.recovered("handshake", &failed)
	err := n.up.Ready(ctx)
	switch {
	case err == nil:
		s.e.catalog.greet(s.scope.Subject, n.server, n.up)
	case ctx.Err() == nil:
		s.e.catalog.miss(s.scope.Subject, n.server, tools, err)
	}
	close(n.greeted)
	for pause := time.Second; err != nil; pause = min(2*pause, maxPause) {
		select {
		case <-time.After(pause):
			err = n.up.Ready(ctx)
		case <-ctx.Done():
			return
		}
	}
	s.e.catalog.greet(s.scope.Subject, n.server, n.up)
	s.catchUp(ctx, n.up, n.server)
	for k := range listKinds {
		s.recheck(k, n.server.Name)
	}
}

// maxPause is the longest time between two looks at a server that cannot be
// reached.
const maxPause = 30 * time.Second

// upstream returns the connection to a server. The caller calls done when its
// call has ended.
func (s *Session) upstream(p *Project, name string) (up Upstream, done func(), err error) {
	l := &s.links
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.byName[name]
	if n == nil || l.closed {
		return nil, nil, fmt.Errorf("server %q: %w: not in project %q any more", name, abi.ErrUnavailable, p.Name)
	}
	if n.err != nil || n.retired { // the reason for the error may be gone
		n = s.connect(n.server)
		l.byName[name] = n
	}
	if n.err != nil {
		return nil, nil, fmt.Errorf("server %q: %w (see mcpctl describe server %s)", name, kindOf(n.err), name)
	}
	n.users++
	return n.up, func() { s.done(n) }, nil
}

// failure says why there can be no connection to a server, nil if there can.
func (l *links) failure(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.byName[name]; n != nil {
		return n.err
	}
	return nil
}

// starting reports whether the first handshake with a server is under way, and
// since when: another session's connection says nothing about this one.
func (l *links) starting(name string) (yes bool, since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.byName[name]
	if n == nil || n.retired {
		return false, time.Time{}
	}
	select {
	case <-n.greeted:
		return false, n.since
	default:
		return true, n.since
	}
}

// upstreamFor is upstream for a request: its asides are withheld as long as it
// runs if a filter reads its answer.
func (s *Session) upstreamFor(req *request, name string) (Upstream, func(), error) {
	up, done, err := s.upstream(req.project, name)
	if err != nil {
		return nil, nil, err
	}
	c, _ := up.(cleaner)
	req.quotes(c)
	if !req.filtered {
		return up, done, nil
	}
	tell := s.e.asides.guard(name)
	return up, func() { tell(); done() }, nil
}

// kindOf leaves of an error what a client may read. The rest quotes files, and is
// for who can mend them.
func kindOf(err error) error {
	if config := (*ConfigError)(nil); errors.As(err, &config) {
		return config
	}
	for _, kind := range []error{abi.ErrConfig, abi.ErrNotFound, abi.ErrDenied} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return abi.ErrUnavailable
}

func (s *Session) done(n *link) {
	s.links.mu.Lock()
	defer s.links.mu.Unlock()
	n.users--
	if n.retired && n.users == 0 {
		s.shut(n)
	}
}

// retire takes a connection out of service. The caller holds links.mu.
func (s *Session) retire(n *link) {
	if n == nil || n.up == nil || n.retired {
		return
	}
	n.retired = true
	n.forget()
	if n.users == 0 || s.ctx.Err() != nil {
		s.shut(n)
	}
}

// shut closes a connection, once, without holding anybody up. The caller holds
// links.mu.
func (s *Session) shut(n *link) {
	if n.shut {
		return
	}
	n.shut = true
	go func() {
		defer s.e.connections.add(-1)
		if err := n.up.Close(); err != nil {
			s.e.log.Debug("connection not closed cleanly", "server", n.server.Name, "err", err)
		}
	}()
}

// each calls f for every connection.
func (l *links) each(f func(Server, Upstream)) {
	l.mu.Lock()
	var all []*link
	for _, n := range l.byName {
		if n.up != nil && !n.retired {
			all = append(all, n)
		}
	}
	l.mu.Unlock()
	for _, n := range all {
		f(n.server, n.up)
	}
}

// closeLinks closes all connections: the session has ended. One whose server has
// not been listed yet is handed over, see Endpoint.finish.
func (s *Session) closeLinks() {
	s.links.mu.Lock()
	defer s.links.mu.Unlock()
	s.links.closed = true
	for _, n := range s.links.byName {
		if !s.finishLater(n) {
			s.retire(n)
		}
	}
}

// sameServers reports whether two states of a project name the same tools.
func sameServers(x, y *Project) bool {
	return x == y || x.Name == y.Name && x.Bare == y.Bare && slices.Equal(x.Servers, y.Servers)
}

// waitAll waits for the first handshake of every server that has not declared
// anything yet, as long as ctx lasts. One that could not be reached by the session
// before is not waited for.
func (s *Session) waitAll(ctx context.Context) {
	s.links.mu.Lock()
	var unknown []*link
	for _, n := range s.links.byName {
		caps, _ := s.e.catalog.greeting(s.scope.Subject, n.server)
		if _, absent, _ := s.e.catalog.last(s.scope.Subject, n.server, tools); caps == nil && !absent {
			unknown = append(unknown, n)
		}
	}
	s.links.mu.Unlock()
	for _, n := range unknown {
		select {
		case <-n.greeted:
		case <-ctx.Done():
			return
		}
	}
}
