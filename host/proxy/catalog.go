package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// catalog remembers what each server last declared and listed: so that a new
// session is answered before its servers are up, and a server that is down keeps
// its place in the lists. What one subject was given is never shown to another.
// Safe for concurrent use.
type catalog struct {
	kept KnownLists // nil: nothing outlives the process

	mu    sync.Mutex
	known map[catalogKey]*known
}

type catalogKey struct{ subject, server string }

// known is what one server last declared and listed for one subject.
type known struct {
	revision     string // of the server's spec; a change makes the rest void
	capabilities json.RawMessage
	instructions string
	lists        [listKinds]*listing
	first        [listKinds]chan struct{} // closed when there is a list
	changes      [listKinds]int           // how often the server sent list_changed
	absent       bool                     // it did not answer when last asked for a list
	toolsFault   error                    // why its tools could not be listed when last asked
	oversize     [listKinds]*oversize
	reading      [listKinds]chan struct{} // closed when the session that reads a list first is done
}

func newCatalog(kept KnownLists) *catalog {
	return &catalog{kept: kept, known: make(map[catalogKey]*known)}
}

// entry returns the record of a server: the one kept from an earlier process, or a
// new one, if there is none or the server's spec was changed. The caller holds mu.
func (c *catalog) entry(subject string, s Server) *known {
	key := catalogKey{subject, s.Name}
	k := c.known[key]
	if k == nil || k.revision != s.Revision {
		k = &known{revision: s.Revision}
		c.restore(k, keptKey(subject, s))
		for kind := range k.first {
			k.first[kind] = make(chan struct{})
		}
		c.known[key] = k
	}
	return k
}

// greet records what a server declared at its handshake.
func (c *catalog) greet(subject string, s Server, up Upstream) {
	caps, text := up.Capabilities(), up.Instructions()
	if caps == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(subject, s)
	if k.instructions != text || !bytes.Equal(k.capabilities, caps) {
		k.capabilities, k.instructions = caps, text
		c.keep(k, keptKey(subject, s))
	}
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

// put records a list that was read.
func (c *catalog) put(subject string, s Server, kind listKind, l *listing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(subject, s)
	before := k.lists[kind]
	k.lists[kind], k.absent, k.oversize[kind] = l, false, nil
	if kind == tools {
		k.toolsFault = nil
	}
	if before == nil {
		close(k.first[kind])
	}
	if before == nil || !before.equal(l) {
		c.keep(k, keptKey(subject, s))
	}
}

// miss records that a server did not give a list, and why.
func (c *catalog) miss(subject string, s Server, kind listKind, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(subject, s)
	k.absent = true
	if kind == tools {
		k.toolsFault = why
	}
}

// tooLarge records that a list is larger than what is read.
func (c *catalog) tooLarge(subject string, s Server, kind listKind, changes int, now time.Time, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entry(subject, s).oversize[kind] = &oversize{why, changes, now}
}

// errNoAnswerYet is why there are no tools of a server that runs and was never listed.
var errNoAnswerYet = errors.New("no answer to tools/list yet")

// late records that a server did not answer in the time that a client waits: the
// next one waits less.
func (c *catalog) late(subject string, s Server, kind listKind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(subject, s)
	k.absent = true
	if kind == tools && k.lists[tools] == nil && k.toolsFault == nil {
		k.toolsFault = errNoAnswerYet
	}
}

// forgetFaults forgets for all subjects why a server could not be listed.
func (c *catalog) forgetFaults(server string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, k := range c.known {
		if key.server == server {
			k.absent, k.toolsFault = false, nil
		}
	}
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

// last returns the last list read, however old, and whether the server did not
// answer when last asked. If there is no list, first is closed once there is one.
func (c *catalog) last(subject string, s Server, kind listKind) (l *listing, absent bool, first <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(subject, s)
	if k.lists[kind] == nil {
		first = k.first[kind]
	}
	return k.lists[kind], k.absent, first
}

// relistAfter is the age from which a list is read again even if the session that
// started its server has ended.
const relistAfter = 10 * time.Minute

// outdated reports whether the tools of a server were never listed, or not lately.
func (c *catalog) outdated(subject string, s Server, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.entry(subject, s).lists[tools]
	return l == nil || l.kept || now.Sub(l.read) > relistAfter
}

// fresh returns the last list if it need not be read again yet.
func (c *catalog) fresh(subject string, s Server, kind listKind, now time.Time) *listing {
	if s.ToolsTTL <= 0 || kind != tools {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(subject, s)
	if l := k.lists[kind]; l != nil && !l.kept && l.changes == k.changes[kind] && now.Sub(l.read) < s.ToolsTTL {
		return l
	}
	return nil
}
