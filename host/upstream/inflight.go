package upstream

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// maxInFlight bounds the calls that wait for answers on one connection.
const maxInFlight = 1024

// errTimeout is the cause in the ctx of a call that took too long.
var errTimeout = errors.New("no answer in time")

// call is one request of ours that waits for its answer.
type call struct {
	id     int64
	method string
	peer   Peer
	token  []byte // the caller's progress token as it came; nil: none
	ctx    context.Context

	cancel  context.CancelCauseFunc
	lingers bool // its link reads on after the answer, and cancels ctx then
	clock   *deadline

	// box is set where the connection's reader serves all calls (stdio): the
	// call's own goroutine then hands its mail on. Else whoever reads does.
	box *mailbox

	mu    sync.Mutex // one delivery at a time, and none once the call has ended
	ended bool
}

// hand gives a notification to the call's Peer, unless the call has ended. It
// reports whether it did.
func (c *call) hand(m jsonrpc.Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || c.peer == nil {
		return false
	}
	c.peer.Notify(m.Method, m.Params)
	return true
}

// end waits for a delivery that is going on; after it there is none.
func (c *call) end() {
	c.clock.stop()
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
}

// deadline ends a call that is silent for too long, or takes too long in all.
type deadline struct {
	mu    sync.Mutex
	idle  time.Duration
	last  time.Time // no extension goes beyond it
	timer *time.Timer
}

func newDeadline(idle, most time.Duration, expire func()) *deadline {
	return &deadline{idle: idle, last: time.Now().Add(most), timer: time.AfterFunc(idle, expire)}
}

// extend starts the idle time anew, as progress does.
func (d *deadline) extend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer.Stop() {
		d.timer.Reset(min(d.idle, time.Until(d.last)))
	}
}

func (d *deadline) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer.Stop()
}

// inflight is the table of calls on one connection.
type inflight struct {
	mu    sync.Mutex
	calls map[int64]*call
	gone  error // why no call is taken any more
}

// add reports why the call cannot be made: the connection is gone, or too many
// wait already.
func (t *inflight) add(c *call) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone != nil {
		return t.gone
	}
	if len(t.calls) >= maxInFlight {
		return errTooMany
	}
	if t.calls == nil {
		t.calls = make(map[int64]*call)
	}
	t.calls[c.id] = c
	return nil
}

func (t *inflight) find(id int64) *call {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls[id]
}

// take removes a call: its answer is there, or nobody waits any more.
func (t *inflight) take(id int64) *call {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.calls[id]
	delete(t.calls, id)
	return c
}

// only returns the one call there is, nil if there is none or more.
func (t *inflight) only() *call {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.calls) != 1 {
		return nil
	}
	for _, c := range t.calls {
		return c
	}
	return nil
}

func (t *inflight) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.calls)
}

// refuse lets no more calls in; the first reason stays.
func (t *inflight) refuse(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone == nil {
		t.gone = why
	}
}

// fail ends all calls.
func (t *inflight) fail(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.calls {
		c.cancel(why)
	}
}
