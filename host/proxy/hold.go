package proxy

import (
	"context"
	"sync"
	"time"
)

// An answer that comes with a tools list_changed is held back until the client
// has read its tools again, else the next turn of its model does not know them.
const (
	holdAfter = 50 * time.Millisecond   // for the client to take the list in
	holdMost  = 1500 * time.Millisecond // then it is answered anyway
)

// rereads lets answers wait for the client to read its tools. Other requests of
// the session go on meanwhile: the one that ends the wait is one of them. Safe for
// concurrent use; the zero value waits for nothing.
type rereads struct {
	mu    sync.Mutex
	begun int // lists that were asked for so far
	holds map[*hold]struct{}
}

// hold is one answer that waits.
type hold struct {
	since int           // lists that had been asked for when the client was told
	until time.Time     // it waits no longer
	read  chan struct{} // closed when a later list has been answered
	at    time.Time     // when; set before read is closed
}

// begin counts a request that asks for the tools; others are 0.
func (r *rereads) begin(method string) int {
	if method != tools.method() {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun++
	return r.begun
}

// answered ends the wait for the list that begin counted.
func (r *rereads) answered(n int) {
	if n == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for h := range r.holds {
		if h.since < n {
			h.at = time.Now()
			close(h.read)
			delete(r.holds, h)
		}
	}
}

// hold begins to wait. It is called before the client is told, since the list may
// be read at once.
func (r *rereads) hold() *hold {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := &hold{since: r.begun, until: time.Now().Add(holdMost), read: make(chan struct{})}
	if r.holds == nil {
		r.holds = make(map[*hold]struct{})
	}
	r.holds[h] = struct{}{}
	return h
}

// waiting reports whether an answer is held back until the tools were read.
func (r *rereads) waiting() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.holds) > 0
}

// drop ends a wait that nobody is in any more. h may be nil.
func (r *rereads) drop(h *hold) {
	if h == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.holds, h)
}

// wait returns when the answer may go out: a moment after the list was read, when
// it has taken too long, or when the request has ended. h may be nil.
func (h *hold) wait(ctx context.Context) {
	if h == nil {
		return
	}
	most := time.NewTimer(time.Until(h.until))
	defer most.Stop()
	select {
	case <-h.read:
	case <-most.C:
		return
	case <-ctx.Done():
		return
	}
	settle := time.NewTimer(time.Until(h.at.Add(holdAfter)))
	defer settle.Stop()
	select {
	case <-settle.C:
	case <-most.C:
	case <-ctx.Done():
	}
}
