package upstream

import (
	"context"
)

// awaitRoots lets tool calls pass after the server has received the roots that it
// requests at its start. It sends a ping: a server on stdio answers it after it has read
// notifications/initialized, and so after its request for roots.
func (c *Client) awaitRoots(l link) {
	w := l.wired()
	defer close(w.roots.done)
	if w.stateless.Load() {
		return // such a server asks in its answers
	}
	ctx, cancel := context.WithTimeout(c.life, pingLimit)
	_, _ = c.request(ctx, l, "ping", nil, c.peer) // an error is as good as an answer
	cancel()
	answered := w.roots.requested()
	if answered == nil {
		return
	}
	ctx, cancel = context.WithTimeout(c.life, rootsLimit)
	defer cancel()
	select {
	case <-answered:
		pause(ctx, rootsPause)
	case <-w.lost:
	case <-ctx.Done():
		c.note("the client has not answered roots/list within %s, calls go on", rootsLimit)
	}
}
