package pool

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// sharedServer is one connection for all sessions that use the server. It declares
// no capability of a client, because no client could answer the server's requests.
type sharedServer struct {
	client *upstream.Client
	users  int

	mu    sync.Mutex
	peers map[*Connection]proxy.Peer
}

// Request implements upstream.Peer. It rejects all requests.
func (s *sharedServer) Request(_ context.Context, method string, _ json.RawMessage) flow.Reply {
	return flow.Reply{Error: fmt.Appendf(nil, `{"code":-32601,"message":%q}`, method+" is not answered for a shared server")}
}

// Notify implements upstream.Peer. It forwards the notification to every session.
func (s *sharedServer) Notify(method string, params json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, peer := range s.peers {
		peer.Notify(method, params)
	}
}

// join adds a session to the users of a shared server. The first one starts it.
func (p *Pool) join(project string, s proxy.Server, cfg upstream.Config, peer proxy.Peer) (*Connection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := s.Name + "@" + s.Revision
	if cfg.Refusal != nil { // mcpd allows calls for each project
		key += "@" + project
	}
	sh := p.shared[key]
	if sh == nil {
		sh = &sharedServer{peers: make(map[*Connection]proxy.Peer)}
		u, err := upstream.Start(p.life, cfg, sh)
		if err != nil {
			return nil, err
		}
		sh.client = u
		p.shared[key] = sh
	}
	sh.users++
	c := &Connection{Client: sh.client, server: s.Name}
	sh.mu.Lock()
	sh.peers[c] = peer
	sh.mu.Unlock()
	c.close = sync.OnceValue(func() error { return p.release(key, sh, c) })
	return c, nil
}

// release removes a session from the users of a shared server. The last one closes
// the connection.
func (p *Pool) release(key string, sh *sharedServer, c *Connection) error {
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
		p.noteEnd(c.server, sh.client.State())
		return sh.client.Close()
	}
	return nil
}
