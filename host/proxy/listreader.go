package proxy

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/lists"
)

// How long a list waits for one server. If a server answers later, its last known list
// is served, and the client gets list_changed once the answer has arrived.
const (
	knownWait = 500 * time.Millisecond // there is a last known list, or the server was unavailable before
	noWait    = 0                      // use the last known list
)

// listReader reads the lists of servers for one session, each within a limited time.
type listReader struct {
	*core
	subject string
	session context.Context
	links   *links
	waits   *listWaits

	onLate func(k catalog.Kind) // after a list that a request no longer waited for

	compared sync.Map // set of catalog.ID: servers whose tools were compared with the approved ones
}

// waitPolicy returns how long to wait for the list of one server. last is the last known
// list, nil for none.
type waitPolicy func(server Server, last *catalog.Listing, absent bool) time.Duration

// forClient is the waitPolicy of a request. A server that is starting is not waited for
// if its list is known; otherwise its first list waits for it, counted from the start
// of the connection. While an answer is delayed until the list is read (see listWaits),
// the list does not wait that long.
func (r *listReader) forClient(server Server, last *catalog.Listing, absent bool) time.Duration {
	starting, since := r.links.starting(server.Name)
	switch {
	case starting && last != nil:
		return noWait
	case last != nil, absent, r.waits.isWaiting():
		return knownWait
	}
	return max(knownWait, r.opts.ListWait-time.Since(since))
}

// forShown is forClient for the servers that a list shows. The others are not asked.
func (r *listReader) forShown(isShown func(server string) bool) waitPolicy {
	return func(server Server, last *catalog.Listing, absent bool) time.Duration {
		if !isShown(server.Name) {
			return noWait
		}
		return r.forClient(server, last, absent)
	}
}

// forCheck is the waitPolicy of a check in the background: it asks the named servers
// only. A server that is starting is checked after its start, and a released one after
// a request has started it again.
func (r *listReader) forCheck(servers []string) waitPolicy {
	return func(server Server, last *catalog.Listing, absent bool) time.Duration {
		if starting, _ := r.links.starting(server.Name); starting || r.links.isReleased(server.Name) || !slices.Contains(servers, server.Name) {
			return noWait
		}
		return r.forClient(server, last, absent)
	}
}

// forListener is forClient for a subscription. It does not start a released server again.
func (r *listReader) forListener(server Server, last *catalog.Listing, absent bool) time.Duration {
	if r.links.isReleased(server.Name) {
		return noWait
	}
	return r.forClient(server, last, absent)
}

// forNames waits a moment for servers that were never listed.
func forNames(_ Server, last *catalog.Listing, _ bool) time.Duration {
	if last == nil {
		return knownWait
	}
	return noWait
}

// gather reads one list of every server of the project, in its order. Servers do not
// delay each other.
func (r *listReader) gather(ctx context.Context, p *Project, k catalog.Kind, wait waitPolicy) []lists.Served {
	all := make([]lists.Served, len(p.Servers))
	var wg sync.WaitGroup
	for i, server := range p.Servers {
		wg.Go(func() { all[i] = r.gatherOne(ctx, p, server, k, wait) })
	}
	wg.Wait()
	return all
}

func (r *listReader) gatherOne(ctx context.Context, p *Project, server Server, k catalog.Kind, wait waitPolicy) lists.Served {
	id := idOf(r.subject, server)
	if l := r.catalog.Fresh(id, k, server.ToolsTTL); l != nil {
		return lists.Served{Server: server.Name, List: l}
	}
	last, absent := r.catalog.Last(id, k)
	limit := wait(server, last, absent)
	if limit == noWait {
		starting, _ := r.links.starting(server.Name)
		return lists.Served{Server: server.Name, List: last, Stale: starting, Starting: starting}
	}
	var first <-chan struct{} // closed when another session has read the list
	if last == nil {
		first = r.catalog.First(id, k)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case answer := <-r.readAsync(ctx, p, server, k):
		if answer.Err != nil {
			r.catalog.RecordFault(id, k, answer.Err)
			answer.List, answer.Stale = last, true
		}
		return answer
	case <-first:
		last, _ = r.catalog.Last(id, k)
		return lists.Served{Server: server.Name, List: last}
	case <-ctx.Done():
		starting, _ := r.links.starting(server.Name)
		if !starting {
			r.catalog.RecordTimeout(id, k)
		}
		return lists.Served{Server: server.Name, List: last, Stale: true, Starting: starting}
	}
}

// readAsync reads a list in the background. An answer after the end of ctx is recorded
// in the catalog only.
func (r *listReader) readAsync(ctx context.Context, p *Project, server Server, k catalog.Kind) <-chan lists.Served {
	read := make(chan lists.Served)
	go func() {
		answer := r.read(p, server, k)
		select {
		case read <- answer:
		case <-ctx.Done():
			if answer.Err == nil {
				r.onLate(k)
			} else if r.session.Err() == nil { // not because the session has ended
				r.catalog.RecordFault(idOf(r.subject, server), k, answer.Err)
			}
		}
	}()
	return read
}

// read reads a list from the server and records it. Only the end of the session and the
// server's own deadline end it.
func (r *listReader) read(p *Project, server Server, k catalog.Kind) (s lists.Served) {
	s.Server = server.Name
	defer r.recovered("list", &s.Err)
	up, done, err := r.links.upstream(p, server.Name)
	if err != nil {
		s.Err = err
		return s
	}
	defer done()
	if s.Err = up.Ready(r.session); s.Err == nil {
		s.List, s.Err = r.catalog.Read(r.session, idOf(r.subject, server), background{up}, k)
	}
	if s.Err == nil && k == catalog.Tools {
		r.compared.Store(idOf(r.subject, server), nil)
	}
	return s
}

// compareTools reads the tools of a server with the policy hold before the session's first
// call of one, because the last list may be that of another process of the server, and
// again after the server has announced a change.
//
// Errors: the list cannot be read; the cause of ctx.
func (r *listReader) compareTools(ctx context.Context, p *Project, name string) error {
	server := p.server(name)
	if _, done := r.compared.Load(idOf(r.subject, server)); done {
		return nil
	}
	select {
	case answer := <-r.readAsync(ctx, p, server, catalog.Tools):
		return answer.Err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
