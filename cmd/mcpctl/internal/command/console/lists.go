package console

import (
	"context"
	"sync"

	"github.com/mcpctl/mcpctl/cmd/internal/demo"
)

// lists are the tools of a client: they are read again after each notification that they
// changed, while the call that changed them may still wait for the result. Safe for
// concurrent use.
type lists struct {
	ctx   context.Context
	ready chan struct{} // closed once client is set

	client *demo.Client

	mu    sync.Mutex
	idle  sync.Cond // nothing is being read
	busy  int
	fresh []demo.Listed // read since they were last taken; nil: nothing changed
	err   error
}

func newLists(ctx context.Context) *lists {
	l := &lists{ctx: ctx, ready: make(chan struct{})}
	l.idle.L = &l.mu
	return l
}

// of sets the client whose tools are listed.
func (l *lists) of(c *demo.Client) {
	l.client = c
	close(l.ready)
}

// handleNotification handles a notification without blocking.
func (l *lists) handleNotification(method string) {
	if method != "notifications/tools/list_changed" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy++
	go l.read() // settled waits for it
}

func (l *lists) read() {
	var list []demo.Listed
	var err error
	select {
	case <-l.ready:
		list, err = l.client.Tools(l.ctx)
	case <-l.ctx.Done():
		err = l.ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy--
	l.fresh, l.err = list, err
	l.idle.Broadcast()
}

// settled waits until the list after the last notification is read, and returns it; nil
// without a notification.
func (l *lists) settled() ([]demo.Listed, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.busy > 0 {
		l.idle.Wait()
	}
	list, err := l.fresh, l.err
	l.fresh, l.err = nil, nil
	return list, err
}
