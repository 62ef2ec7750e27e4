package proxy

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// How long a list waits for one server. A server that answers later is listed as
// last known, and the client gets list_changed once its answer is there.
const (
	waitKnown = 500 * time.Millisecond // there is a last known list, or the server was away already
	noWait    = 0                      // only what is known
)

// patience returns how long to wait for the list of one server; last is the list
// known so far, nil for none.
type patience func(server Server, last *listing, absent bool) time.Duration

// forClient is the patience of a request. A server that is starting is not waited
// for if its list is known; if not, its first list waits for it, counted from the
// start of the connection. An answer that is held back until the list was read
// (see rereads) does not wait that long.
func (s *Session) forClient(server Server, last *listing, absent bool) time.Duration {
	starting, since := s.links.starting(server.Name)
	switch {
	case starting && last != nil:
		return noWait
	case last != nil, absent, s.rereads.waiting():
		return waitKnown
	}
	return max(waitKnown, s.e.opts.ListWait-time.Since(since))
}

// forSome is forClient for the servers that a list shows; the others are not asked.
func (s *Session) forSome(shown func(server string) bool) patience {
	return func(server Server, last *listing, absent bool) time.Duration {
		if !shown(server.Name) {
			return noWait
		}
		return s.forClient(server, last, absent)
	}
}

// forCheck asks the named servers again and takes what is known of the others. One
// that is starting is read after it has started, one that was released after a request
// has started it again.
func (s *Session) forCheck(names []string) patience {
	return func(server Server, last *listing, absent bool) time.Duration {
		if starting, _ := s.links.starting(server.Name); starting || s.links.isReleased(server.Name) || !slices.Contains(names, server.Name) {
			return noWait
		}
		return s.forClient(server, last, absent)
	}
}

// forNames waits a moment for servers that were never listed.
func forNames(_ Server, last *listing, _ bool) time.Duration {
	if last == nil {
		return waitKnown
	}
	return noWait
}

// gather reads one list of every server of the project, in its order. No server
// holds the others up.
func (s *Session) gather(ctx context.Context, p *Project, k listKind, wait patience) []served {
	all := make([]served, len(p.Servers))
	var wg sync.WaitGroup
	for i, server := range p.Servers {
		wg.Go(func() { all[i] = s.gatherOne(ctx, p, server, k, wait) })
	}
	wg.Wait()
	return all
}

func (s *Session) gatherOne(ctx context.Context, p *Project, server Server, k listKind, wait patience) served {
	subject := s.scope.Subject
	if l := s.e.catalog.fresh(subject, server, k, s.e.now()); l != nil {
		return served{server: server, list: l}
	}
	last, absent, first := s.e.catalog.last(subject, server, k)
	limit := wait(server, last, absent)
	if limit == noWait {
		starting, _ := s.links.starting(server.Name)
		return served{server: server, list: last, stale: starting, starting: starting}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	read := make(chan served)
	go func() {
		r := s.read(p, server, k)
		select {
		case read <- r:
		case <-ctx.Done(): // the request does not wait any more
			if r.err == nil {
				s.recheck(k)
			} else if s.ctx.Err() == nil { // not because the session ended
				s.e.catalog.miss(subject, server, k, r.err)
			}
		}
	}()
	select {
	case r := <-read:
		if r.err != nil {
			s.e.catalog.miss(subject, server, k, r.err)
			r.list, r.stale = last, true
		}
		return r
	case <-first: // another session has got it
		last, _, _ = s.e.catalog.last(subject, server, k)
		return served{server: server, list: last}
	case <-ctx.Done():
		starting, _ := s.links.starting(server.Name)
		if !starting {
			s.e.catalog.late(subject, server, k)
		}
		return served{server: server, list: last, stale: true, starting: starting}
	}
}

// read asks the server itself and records the answer. It lasts as long as the
// session and the server's own deadline let it.
func (s *Session) read(p *Project, server Server, k listKind) (r served) {
	r.server = server
	defer s.e.recovered("list", &r.err)
	up, done, err := s.upstream(p, server.Name)
	if err != nil {
		r.err = err
		return r
	}
	defer done()
	if r.err = up.Ready(s.ctx); r.err == nil {
		r.list, r.err = s.e.readNow(s.ctx, s.scope.Subject, server, up, k)
	}
	return r
}

// readNow asks a server that is ready for a list and records the answer.
func (e *Endpoint) readNow(ctx context.Context, subject string, server Server, up Upstream, k listKind) (*listing, error) {
	end, err := e.catalog.begin(ctx, subject, server, k, e.now)
	if err != nil {
		return nil, err
	}
	defer end()
	changes := e.catalog.changes(subject, server, k)
	l, err := readList(ctx, server.Name, up, k, e.opts.MaxBody/listShare)
	if large := (*oversizeError)(nil); errors.As(err, &large) {
		e.catalog.tooLarge(subject, server, k, changes, e.now(), err)
	}
	if err != nil {
		return nil, err
	}
	l.read, l.changes, l.seen = e.now(), changes, nil
	e.catalog.greet(subject, server, up)
	e.catalog.put(subject, server, k, l)
	return l, nil
}
