package upstream

import (
	"context"
)

// awaitRoots allows calls of tools once the server has got the roots that it asks for on
// its own. A server on stdio has asked when it answers the ping, because it reads the
// notification before it, that the handshake is done, first.
func (c *Client) awaitRoots(l link) {
	w := l.wired()
	defer close(w.roots.done)
	ctx, cancel := context.WithTimeout(c.life, pingLimit)
	_, _ = c.request(ctx, l, "ping", nil, c.peer) // an error is an answer too
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
