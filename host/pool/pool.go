// Package pool holds the connections of sessions to MCP servers.
//
// A Pool opens connections, restarts them, and remembers the log and the last
// failure of each server. It does not route messages; see package proxy.
package pool

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// Options of New. All fields but FrameBytes and Mark are required.
type Options struct {
	Version    string
	Log        *slog.Logger
	FrameBytes int    // limit of one message; 0: the default
	Mark       string // identifies the processes of all servers, see upstream.EndOrphans

	// Secret looks up a variable of the environment or of secrets.yaml.
	Secret secret.Lookup
	// Server returns a server with all references resolved, for a project, "" if there is
	// none, and a client in a directory, "" if the directory is not known.
	Server func(name, project, clientDir string) (Target, error)
	// Opened is called when a session connects to a server of a project.
	Opened func(project string)
	// StateChanged is called when the status of a connection changes. It must not block or
	// call the Pool.
	StateChanged func(server string, from, to upstream.Status, reason string)
}

// Target is a server that a connection can be opened to.
type Target struct {
	Server   *object.Server
	Endpoint object.Endpoint

	// Relay is set for a server that is called through the team server, with one connection
	// for each project at least.
	Relay *Relay
}

// Relay is how the team server is called.
type Relay struct {
	Transport http.RoundTripper
	Refusal   func(status int, body []byte) error // see upstream.Config

	TraceHeader, RequestIDHeader, OutcomeHeader string // see upstream.Config
}

// Pool opens the connections of sessions to servers: one for each session, so
// that requests of a server reach the session whose call is running, or a common
// one if the server is declared shared. It is safe for concurrent use.
type Pool struct {
	life context.Context // ends all connections
	opts Options

	mu     sync.Mutex
	own    map[*Connection]struct{}
	shared map[string]*sharedServer     // by name and revision
	failed map[string]Failure           // by server: the failure that ended its last connection
	stderr map[string][]string          // by server: the last lines of its last closed connection
	logs   map[string]*upstream.Journal // by server
}

// New returns a Pool whose connections end with life.
func New(life context.Context, opts Options) *Pool {
	return &Pool{life: life, opts: opts, own: make(map[*Connection]struct{}), shared: make(map[string]*sharedServer),
		failed: make(map[string]Failure), stderr: make(map[string][]string), logs: make(map[string]*upstream.Journal)}
}

// Connection is the use of one upstream.Client by a session.
type Connection struct {
	*upstream.Client
	server string
	close  func() error
}

var _ proxy.Upstream = (*Connection)(nil)

// Call implements proxy.Upstream.
func (c *Connection) Call(ctx context.Context, method string, params json.RawMessage, peer proxy.Peer) (flow.Reply, error) {
	return c.Client.Call(ctx, method, params, peer)
}

// CallRepeatable implements proxy.Upstream.
func (c *Connection) CallRepeatable(ctx context.Context, method string, params json.RawMessage, peer proxy.Peer) (flow.Reply, error) {
	return c.Client.CallRepeatable(ctx, method, params, peer)
}

// Close ends the session's use of the connection. The last user of a shared
// connection closes it.
func (c *Connection) Close() error { return c.close() }

// For implements proxy.Upstreams.
func (p *Pool) For(_ context.Context, scope flow.Scope, s proxy.Server, client proxy.Client, peer proxy.Peer) (proxy.Upstream, error) {
	c, err := p.Connect(scope, s, client, peer)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Connect starts a connection, or joins the existing one of a shared server.
func (p *Pool) Connect(scope flow.Scope, s proxy.Server, client proxy.Client, peer proxy.Peer) (*Connection, error) {
	p.opts.Opened(scope.Project)
	cfg, err := p.Config(s.Name, scope.Project, client.Dir)
	if err != nil {
		return nil, err
	}
	if s.Shared {
		return p.join(scope.Project, s, cfg, peer)
	}
	cfg.Capabilities, cfg.ClientInfo = client.Capabilities, client.Info
	cfg.Stateless = client.IsStateless()
	u, err := upstream.Start(p.life, cfg, peer)
	if err != nil {
		return nil, err
	}
	c := &Connection{Client: u, server: s.Name}
	c.close = func() error {
		p.noteEnd(s.Name, u.State())
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

// Config returns the configuration of a server with all references resolved, for a project
// and a client in a directory. It contains credentials.
func (p *Pool) Config(name, project, clientDir string) (upstream.Config, error) {
	t, err := p.opts.Server(name, project, clientDir)
	if err != nil {
		return upstream.Config{}, err
	}
	s, e := t.Server, t.Endpoint
	info := fmt.Appendf(nil, `{"name":"mcpctl","version":%q}`, p.opts.Version)
	cfg := upstream.Config{
		Name: name, Command: e.Argv(), Env: Reveal(e.Env), PassEnv: s.Spec.PassEnv, Dir: e.Cwd.Reveal(), URL: e.URL.Reveal(), Headers: Reveal(e.Headers),
		Timeout: time.Duration(s.Spec.Timeout), ClientInfo: info, FrameBytes: p.opts.FrameBytes, Log: p.opts.Log, Mark: p.opts.Mark, Journal: p.Journal(name), Secrets: p.SecretsOf(s, e),
		StateChanged: func(from, to upstream.Status, reason string) { p.opts.StateChanged(name, from, to, reason) },
	}
	if t.Relay != nil {
		cfg.PassEnv, cfg.Secrets = nil, nil // they are of mcpd
		cfg.Transport, cfg.Refusal, cfg.TraceHeader = t.Relay.Transport, t.Relay.Refusal, t.Relay.TraceHeader
		cfg.RequestIDHeader, cfg.OutcomeHeader = t.Relay.RequestIDHeader, t.Relay.OutcomeHeader
	}
	return cfg, nil
}

// Reveal returns the values of m for a Config.
func Reveal(m map[string]secret.Value) map[string]upstream.Secret {
	out := make(map[string]upstream.Secret, len(m))
	for k, v := range m {
		out[k] = upstream.NewSecret(v.Reveal())
	}
	return out
}

// States returns the state of each connection to a server.
func (p *Pool) States(server string) []upstream.State {
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
				break // one connection for all users
			}
		}
		sh.mu.Unlock()
	}
	return list
}
