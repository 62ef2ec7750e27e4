package controller

import (
	"context"
	"slices"
	"sync"
)

// turn is a fair mutex: it admits one holder at a time, in order of arrival. A holder
// that releases it and acquires it again keeps its ticket: it precedes all later
// arrivals. The zero value is unlocked.
type turn struct {
	mu    sync.Mutex
	taken bool
	last  ticket
	queue []waiter // in order of tickets
}

// ticket is the position of a holder in order of arrival.
type ticket int64

type waiter struct {
	ticket ticket
	ready  chan struct{} // closed when the waiter has the turn
}

// arrive returns the next ticket.
func (t *turn) arrive() ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	return t.last
}

// acquire waits for the turn. If ctx is done first, it returns the cause of ctx and
// does not take the turn.
func (t *turn) acquire(ctx context.Context, p ticket) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t.mu.Lock()
	if !t.taken {
		t.taken = true
		t.mu.Unlock()
		return nil
	}
	w := waiter{p, make(chan struct{})}
	at, _ := slices.BinarySearchFunc(t.queue, p, func(w waiter, p ticket) int { return int(w.ticket - p) })
	t.queue = slices.Insert(t.queue, at, w)
	t.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		t.leave(w)
		return context.Cause(ctx)
	}
}

// leave removes a waiter from the queue. If the waiter has received the turn in the
// meantime, leave passes it on.
func (t *turn) leave(w waiter) {
	t.mu.Lock()
	i := slices.Index(t.queue, w)
	if i >= 0 {
		t.queue = slices.Delete(t.queue, i, i+1)
	}
	t.mu.Unlock()
	if i < 0 {
		t.release()
	}
}

// release passes the turn to the next waiter.
func (t *turn) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) == 0 {
		t.taken = false
		return
	}
	close(t.queue[0].ready)
	t.queue = slices.Delete(t.queue, 0, 1)
}
