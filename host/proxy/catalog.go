package proxy

import (
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// catalog remembers of each server what it last told: so that a new session is
// answered before its servers are up, and a server that is down keeps its place
// in the lists. What one subject was told is never shown to another.
// Safe for concurrent use.
type catalog struct {
	mu    sync.Mutex
	known map[catalogKey]*known
}

type catalogKey struct{ subject, server string }

// known is what one server last told one subject.
type known struct {
	revision     string // of the server's spec; another one makes all void
	capabilities json.RawMessage
	instructions string
	lists        [listKinds]*listing
	changes      [listKinds]int // how often the server said list_changed
	absent       bool           // it did not answer when last asked for a list
	toolsFault   error          // why its tools could not be listed when last asked
	oversize     [listKinds]*oversize
	reading      [listKinds]chan struct{} // closed when the session that reads a list first is done
}

func newCatalog() *catalog { return &catalog{known: make(map[catalogKey]*known)} }

// entry returns the record of a server, a new one if there is none or the server
// has been changed. The caller holds mu.
func (c *catalog) entry(subject string, s Server) *known {
	key := catalogKey{subject, s.Name}
	k := c.known[key]
	if k == nil || k.revision != s.Revision {
		k = &known{revision: s.Revision}
		c.known[key] = k
	}
	return k
}

// greet records what a server said at its handshake.
func (c *catalog) greet(subject string, s Server, up Upstream) {
	caps, text := up.Capabilities(), up.Instructions()
	if caps == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(subject, s)
	k.capabilities, k.instructions = caps, text
}

// greeting returns the last recorded handshake; caps is nil if there is none.
func (c *catalog) greeting(subject string, s Server) (caps json.RawMessage, instructions string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(subject, s)
	return k.capabilities, k.instructions
}

// changes returns how often the server has said that a list changed. Who reads
// the list asks before and puts the number into the listing.
func (c *catalog) changes(subject string, s Server, kind listKind) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entry(subject, s).changes[kind]
}

// outdate counts a list_changed of the server.
func (c *catalog) outdate(subject string, s Server, kind listKind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entry(subject, s).changes[kind]++
}

func (c *catalog) put(subject string, s Server, kind listKind, l *listing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(subject, s)
	k.lists[kind], k.absent, k.oversize[kind] = l, false, nil
	if kind == tools {
		k.toolsFault = nil
	}
}

// miss records that a server did not answer, and why, as far as it is known. What
// says more than that time was up stays.
func (c *catalog) miss(subject string, s Server, kind listKind, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(subject, s)
	k.absent = true
	if kind == tools && (k.toolsFault == nil || !errors.Is(why, errLate)) {
		k.toolsFault = why
	}
}

// tooLarge records that a list is larger than what is read.
func (c *catalog) tooLarge(subject string, s Server, kind listKind, changes int, now time.Time, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entry(subject, s).oversize[kind] = &oversize{why, changes, now}
}

// fault returns why the tools of a server could not be listed when last asked, or which
// list of it is too large; nil if there is nothing to report.
func (c *catalog) fault(subject string, s Server) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(subject, s)
	if k.toolsFault != nil {
		return k.toolsFault
	}
	for _, large := range k.oversize {
		if large != nil {
			return large.err
		}
	}
	return nil
}

// last returns the last list read, however old, nil if there is none; and whether
// the server did not answer when last asked.
func (c *catalog) last(subject string, s Server, kind listKind) (l *listing, absent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(subject, s)
	return k.lists[kind], k.absent
}

// fresh returns the last list if it need not be read again yet.
func (c *catalog) fresh(subject string, s Server, kind listKind, now time.Time) *listing {
	if s.ToolsTTL <= 0 || kind != tools {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(subject, s)
	if l := k.lists[kind]; l != nil && l.changes == k.changes[kind] && now.Sub(l.read) < s.ToolsTTL {
		return l
	}
	return nil
}
