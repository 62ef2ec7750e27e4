package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/pin"
)

// Catalog remembers the declarations and the lists of servers. It is safe for concurrent use.
type Catalog struct {
	store    Store      // nil: nothing outlives the process
	pins     *pin.Store // nil: definitions of tools are not compared
	maxBytes int        // of a list
	now      func() time.Time

	mu    sync.Mutex
	known map[key]*record
}

type key struct{ subject, server string }

// New returns a Catalog that does not read lists of more than maxBytes. store and pins may
// be nil.
func New(store Store, pins *pin.Store, maxBytes int, now func() time.Time) *Catalog {
	return &Catalog{store: store, pins: pins, maxBytes: maxBytes, now: now, known: make(map[key]*record)}
}

// entry returns the record of a server. If there is none, or the server's spec has
// changed, it returns the one kept by an earlier process or a new one. The caller
// holds mu.
func (c *Catalog) entry(id ID) *record {
	at := key{id.Subject, id.Server}
	k := c.known[at]
	if k == nil || k.revision != id.Revision {
		k = newRecord(id.Revision)
		if c.store != nil {
			if value, ok := c.store.Get(id.key()); ok {
				k.decode(value)
			}
		}
		c.known[at] = k
	}
	return k
}

// keep stores a record for the next process. The caller holds mu.
func (c *Catalog) keep(k *record, id ID) {
	if c.store == nil {
		return
	}
	if value, ok := k.encode(); ok {
		c.store.Set(id.key(), value)
	}
}

// Greet records the declarations of a server at its handshake.
func (c *Catalog) Greet(id ID, up Upstream) {
	caps, text := up.Capabilities(), up.Instructions()
	if caps == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(id)
	if k.instructions != text || !bytes.Equal(k.capabilities, caps) {
		k.capabilities, k.instructions = caps, text
		c.keep(k, id)
	}
}

// Greeting returns the declarations of the last handshake; caps is nil if there was none.
func (c *Catalog) Greeting(id ID) (caps json.RawMessage, instructions string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(id)
	return k.capabilities, k.instructions
}

// Invalidate records that a server has announced a change of a list.
func (c *Catalog) Invalidate(id ID, kind Kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entry(id).changes[kind]++
}

// Read reads a list from a server that is ready, and records it. It returns the list that
// clients see.
//
// Errors: of ReadList and of ctx.
func (c *Catalog) Read(ctx context.Context, id ID, up Upstream, kind Kind) (*Listing, error) {
	end, err := c.begin(ctx, id, kind)
	if err != nil {
		return nil, err
	}
	defer end()
	c.mu.Lock()
	changes := c.entry(id).changes[kind]
	c.mu.Unlock()
	l, err := ReadList(ctx, id.Server, up, kind, c.maxBytes)
	if err != nil {
		if large := (*sizeError)(nil); errors.As(err, &large) {
			c.recordOversize(id, kind, &oversize{err, changes, c.now()})
		}
		return nil, err
	}
	l.read, l.changes, l.seen = c.now(), changes, nil
	c.Greet(id, up)
	c.pin(id, kind, l) // before the list is shown: the first one is what the user has seen
	c.put(id, kind, l)
	return c.shown(id, kind, l), nil
}

// put records a list.
func (c *Catalog) put(id ID, kind Kind, l *Listing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(id)
	before := k.lists[kind]
	isSame := before != nil && before.equal(l)
	if isSame && bytes.Equal(before.First, l.First) {
		l.Items, l.First = before.Items, before.First // sessions hold lists: equal ones share their bytes
	}
	k.lists[kind], k.absent, k.oversize[kind] = l, false, nil
	if kind == Tools {
		k.toolsFault = nil
	}
	if before == nil {
		close(k.first[kind])
	}
	if !isSame {
		c.keep(k, id)
	}
}

func (c *Catalog) recordOversize(id ID, kind Kind, large *oversize) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entry(id).oversize[kind] = large
}

// RecordFault records why a server did not return a list.
func (c *Catalog) RecordFault(id ID, kind Kind, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(id)
	k.absent = true
	if kind == Tools {
		k.toolsFault = why
	}
}

// errNoAnswerYet is the fault of a server that runs and was never listed.
var errNoAnswerYet = errors.New("no answer to tools/list yet")

// RecordTimeout records that a server did not answer in time, so that the next request
// waits less.
func (c *Catalog) RecordTimeout(id ID, kind Kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(id)
	k.absent = true
	if kind == Tools && k.lists[Tools] == nil && k.toolsFault == nil {
		k.toolsFault = errNoAnswerYet
	}
}

// ForgetFaults removes the recorded faults of a server, for all subjects.
func (c *Catalog) ForgetFaults(server string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at, k := range c.known {
		if at.server == server {
			k.absent, k.toolsFault = false, nil
		}
	}
}

// Fault returns why the tools of a server could not be listed at the last attempt, or
// which of its lists is too large. It returns nil if there is nothing to report.
func (c *Catalog) Fault(id ID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(id)
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

// Notes returns the faults in the lists of a server as last read: entries that clients
// reject, and lists that were read only in part.
func (c *Catalog) Notes(id ID) (notes []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.entry(id).lists {
		if l != nil {
			notes = append(notes, l.notes...)
		}
	}
	return notes
}

// Last returns the last list read as clients see it, of any age, or nil. absent reports whether the
// server did not answer the last list request.
func (c *Catalog) Last(id ID, kind Kind) (l *Listing, absent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(id)
	return c.shown(id, kind, k.lists[kind]), k.absent
}

// First returns a channel that is closed when the first list is read. It is for callers
// to which Last returned no list.
func (c *Catalog) First(id ID, kind Kind) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entry(id).first[kind]
}

// relistAfter is the age from which IsOutdated reports a list.
const relistAfter = 10 * time.Minute

// IsOutdated reports whether the tools of a server were never listed, or not lately.
func (c *Catalog) IsOutdated(id ID) bool {
	l, _ := c.Last(id, Tools)
	return l == nil || l.Kept || c.now().Sub(l.read) > relistAfter
}

// Fresh returns the last list of tools as clients see it if it is younger than ttl and has not changed,
// otherwise nil.
func (c *Catalog) Fresh(id ID, kind Kind, ttl time.Duration) *Listing {
	if ttl <= 0 || kind != Tools {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.entry(id)
	if l := k.lists[kind]; l != nil && !l.Kept && l.changes == k.changes[kind] && c.now().Sub(l.read) < ttl {
		return c.shown(id, kind, l)
	}
	return nil
}
