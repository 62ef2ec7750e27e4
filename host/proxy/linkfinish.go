package proxy

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/host/proxy/catalog"
)

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
