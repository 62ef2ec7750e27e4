package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

const (
	listShare     = 4               // a list may have this fraction of the largest message
	oversizeRetry = time.Minute     // until an oversized list is read again
	firstRead     = 2 * time.Second // that other sessions wait for the first read of a list
)

// MaxListBytes returns the size of the largest list that is read. frameBytes is the
// size of the largest message: a list and the page that is being read are in memory at
// the same time.
func MaxListBytes(frameBytes int) int { return frameBytes / listShare }

// sizeError reports that a list is larger than the limit.
type sizeError struct {
	kind  Kind
	limit int
}

func (e *sizeError) Error() string {
	return fmt.Sprintf("its list of %s is larger than %d bytes (a quarter of limits.frame)", e.kind.Array(), e.limit)
}

// Unwrap returns abi.ErrLimit.
func (e *sizeError) Unwrap() error { return abi.ErrLimit }

// CheckToolsSize returns an error if sessions do not read a list of tools of size bytes.
// frameBytes is the largest message (limits.frame).
//
// Errors: abi.ErrLimit.
func CheckToolsSize(size, frameBytes int) error {
	if limit := MaxListBytes(frameBytes); size > limit {
		return &sizeError{Tools, limit}
	}
	return nil
}

// oversize records that a list was too large.
type oversize struct {
	err     error
	changes int
	at      time.Time
}

// begin is called before a list is read from a server, and end after it. While a list
// is unknown, one session reads it and the others wait a bounded time, so that many
// sessions that open at once do not each hold a large list.
//
// Errors: a *sizeError if the list was too large less than a minute ago; of ctx.
func (c *Catalog) begin(ctx context.Context, id ID, kind Kind) (end func(), err error) {
	limit := time.NewTimer(firstRead)
	defer limit.Stop()
	for {
		c.mu.Lock()
		k := c.entry(id)
		large, reading := k.oversize[kind], k.reading[kind]
		switch {
		case large != nil && large.changes == k.changes[kind] && c.now().Sub(large.at) < oversizeRetry:
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

func (c *Catalog) endFirst(k *record, kind Kind, reading chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k.reading[kind] = nil
	close(reading)
}
