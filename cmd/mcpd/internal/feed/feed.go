// Package feed sends the changes of the store to watchers, in the order of commits and
// without gaps. A Hub reads each change once and keeps the last ones in memory; a watcher
// is a position in them.
package feed

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
)

// Limits of a Hub.
const (
	// kept is the number of changes in memory. A watcher that is further behind reads the
	// database.
	kept = 4096
	// keptBytes is their size: a prompt may have a text of 1 MiB.
	keptBytes = 64 << 20
	// batch is the number of changes that are read at once.
	batch = 500
	// poll is the interval at which the store is read without a wake-up, for changes by
	// other processes whose notification was lost.
	poll = 2 * time.Second
)

// Source is the part of store.Store that a Hub reads.
type Source interface {
	Version(ctx context.Context) (int64, error)
	Changes(ctx context.Context, after int64, limit int) ([]store.Change, error)
}

// Hub holds the last changes. It is safe for concurrent use.
type Hub struct {
	source Source
	log    *slog.Logger
	wake   chan struct{}
	apply  func([]store.Change) error // see Open

	reading sync.Mutex // held by the reader of the store, which may have to wait for it

	mu      sync.Mutex     // held for moments, because all watchers need it at the same time
	changes []store.Change // the last ones, without gaps
	bytes   int            // size of changes
	version int64          // of the last change that was read
	more    chan struct{}  // closed when a change was added
}

// Open returns a Hub that begins at the current version of the store. apply is called with
// each batch of changes before watchers get it, so that the rights that a change gives or
// takes are in force then. If it fails, the batch is read again later. Its argument is nil if
// all objects may have changed, which is the first call: the version is read before it, so
// that apply gets the changes that others commit meanwhile.
func Open(ctx context.Context, source Source, log *slog.Logger, apply func([]store.Change) error) (*Hub, error) {
	h := &Hub{source: source, log: log, wake: make(chan struct{}, 1), apply: apply, more: make(chan struct{})}
	if err := h.restart(ctx); err != nil {
		return h, err
	}
	recent, err := h.recent(ctx)
	h.keep(recent)
	return h, err
}

// recent returns the changes before the version of a new Hub: after a restart all watchers
// come back at once, most of them with a version shortly before.
func (h *Hub) recent(ctx context.Context) ([]store.Change, error) {
	changes, err := h.source.Changes(ctx, max(0, h.version-batch), batch)
	if errors.Is(err, store.ErrCompacted) {
		return nil, nil
	}
	for i, c := range changes {
		if c.Version > h.version { // committed since restart read the version
			return changes[:i], err
		}
	}
	return changes, err
}

// Wake makes the Hub read the store soon.
func (h *Hub) Wake() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// Run reads changes until ctx ends.
func (h *Hub) Run(ctx context.Context) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	silent := false // the database does not answer, which was logged
	for {
		if err := h.Sync(ctx); err != nil && ctx.Err() == nil {
			if !silent {
				h.log.Error("changes cannot be read, watchers wait", "cause", err)
			}
			silent = true
		} else if silent {
			h.log.Info("changes are read again")
			silent = false
		}
		select {
		case <-ctx.Done():
			return
		case <-h.wake:
		case <-tick.C:
		}
	}
}

// Sync reads all changes that are committed now.
func (h *Hub) Sync(ctx context.Context) error {
	h.reading.Lock()
	defer h.reading.Unlock()
	for {
		changes, err := h.source.Changes(ctx, h.Version(), batch)
		if errors.Is(err, store.ErrCompacted) { // another database, or compacted beyond this hub: watchers begin again
			return h.restart(ctx)
		}
		if err != nil || len(changes) == 0 {
			return err
		}
		if err := h.apply(changes); err != nil {
			return err
		}
		h.add(changes)
	}
}

// add appends changes and wakes all watchers.
func (h *Hub) add(changes []store.Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.keep(changes)
	h.version = changes[len(changes)-1].Version
	h.broadcast()
}

// keep appends changes, and removes the oldest ones beyond the limits. The caller holds mu, or
// is the only one who knows the Hub.
func (h *Hub) keep(changes []store.Change) {
	h.changes = append(h.changes, changes...)
	for _, c := range changes {
		h.bytes += size(c)
	}
	n := 0
	for ; len(h.changes)-n > kept || h.bytes > keptBytes && n < len(h.changes); n++ {
		h.bytes -= size(h.changes[n])
	}
	if n > 0 { // a new slice: watchers may read the old one
		h.changes = append([]store.Change(nil), h.changes[n:]...)
	}
}

// size returns the approximate memory of a change in bytes.
func size(c store.Change) int {
	if c.Record == nil {
		return 256
	}
	return 512 + len(c.Record.Manifest)
}

func (h *Hub) restart(ctx context.Context) error {
	version, err := h.source.Version(ctx)
	if err != nil {
		return err
	}
	if err := h.apply(nil); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version, h.changes, h.bytes = version, nil, 0
	h.broadcast()
	return nil
}

// broadcast wakes all watchers. The caller holds mu.
func (h *Hub) broadcast() {
	close(h.more)
	h.more = make(chan struct{})
}

// Version returns the version of the last change that watchers can have.
func (h *Hub) Version() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.version
}

// Next returns the changes after a version and the version up to which they are complete. If
// there are none, more is closed when there are.
//
// It returns store.ErrCompacted if they were removed.
func (h *Hub) Next(ctx context.Context, after int64) (changes []store.Change, upTo int64, more <-chan struct{}, err error) {
	version, recent, more := h.state()
	if after > version { // the client has it from a snapshot, or from another process
		if err := h.Sync(ctx); err != nil {
			return nil, version, more, err
		}
		version, recent, more = h.state()
	}
	switch {
	case after == version:
		return nil, version, more, nil
	case after > version:
		return nil, version, more, store.ErrCompacted
	case len(recent) > 0 && recent[0].Version <= after+1:
		changes = recent[after+1-recent[0].Version:]
		if len(changes) > batch {
			changes = changes[:batch]
		}
	default:
		if changes, err = h.source.Changes(ctx, after, batch); err != nil {
			return nil, version, more, err
		}
		// The store may be ahead of the Hub: the rights of later changes are not in force yet.
		changes = slices.DeleteFunc(changes, func(c store.Change) bool { return c.Version > version })
	}
	if len(changes) == 0 {
		return nil, after, more, abi.ErrUnavailable
	}
	return changes, changes[len(changes)-1].Version, more, nil
}

func (h *Hub) state() (version int64, recent []store.Change, more <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.version, h.changes, h.more
}
