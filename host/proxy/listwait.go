package proxy

import (
	"context"
	"sync"
	"time"
)

// An answer that comes with a list_changed for tools is delayed until the client has
// read its tools again. Otherwise the next turn of its model does not know them.
const (
	settleTime  = 50 * time.Millisecond   // for the client to process the list
	maxListWait = 1500 * time.Millisecond // then it is answered anyway
)

// listWaits delays answers until the client has read its tools. Other requests of the
// session are not delayed: one of them ends the wait. The zero value waits for nothing.
// It is safe for concurrent use.
type listWaits struct {
	mu    sync.Mutex
	begun int // number of tools/list requests so far
	waits map[*listWait]struct{}
}

// listWait is one delayed answer. A nil *listWait does not wait.
type listWait struct {
	since    int           // number of tools/list requests before the client was notified
	deadline time.Time     // the answer is sent then
	read     chan struct{} // closed when a later tools/list has been answered
	readAt   time.Time     // set before read is closed
}

// begin counts a request for the list of tools, and returns its number.
func (w *listWaits) begin() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun++
	return w.begun
}

// answered ends the waits for the list request with the number n.
func (w *listWaits) answered(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.waits {
		if one.since < n {
			one.readAt = time.Now()
			close(one.read)
			delete(w.waits, one)
		}
	}
}

// add begins a wait. It is called before the client is notified, which may then read
// the list immediately.
func (w *listWaits) add() *listWait {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := &listWait{since: w.begun, deadline: time.Now().Add(maxListWait), read: make(chan struct{})}
	if w.waits == nil {
		w.waits = make(map[*listWait]struct{})
	}
	w.waits[one] = struct{}{}
	return one
}

// isWaiting reports whether an answer is delayed.
func (w *listWaits) isWaiting() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waits) > 0
}

// remove removes a wait, which may be nil.
func (w *listWaits) remove(one *listWait) {
	if one == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.waits, one)
}

// wait returns when the answer may be sent: a moment after the list was read, at the
// deadline, or when the request has ended. ignored reports that the list was not read until
// the deadline.
func (w *listWait) wait(ctx context.Context) (ignored bool) {
	if w == nil {
		return false
	}
	deadline := time.NewTimer(time.Until(w.deadline))
	defer deadline.Stop()
	select {
	case <-w.read:
	case <-deadline.C:
		return true
	case <-ctx.Done():
		return false
	}
	settle := time.NewTimer(time.Until(w.readAt.Add(settleTime)))
	defer settle.Stop()
	select {
	case <-settle.C:
	case <-deadline.C:
	case <-ctx.Done():
	}
	return false
}
