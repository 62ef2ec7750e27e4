package traffic

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

// Follower is the source of events.
type Follower interface {
	Follow(ctx context.Context, q api.EventQuery, got func(api.Event) error) error
}

// Batch is what arrived since the last call of Feed.Next.
type Batch struct {
	Restarted bool    // a new stream began: the entries before this batch belong to an earlier one
	Entries   []Entry // oldest first
	Dropped   int     // events that arrived too fast to be shown
	Err       error   // the stream ended; the feed tries again unless Fatal is set
	Fatal     bool    // the query is invalid
}

// Feed receives the events of one query, in the background, and reconnects if the daemon
// restarts. Run returns when its context ends; Next may be called concurrently.
type Feed struct {
	query  api.EventQuery
	retry  func(ctx context.Context, failures int) error
	intern interner

	restarted bool // the next entry is the first one of a new stream

	mu    sync.Mutex
	batch Batch
	ready chan struct{} // capacity 1: the batch is not empty
}

// maxPending is the number of entries that wait for a slow screen.
const maxPending = 20_000

// NewFeed returns a feed.
func NewFeed(q api.EventQuery) *Feed {
	return &Feed{query: q, retry: pause, intern: make(interner), ready: make(chan struct{}, 1)}
}

// pause waits before the next attempt: 0.5 s, then longer, up to 3 s.
func pause(ctx context.Context, failures int) error {
	t := time.NewTimer(min(time.Duration(failures)*500*time.Millisecond, 3*time.Second))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Run follows the events until ctx ends or the query is invalid.
func (f *Feed) Run(ctx context.Context, from Follower) {
	q := f.query
	for failures := 1; ; failures++ {
		first := true
		err := from.Follow(ctx, q, func(e api.Event) error {
			if first {
				first, failures = false, 0
			}
			f.add(e)
			return nil
		})
		if ctx.Err() != nil {
			return
		}
		fatal := errors.Is(err, abi.ErrConfig)
		f.put(func(b *Batch) { b.Err, b.Fatal = err, fatal })
		f.restarted = true
		q.After = 0 // a daemon that restarted counts from 1
		if fatal || f.retry(ctx, failures) != nil {
			return
		}
	}
}

func (f *Feed) add(e api.Event) {
	entry := f.intern.entry(e)
	restarted := f.restarted
	f.restarted = false
	f.put(func(b *Batch) {
		if restarted {
			*b = Batch{Restarted: true}
		}
		if len(b.Entries) == maxPending {
			b.Entries = b.Entries[:copy(b.Entries, b.Entries[maxPending/2:])]
			b.Dropped += maxPending / 2
		}
		b.Entries = append(b.Entries, entry)
	})
}

func (f *Feed) put(change func(*Batch)) {
	f.mu.Lock()
	change(&f.batch)
	f.mu.Unlock()
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// Next waits for entries or an error. It returns false when ctx ends.
func (f *Feed) Next(ctx context.Context) (Batch, bool) {
	select {
	case <-ctx.Done():
		return Batch{}, false
	case <-f.ready:
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.batch
	f.batch = Batch{}
	return b, true
}
