package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// ServerLog returns the log lines of a server after the line with this ID.
func (h *Host) ServerLog(server string, after int64) []upstream.Line {
	return h.pool.journal(server).Since(after)
}

// restartWait is how long RestartServer waits for connections.
const restartWait = 10 * time.Second

// RestartServer restarts the connections of all sessions to a server, and returns
// their number once they can be used again.
//
// Errors: abi.ErrUnavailable if one cannot.
func (h *Host) RestartServer(ctx context.Context, server string) (int, error) {
	clients := h.pool.restart(server)
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

// journal is the log of a server, over all its connections.
func (p *pool) journal(server string) *upstream.Journal {
	p.mu.Lock()
	defer p.mu.Unlock()
	j := p.logs[server]
	if j == nil {
		j = &upstream.Journal{}
		p.logs[server] = j
	}
	return j
}

// restart restarts all connections to a server. If there is one, it forgets why the
// server failed before.
func (p *pool) restart(server string) []*upstream.Client {
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
				break // one connection, whatever the number of its users
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
