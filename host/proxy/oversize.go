package proxy

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Bounds of reading lists. A list is read into memory page by page: together with the
// page that is being read it must stay well below twice the size of a message.
const (
	listShare     = 4               // a list may take this part of the largest message
	oversizeRetry = time.Minute     // how long a list that was too large is not read again
	firstRead     = 2 * time.Second // how long others wait for the session that reads a list first
)

// oversizeError is why a list was not read to its end.
type oversizeError struct {
	kind listKind
	most int
}

func (e *oversizeError) Error() string {
	return fmt.Sprintf("its list of %s is larger than %d bytes (a quarter of limits.frame)", e.kind.array(), e.most)
}

// CheckToolsSize returns an error if sessions do not read a list of tools of size bytes.
// frameBytes is the largest message (limits.frame).
//
// Errors: abi.ErrLimit.
func CheckToolsSize(size, frameBytes int) error {
	if most := frameBytes / listShare; size > most {
		return &oversizeError{tools, most}
	}
	return nil
}

// Unwrap gives the kind.
func (e *oversizeError) Unwrap() error { return abi.ErrLimit }

// oversize is a list that was too large, and when.
type oversize struct {
	err     error
	changes int
	at      time.Time
}

// begin is called before a list is read from a server, end after. As long as nothing is
// known of the list one session reads it and the others wait for that, a bounded time:
// many sessions that open at once must not each hold a large list.
//
// Errors: *oversizeError if the list was too large a moment ago; that of ctx.
func (c *catalog) begin(ctx context.Context, subject string, s Server, kind listKind, now func() time.Time) (end func(), err error) {
	limit := time.NewTimer(firstRead)
	defer limit.Stop()
	for {
		c.mu.Lock()
		k := c.entry(subject, s)
		large, reading := k.oversize[kind], k.reading[kind]
		switch {
		case large != nil && large.changes == k.changes[kind] && now().Sub(large.at) < oversizeRetry:
			c.mu.Unlock()
			return nil, large.err
		case k.lists[kind] != nil:
			c.mu.Unlock()
			return func() {}, nil
		case reading == nil:
			reading = make(chan struct{})
			k.reading[kind] = reading
			c.mu.Unlock()
			return func() { c.endFirst(k, kind, reading) }, nil
		}
		c.mu.Unlock()
		select {
		case <-reading:
		case <-limit.C:
			return func() {}, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (c *catalog) endFirst(k *known, kind listKind, reading chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k.reading[kind] = nil
	close(reading)
}
