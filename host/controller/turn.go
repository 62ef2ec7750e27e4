package controller

import (
	"context"
	"slices"
	"sync"
)

// turn lets one at a time through, in order of arrival. The zero value is free.
type turn struct {
	mu    sync.Mutex
	taken bool
	queue []chan struct{} // of those who wait; closed when it is their turn
}

// take waits for the turn.
//
// Errors: the cause of ctx if it ends first; then the turn was not taken.
func (t *turn) take(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t.mu.Lock()
	if !t.taken {
		t.taken = true
		t.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	t.queue = append(t.queue, mine)
	t.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
		t.leave(mine)
		return context.Cause(ctx)
	}
}

// leave gives up waiting. Who was given the turn in that moment gives it on.
func (t *turn) leave(mine chan struct{}) {
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
	close(t.queue[0])
	t.queue = slices.Delete(t.queue, 0, 1)
}
