package pool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// restartWait is the time that Restart waits for connections to be ready.
const restartWait = 10 * time.Second

// Restart restarts the connections of all sessions to a server and returns their
// number once they are ready.
//
// Errors: abi.ErrUnavailable if one is not ready in time.
func (p *Pool) Restart(ctx context.Context, server string) (int, error) {
	clients := p.restartAll(server)
	ctx, cancel := context.WithTimeout(ctx, restartWait)
	defer cancel()
	for _, c := range clients {
		err := c.Ready(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			return len(clients), fmt.Errorf("%w: server %q: not ready after %s: %s", abi.ErrUnavailable, server, restartWait, c.State().Error)
		}
		if err != nil {
			return len(clients), err
		}
	}
	return len(clients), nil
}

// Journal returns the log of a server, over all its connections.
func (p *Pool) Journal(server string) *upstream.Journal {
	p.mu.Lock()
	defer p.mu.Unlock()
	j := p.logs[server]
	if j == nil {
		j = &upstream.Journal{}
		p.logs[server] = j
	}
	return j
}

// restartAll restarts all connections to a server. If there are any, it forgets the
// last failure of the server.
func (p *Pool) restartAll(server string) []*upstream.Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	var clients []*upstream.Client
	for c := range p.own {
		if c.server == server {
			clients = append(clients, c.Client)
		}
	}
	for _, sh := range p.shared {
		sh.mu.Lock()
		for c := range sh.peers {
			if c.server == server {
				clients = append(clients, sh.client)
				break // one connection for all users
			}
		}
		sh.mu.Unlock()
	}
	if len(clients) > 0 {
		delete(p.failed, server)
	}
	for _, c := range clients {
		c.Restart()
	}
	return clients
}
