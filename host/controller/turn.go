package controller

import (
	"context"
	"slices"
	"sync"
)

// turn lets one at a time through, in order of arrival. Who gives it up for a while
// keeps his place: he comes again before those who arrived after him. The zero value
// is free.
type turn struct {
	mu    sync.Mutex
	taken bool
	last  place
	queue []waiter // in the order of their places
}

// place is when somebody arrived first.
type place int64

type waiter struct {
	place place
	let   chan struct{} // closed when it is his turn
}

// arrive gives a place behind all others.
func (t *turn) arrive() place {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	return t.last
}

// take waits for the turn.
//
// Errors: the cause of ctx if it ends first; then the turn was not taken.
func (t *turn) take(ctx context.Context, p place) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t.mu.Lock()
	if !t.taken {
		t.taken = true
		t.mu.Unlock()
		return nil
	}
	mine := waiter{p, make(chan struct{})}
	at, _ := slices.BinarySearchFunc(t.queue, p, func(w waiter, p place) int { return int(w.place - p) })
	t.queue = slices.Insert(t.queue, at, mine)
	t.mu.Unlock()
	select {
	case <-mine.let:
		return nil
	case <-ctx.Done():
		t.leave(mine)
		return context.Cause(ctx)
	}
}

// leave gives up waiting. Who was given the turn in that moment gives it on.
func (t *turn) leave(mine waiter) {
	t.mu.Lock()
	i := slices.Index(t.queue, mine)
	if i >= 0 {
		t.queue = slices.Delete(t.queue, i, i+1)
	}
	t.mu.Unlock()
	if i < 0 {
		t.give()
	}
}

// give lets the next one through.
func (t *turn) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) == 0 {
		t.taken = false
		return
	}
	close(t.queue[0].let)
	t.queue = slices.Delete(t.queue, 0, 1)
}
