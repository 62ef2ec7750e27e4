package wasm

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// queue limits the concurrent runs of a group of modules, and divides the processors fairly
// among the modules.
type queue struct {
	slots     *places       // of runs: the number of guests in memory
	turns     *places       // of guests that compute: at most the number of processors
	suspended chan struct{} // of runs in memory without a slot that wait for other runs
}

// newQueue returns a queue. Of its slots a module has at most each.
func newQueue(slots, each, turns, suspended int) *queue {
	return &queue{newPlaces(slots, each), newPlaces(turns, turns), make(chan struct{}, suspended)}
}

// turn is the slot and the turn of one run.
type turn struct {
	*queue
	share *share
	since time.Time // when it last began to compute
}

// enter waits for a slot and a turn. A guest that has to share its processor would lose
// time that its clock counts.
//
// Errors: the cause of ctx, or the cause of closing.
func (q *queue) enter(ctx, closing context.Context, s *share) (*turn, error) {
	if err := q.slots.acquire(ctx, closing, s); err != nil {
		return nil, err
	}
	if err := q.turns.acquire(ctx, closing, s); err != nil {
		q.slots.release(s)
		return nil, err
	}
	return &turn{q, s, time.Now()}, nil
}

// leave ends the run.
func (t *turn) leave() {
	t.stop()
	t.slots.release(t.share)
}

// stop releases the turn.
func (t *turn) stop() {
	t.share.add(time.Since(t.since))
	t.turns.release(t.share)
}

// begin waits for a turn.
func (t *turn) begin() {
	t.turns.take(t.share)
	t.since = time.Now()
}

// pause releases the turn until resume is called.
func (t *turn) pause() (resume func()) {
	t.stop()
	return t.begin
}

// suspend releases the turn and the slot of a run that waits for other guests.
// Otherwise waiting runs could occupy every slot and deadlock. It returns false if
// too many runs are suspended.
func (t *turn) suspend() (resume func(), ok bool) {
	select {
	case t.suspended <- struct{}{}:
	default:
		return nil, false
	}
	t.leave()
	return func() {
		t.slots.take(t.share)
		t.begin()
		<-t.suspended
	}, true
}

// minLead is the time by which a module must be ahead of another one before its guest lets
// that one compute.
const minLead = time.Millisecond

// isDue reports whether a run of another module should have the turn: it waits, and its
// module has used less time.
func (t *turn) isDue() bool {
	if t.turns.waiters.Load() == 0 {
		return false
	}
	t.share.add(time.Since(t.since))
	t.since = time.Now()
	return t.turns.hasWaiterBelow(t.share)
}

// drain waits for all runs to end and lets no other begin. Suspended runs need a slot to
// end.
func (q *queue) drain(ctx context.Context) error {
	for range cap(q.suspended) {
		select {
		case q.suspended <- struct{}{}: // never released
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	for range q.slots.size {
		if err := q.slots.acquire(ctx, ctx, &share{}); err != nil { // never released
			return context.Cause(ctx)
		}
	}
	return nil
}

// errClosing ends runs and refuses new ones.
var errClosing = fault.New(abi.ErrUnavailable, "the runtime is closing")

// share is the time that the runs of one module have used, as far as it matters for its
// next turn: a module that begins to compute again is level with the others, so time that
// it did not use is not saved up. Safe for concurrent use.
type share struct{ nanos atomic.Int64 }

func (s *share) used() time.Duration { return time.Duration(s.nanos.Load()) }

func (s *share) add(d time.Duration) { s.nanos.Add(int64(d)) }

// raise sets the time to at least d.
func (s *share) raise(d time.Duration) {
	for old := s.nanos.Load(); old < int64(d) && !s.nanos.CompareAndSwap(old, int64(d)); {
		old = s.nanos.Load()
	}
}

// places is a counting semaphore. release wakes the waiter whose module has used the least
// time, in order of arrival if several are equal. Safe for concurrent use.
type places struct {
	size, each int
	waiters    atomic.Int32 // length of waiting

	mu      sync.Mutex
	level   time.Duration // the least time of the active modules, when it was last needed
	taken   int
	holders map[*share]int
	waiting []*waiter
}

type waiter struct {
	share *share
	ready chan struct{} // closed when it has a place
}

// newPlaces returns a number of places, of which a module has at most each.
func newPlaces(size, each int) *places {
	return &places{size: size, each: each, holders: make(map[*share]int)}
}

// acquire waits for a place.
//
// Errors: the cause of ctx, or the cause of closing.
func (p *places) acquire(ctx, closing context.Context, s *share) error {
	for _, c := range []context.Context{ctx, closing} {
		if c.Err() != nil {
			return fmt.Errorf("run given up: %w", context.Cause(c))
		}
	}
	w := p.enqueue(s)
	if w == nil {
		return nil
	}
	var ended context.Context
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		ended = ctx
	case <-closing.Done():
		ended = closing
	}
	p.giveUp(w)
	return fmt.Errorf("run given up: %w", context.Cause(ended))
}

// take waits for a place of a run that has begun.
func (p *places) take(s *share) {
	if w := p.enqueue(s); w != nil {
		<-w.ready
	}
}

// enqueue takes a place and returns nil if one is free, otherwise it returns the waiter for one.
func (p *places) enqueue(s *share) *waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle(s)
	if len(p.waiting) == 0 && p.taken < p.size && p.holders[s] < p.each {
		p.taken++
		p.holders[s]++
		return nil
	}
	w := &waiter{s, make(chan struct{})}
	p.waiting = append(p.waiting, w)
	p.assign()
	return w
}

// settle makes a module that becomes active level with those that are, less a small credit
// with which it gets the next place. p.mu is locked.
func (p *places) settle(s *share) {
	active := slices.Collect(maps.Keys(p.holders))
	for _, w := range p.waiting {
		active = append(active, w.share)
	}
	if len(active) > 0 && !slices.Contains(active, s) {
		p.level = max(p.level, slices.MinFunc(active, func(a, b *share) int { return cmp.Compare(a.used(), b.used()) }).used())
	}
	s.raise(p.level - 2*minLead)
}

// giveUp ends the wait of w, which may have got a place just now.
func (p *places) giveUp(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, w); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		p.waiters.Store(int32(len(p.waiting)))
		return
	}
	p.free(w.share)
}

func (p *places) release(s *share) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free(s)
}

// free releases a place. p.mu is locked.
func (p *places) free(s *share) {
	p.taken--
	if p.holders[s]--; p.holders[s] == 0 {
		delete(p.holders, s)
	}
	if len(p.holders)+len(p.waiting) == 0 {
		p.level = max(p.level, s.used())
	}
	p.assign()
}

// assign gives free places to waiters. p.mu is locked.
func (p *places) assign() {
	for p.taken < p.size {
		next := -1
		for i, w := range p.waiting {
			if p.holders[w.share] < p.each && (next < 0 || w.share.used() < p.waiting[next].share.used()) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		w := p.waiting[next]
		p.waiting = slices.Delete(p.waiting, next, next+1)
		p.taken++
		p.holders[w.share]++
		close(w.ready)
	}
	p.waiters.Store(int32(len(p.waiting)))
}

// hasWaiterBelow reports whether another module waits that has used less time.
func (p *places) hasWaiterBelow(own *share) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.waiting, func(w *waiter) bool { return w.share != own && w.share.used() < own.used()-minLead })
}

// count returns the number of places that are taken.
func (p *places) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}
