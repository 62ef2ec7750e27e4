package proxy

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
)

// links are a session's connections to the servers of its project. They are safe for
// concurrent use.
type links struct {
	*core
	scope  flow.Scope
	client Client
	ctx    context.Context // of the session

	peerOf    func(Server) Peer                                // for messages outside of any call
	onReady   func(ctx context.Context, s Server, up Upstream) // after the first handshake
	onChanged func(p *Project)                                 // after the project has changed

	synced   atomic.Pointer[Project] // the state of the project that they follow
	released atomic.Bool             // servers are connected to when a request needs them

	mu     sync.Mutex
	byName map[string]*link
	closed bool
}

// link is one connection. It is closed when it is retired and its last call has ended,
// so that a change of the project does not fail calls. A retired link in byName is
// replaced by a new connection when it is used.
type link struct {
	server  Server
	up      Upstream // nil if err is set
	err     error
	since   time.Time     // when the connection was requested
	greeted chan struct{} // closed after the first handshake
	forget  context.CancelFunc
	users   int
	retired bool
	isShut  bool
}

// releasedLink returns a link that connects when it is used.
func releasedLink(server Server) *link {
	n := &link{server: server, greeted: make(chan struct{}), retired: true}
	close(n.greeted)
	return n
}

// sync makes the connections match the project: it connects to new servers, reconnects
// to changed ones, and leaves the others. Afterwards the lists are checked in the
// background. seen is the caller's state of the project; if another request has seen a
// newer one, that counts.
func (l *links) sync(seen *Project) {
	if l.synced.Load() == seen {
		return
	}
	l.mu.Lock()
	before := l.synced.Load()
	p, err := l.Projects.Project(seen.Name)
	if err != nil {
		p = seen // deleted meanwhile: the session will be ended
	}
	if l.closed || before == p {
		l.mu.Unlock()
		return
	}
	l.synced.Store(p)
	l.update(p)
	l.mu.Unlock()
	if before != nil {
		l.onChanged(p)
	}
}

// update connects to the servers of a project and retires the connections to others.
// The caller holds mu.
func (l *links) update(p *Project) {
	wanted := make(map[string]struct{}, len(p.Servers))
	for _, server := range p.Servers {
		wanted[server.Name] = struct{}{}
		have := l.byName[server.Name]
		if have != nil && have.server.Revision == server.Revision && have.server.Shared == server.Shared {
			continue
		}
		l.retire(have)
		if l.released.Load() {
			l.byName[server.Name] = releasedLink(server)
		} else {
			l.byName[server.Name] = l.connect(server)
		}
	}
	for name, have := range l.byName {
		if _, ok := wanted[name]; !ok {
			l.retire(have)
			delete(l.byName, name)
		}
	}
}

// project returns the current state of the project.
func (l *links) project() *Project { return l.synced.Load() }

// connect requests a connection and follows its first handshake. The caller holds mu.
func (l *links) connect(server Server) *link {
	n := &link{server: server, since: time.Now(), greeted: make(chan struct{})}
	n.up, n.err = l.Upstreams.For(l.ctx, l.scope, server, l.client, l.peerOf(server))
	if n.err != nil {
		if old := l.byName[server.Name]; old == nil || old.err == nil || old.err.Error() != n.err.Error() { // once, not for each attempt
			l.log.Warn("no connection to server", "project", l.scope.Project, "server", server.Name, "err", n.err)
		}
		close(n.greeted)
		return n
	}
	l.connections.add(1)
	var ctx context.Context
	ctx, n.forget = context.WithCancel(l.ctx)
	go l.greet(ctx, n)
	return n
}

// maxRetryPause is the longest time between two attempts to reach a server.
const maxRetryPause = 30 * time.Second

// greet waits for the first handshake of a server as long as the connection is
// used, records it, and reports it to onReady.
func (l *links) greet(ctx context.Context, n *link) {
	var failed error
	defer l.recovered("handshake", &failed)
	id := idOf(l.scope.Subject, n.server)
	err := n.up.Ready(ctx)
	switch {
	case err == nil:
		l.catalog.Greet(id, background{n.up})
	case ctx.Err() == nil:
		l.catalog.RecordFault(id, catalog.Tools, err)
	}
	close(n.greeted)
	for pause := time.Second; err != nil; pause = min(2*pause, maxRetryPause) {
		select {
		case <-time.After(pause):
			err = n.up.Ready(ctx)
		case <-ctx.Done():
			return
		}
	}
	l.catalog.Greet(id, background{n.up})
	l.onReady(ctx, n.server, n.up)
}

// upstream returns the connection to a server. The caller calls done after its call.
func (l *links) upstream(p *Project, name string) (up Upstream, done func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.byName[name]
	if n == nil || l.closed {
		return nil, nil, fmt.Errorf("server %q: %w: not in project %q any more", name, abi.ErrUnavailable, p.Name)
	}
	if n.err != nil || n.retired { // try again: the reason for the error may be gone
		n = l.connect(n.server)
		l.byName[name] = n
	}
	if n.err != nil {
		return nil, nil, fmt.Errorf("server %q: %w (see mcpctl describe server %s)", name, publicError(n.err), name)
	}
	n.users++
	return n.up, func() { l.done(n) }, nil
}

func (l *links) done(n *link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n.users--
	if n.retired && n.users == 0 {
		l.shut(n)
	}
}

// fault returns why a server cannot be connected to, or nil.
func (l *links) fault(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.byName[name]; n != nil {
		return n.err
	}
	return nil
}

// starting reports whether this session's first handshake with a server is pending, and
// when the connection was requested.
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

// isReleased reports whether a server is connected to only when a request needs it.
func (l *links) isReleased(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.byName[name]
	return n != nil && n.retired
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

// awaitHandshakes waits, as long as ctx lasts, for the first handshake of every server
// that has not declared anything yet. A server that could not be reached before is not
// waited for.
func (l *links) awaitHandshakes(ctx context.Context) {
	l.mu.Lock()
	var unknown []*link
	for _, n := range l.byName {
		id := idOf(l.scope.Subject, n.server)
		caps, _ := l.catalog.Greeting(id)
		if _, absent := l.catalog.Last(id, catalog.Tools); caps == nil && !absent {
			unknown = append(unknown, n)
		}
	}
	l.mu.Unlock()
	for _, n := range unknown {
		select {
		case <-n.greeted:
		case <-ctx.Done():
			return
		}
	}
}

// retire marks a connection as no longer used. The caller holds mu.
func (l *links) retire(n *link) {
	if n == nil || n.up == nil || n.retired {
		return
	}
	n.retired = true
	n.forget()
	if n.users == 0 || l.ctx.Err() != nil {
		l.shut(n)
	}
}

// shut closes a connection once, in the background. The caller holds mu.
func (l *links) shut(n *link) {
	if n.isShut {
		return
	}
	n.isShut = true
	go func() {
		defer l.connections.add(-1)
		if err := n.up.Close(); err != nil {
			l.log.Debug("connection not closed cleanly", "server", n.server.Name, "err", err)
		}
	}()
}

// close closes all connections, because the session has ended. A connection whose
// server has not been listed yet is finished first.
func (l *links) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.retireAll()
}

// release closes the connections without ending the session, so that servers stop that
// no other session uses. The next request connects again. Running calls end first.
func (l *links) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.released.Store(true)
	l.retireAll()
}

// retireAll retires all connections, except those that are finished first. The caller
// holds mu.
func (l *links) retireAll() {
	for _, n := range l.byName {
		if !l.finishLater(n) {
			l.retire(n)
		}
	}
}

// reconnect connects to the servers of released connections again.
func (l *links) reconnect() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || !l.released.Swap(false) {
		return
	}
	for name, n := range l.byName {
		if n.retired {
			l.byName[name] = l.connect(n.server)
		}
	}
}

// finishTimeout limits the start of a server that has no timeout of its own.
const finishTimeout = time.Minute

// finishLater keeps a connection of an ending session until its server has started and
// been listed, if it was not listed lately. Otherwise a client that ends its sessions
// before its servers have started would never see their tools. It reports false if the
// connection is to be closed. The caller holds mu.
func (l *links) finishLater(n *link) bool {
	key := serverKey{l.scope.Subject, n.server.Name}
	if n.up == nil || n.retired || l.life.Err() != nil || !l.catalog.IsOutdated(idOf(key.subject, n.server)) || !l.finishing.begin(key) {
		return false
	}
	n.retired = true
	n.users++ // calls that end meanwhile do not close it
	n.forget()
	go l.finish(key, n)
	return true
}

// finish waits for the server to start, records its lists, and closes the connection.
func (l *links) finish(key serverKey, n *link) {
	defer l.closeFinished(key, n)
	var failed error
	defer l.recovered("start of a server", &failed)
	limit := cmp.Or(n.server.Timeout, finishTimeout)
	ctx, cancel := context.WithTimeoutCause(l.life, limit, fmt.Errorf("no answer within %s", limit))
	defer cancel()
	if err := n.up.Ready(ctx); err != nil {
		l.recordUnfinished(n, err)
		return
	}
	id, up := idOf(key.subject, n.server), background{n.up}
	l.catalog.Greet(id, up)
	for k := range catalog.Kinds {
		if _, err := l.catalog.Read(ctx, id, up, k); err != nil && k == catalog.Tools {
			l.recordUnfinished(n, err)
			return
		}
	}
}

// recordUnfinished records why a server could not be listed, unless the Endpoint has
// ended.
func (l *links) recordUnfinished(n *link, why error) {
	if l.life.Err() == nil {
		l.catalog.RecordFault(idOf(l.scope.Subject, n.server), catalog.Tools, why)
	}
}

func (l *links) closeFinished(key serverKey, n *link) {
	l.mu.Lock()
	l.shut(n)
	l.mu.Unlock()
	l.finishing.done(key)
}
