package host

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// pool gives sessions their connections to servers: each its own, so that what a
// server asks reaches the session whose call is running, or a common one where
// the server is declared shared.
type pool struct {
	life    context.Context
	version string
	log     *slog.Logger
	frame   int    // bytes of a message, 0 for the default
	mark    string // of all servers' processes, see upstream.EndOrphans
	secret  object.Lookup
	server  func(name, clientDir string) (*object.Server, object.Endpoint, error)
	opened  func(project string) // a session connects to its servers

	mu     sync.Mutex
	own    map[*connection]struct{}
	shared map[string]*sharedServer     // by name and revision
	failed map[string]ServerFailure     // of servers whose last connection ended in one, by name
	stderr map[string][]string          // of servers whose last connection has ended, by name
	logs   map[string]*upstream.Journal // of servers, by name
}

func newPool(life context.Context, opts Options, secret object.Lookup, server func(string, string) (*object.Server, object.Endpoint, error), opened func(project string)) *pool {
	return &pool{life: life, version: opts.Version, log: opts.Log, frame: opts.Settings.FrameBytes, secret: secret, server: server, opened: opened,
		own: make(map[*connection]struct{}), shared: make(map[string]*sharedServer), failed: make(map[string]ServerFailure), stderr: make(map[string][]string), logs: make(map[string]*upstream.Journal)}
}

// endOrphans ends what servers of an earlier daemon have left running.
func (p *pool) endOrphans(file string) (err error) {
	p.mark, err = upstream.EndOrphans(file)
	return err
}

// connection is one upstream.Client as a session uses it.
type connection struct {
	*upstream.Client
	server string
	close  func() error
}

var _ proxy.Upstream = (*connection)(nil)

// Call implements proxy.Upstream.
func (c *connection) Call(ctx context.Context, method string, params json.RawMessage, peer proxy.Peer) (flow.Reply, error) {
	return c.Client.Call(ctx, method, params, peer)
}

// CallRepeatable implements proxy.Upstream.
func (c *connection) CallRepeatable(ctx context.Context, method string, params json.RawMessage, peer proxy.Peer) (flow.Reply, error) {
	return c.Client.CallRepeatable(ctx, method, params, peer)
}

// Close ends the session's use of the connection.
func (c *connection) Close() error { return c.close() }

// For implements proxy.Upstreams.
func (p *pool) For(_ context.Context, scope flow.Scope, s proxy.Server, client proxy.Client, peer proxy.Peer) (proxy.Upstream, error) {
	c, err := p.connect(scope, s, client, peer)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// connect starts a connection, or joins the common one of a shared server.
func (p *pool) connect(scope flow.Scope, s proxy.Server, client proxy.Client, peer proxy.Peer) (*connection, error) {
	p.opened(scope.Project)
	cfg, err := p.config(s.Name, client.Dir)
	if err != nil {
		return nil, err
	}
	if s.Shared {
		return p.join(s, cfg, peer)
	}
	cfg.Capabilities, cfg.ClientInfo = client.Capabilities, client.Info
	u, err := upstream.Start(p.life, cfg, peer)
	if err != nil {
		return nil, err
	}
	c := &connection{Client: u, server: s.Name}
	c.close = func() error {
		p.leave(s.Name, u.State())
		p.mu.Lock()
		delete(p.own, c)
		p.mu.Unlock()
		return u.Close()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.own[c] = struct{}{}
	return c, nil
}

// config fills in the references of a server for a client in a directory; what it
// returns holds credentials.
func (p *pool) config(name, clientDir string) (upstream.Config, error) {
	s, e, err := p.server(name, clientDir)
	if err != nil {
		return upstream.Config{}, err
	}
	info := fmt.Appendf(nil, `{"name":"mcpctl","version":%q}`, p.version)
	return upstream.Config{
		Name: name, Command: e.Argv(), Env: reveal(e.Env), PassEnv: s.Spec.PassEnv, Dir: e.Cwd.Reveal(), URL: e.URL.Reveal(), Headers: reveal(e.Headers),
		Timeout: time.Duration(s.Spec.Timeout), ClientInfo: info, FrameBytes: p.frame, Log: p.log, Mark: p.mark, Journal: p.journal(name), Secrets: p.secretsOf(s, e),
	}, nil
}

func reveal(m map[string]object.Secret) map[string]upstream.Secret {
	out := make(map[string]upstream.Secret, len(m))
	for k, v := range m {
		out[k] = upstream.NewSecret(v.Reveal())
	}
	return out
}

// sharedServer is one connection for all sessions that name the server. It is
// told no capability of a client: what a server asks has no one to answer it.
type sharedServer struct {
	client *upstream.Client
	users  int

	mu    sync.Mutex
	peers map[*connection]proxy.Peer
}

// Request implements upstream.Peer: nobody can be asked.
func (s *sharedServer) Request(_ context.Context, method string, _ json.RawMessage) flow.Reply {
	return flow.Reply{Error: fmt.Appendf(nil, `{"code":-32601,"message":%q}`, method+" is not answered for a shared server")}
}

// Notify implements upstream.Peer: every session hears it.
func (s *sharedServer) Notify(method string, params json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, peer := range s.peers {
		peer.Notify(method, params)
	}
}

func (p *pool) join(s proxy.Server, cfg upstream.Config, peer proxy.Peer) (*connection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := s.Name + "@" + s.Revision
	sh := p.shared[key]
	if sh == nil {
		sh = &sharedServer{peers: make(map[*connection]proxy.Peer)}
		u, err := upstream.Start(p.life, cfg, sh)
		if err != nil {
			return nil, err
		}
		sh.client = u
		p.shared[key] = sh
	}
	sh.users++
	c := &connection{Client: sh.client, server: s.Name}
	sh.mu.Lock()
	sh.peers[c] = peer
	sh.mu.Unlock()
	c.close = sync.OnceValue(func() error { return p.part(key, sh, c) })
	return c, nil
}

// part ends one session's use; the last one closes the connection.
func (p *pool) part(key string, sh *sharedServer, c *connection) error {
	sh.mu.Lock()
	delete(sh.peers, c)
	sh.mu.Unlock()
	p.mu.Lock()
	sh.users--
	last := sh.users == 0
	if last && p.shared[key] == sh {
		delete(p.shared, key)
	}
	p.mu.Unlock()
	if last {
		p.leave(c.server, sh.client.State())
		return sh.client.Close()
	}
	return nil
}

// ServerFailure is how the last connection to a server ended.
type ServerFailure struct {
	Error  string
	Stderr []string // last lines of a stdio server, without secrets
}

// Bounds of ServerFailure.Stderr.
const (
	keptLines     = 20
	keptLineRunes = 500
)

// leave keeps why a connection that ends was of no use: people ask after the client
// that got no tools is closed. A connection that ends while the server is starting
// says nothing.
func (p *pool) leave(server string, s upstream.State) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stderr[server] = lastLines(s.Stderr)
	switch {
	case s.Status == upstream.Ready:
		delete(p.failed, server)
	case s.Error != "":
		p.failed[server] = ServerFailure{s.Error, p.stderr[server]}
	}
}

// fail records why a server was of no use.
func (p *pool) fail(server string, f ServerFailure) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed[server] = f
}

// lastStderr returns the last lines that a server wrote in the connection that ended
// last.
func (p *pool) lastStderr(server string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr[server]
}

func lastLines(lines []string) []string {
	kept := make([]string, 0, keptLines)
	for _, line := range lines[max(0, len(lines)-keptLines):] {
		if r := []rune(line); len(r) > keptLineRunes {
			line = string(r[:keptLineRunes]) + "..."
		}
		kept = append(kept, line)
	}
	return kept
}

// failure returns how the last connection to a server ended; ok is false if it was
// fine, or there was none.
func (p *pool) failure(server string) (f ServerFailure, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, ok = p.failed[server]
	return f, ok
}

// states returns the connections to a server as they are now.
func (p *pool) states(server string) []upstream.State {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []upstream.State
	for c := range p.own {
		if c.server == server {
			list = append(list, c.State())
		}
	}
	for _, sh := range p.shared {
		sh.mu.Lock()
		for c := range sh.peers {
			if c.server == server {
				list = append(list, c.State())
				break // one connection, whoever uses it
			}
		}
		sh.mu.Unlock()
	}
	return list
}
