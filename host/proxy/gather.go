package proxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// How long a list waits for one server. Who comes later is listed as last known,
// and the client hears list_changed once the answer is there.
const (
	waitUnknown = 3 * time.Second        // nothing to show instead
	waitKnown   = 500 * time.Millisecond // there is a last known list, or the server was away already
	noWait      = 0                      // only what is known
)

// errLate: a list did not come in the time that its client waits.
var errLate = errors.New("no answer")

// patience says how long to wait for the list of one server. soon is set if a
// long wait is of no use.
type patience func(s Server, soon bool) time.Duration

// forClient is the patience of a request.
func forClient(_ Server, soon bool) time.Duration {
	if soon {
		return waitKnown
	}
	return waitUnknown
}

// forCheck asks the named servers anew and takes what is known of the others.
func forCheck(names []string) patience {
	return func(s Server, soon bool) time.Duration {
		if slices.Contains(names, s.Name) {
			return forClient(s, soon)
		}
		return noWait
	}
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
	last, absent := s.e.catalog.last(subject, server, k)
	limit := wait(server, last != nil || absent)
	if limit == noWait {
		return served{server: server, list: last}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	read := make(chan served)
	go func() {
		r := s.read(p, server, k)
		select {
		case read <- r:
		case <-ctx.Done(): // nobody waited that long
			if r.err == nil {
				s.recheck(k)
			} else if s.ctx.Err() == nil { // not that the session ended
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
	case <-ctx.Done():
		why := fmt.Errorf("%w: %w within %v", abi.ErrUnavailable, errLate, limit)
		s.e.catalog.miss(subject, server, k, why)
		return served{server: server, list: last, stale: true, err: why}
	}
}

// read asks the server itself and records what it says. It lasts as long as the
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
	subject := s.scope.Subject
	end, err := s.e.catalog.begin(s.ctx, subject, server, k, s.e.now)
	if err != nil {
		r.err = err
		return r
	}
	defer end()
	changes := s.e.catalog.changes(subject, server, k)
	r.list, r.err = readList(s.ctx, server.Name, up, k, s.e.opts.MaxBody/listShare)
	if large := (*oversizeError)(nil); errors.As(r.err, &large) {
		s.e.catalog.tooLarge(subject, server, k, changes, s.e.now(), r.err)
	}
	if r.err != nil {
		return r
	}
	r.list.read, r.list.changes, r.list.seen = s.e.now(), changes, nil
	s.e.catalog.greet(subject, server, up)
	s.e.catalog.put(subject, server, k, r.list)
	return r
}
