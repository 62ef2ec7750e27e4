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

// listenMethod is the request of the stateless version whose answer is a stream of
// notifications.
const listenMethod = "subscriptions/listen"

// errTimeout is the cause of the ctx of a call that took too long.
var errTimeout = errors.New("no answer in time")

// call is one request to the server that waits for its answer.
type call struct {
	id     int64
	method string
	peer   Peer
	token  []byte // the caller's progress token, unchanged; nil if none
	ctx    context.Context

	cancel  context.CancelCauseFunc
	lingers bool // the link still reads after the answer, and cancels ctx at the end
	clock   *deadline

	// box is set if one reader serves all calls (stdio). The goroutine of the call
	// then delivers the messages in it; otherwise the reader delivers them.
	box *mailbox

	mu    sync.Mutex // serialises deliveries; there is none after the call has ended
	ended bool
}

// hand delivers a notification to the call's Peer. It returns false if the call has ended
// or has no Peer.
func (c *call) hand(m jsonrpc.Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || c.peer == nil {
		return false
	}
	c.peer.Notify(m.Method, m.Params)
	return true
}

// end waits for a delivery in progress and prevents further ones.
func (c *call) end() {
	c.clock.stop()
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
}

// deadline ends a call that makes no progress for too long, or takes too long in total. The
// zero value never does.
type deadline struct {
	mu    sync.Mutex
	idle  time.Duration
	last  time.Time // the latest end of any extension
	held  int       // requests to the client that run
	timer *time.Timer
}

func newDeadline(idle, total time.Duration, expire func()) *deadline {
	return &deadline{idle: idle, last: time.Now().Add(total), timer: time.AfterFunc(idle, expire)}
}

// extend restarts the idle time after progress.
func (d *deadline) extend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reset()
}

// hold stops the idle time while the client answers a request of the server, for which a
// person may need longer. The total time goes on.
func (d *deadline) hold() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held++
	d.reset()
}

// release ends a hold: the idle time starts again.
func (d *deadline) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held--
	d.reset()
}

// isHeld reports whether the client answers a request of the server.
func (d *deadline) isHeld() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.held > 0
}

// reset starts the timer again, unless it has expired. The caller holds mu.
func (d *deadline) reset() {
	if d.timer == nil || !d.timer.Stop() {
		return
	}
	left := time.Until(d.last)
	if d.held == 0 {
		left = min(d.idle, left)
	}
	d.timer.Reset(left)
}

func (d *deadline) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
	}
}

// inflight is the table of calls on one connection.
type inflight struct {
	mu    sync.Mutex
	calls map[int64]*call
	gone  error // the reason why no further call is accepted; nil if calls are accepted
}

// add adds a call.
//
// Errors: the reason of refuse; errTooMany.
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

// take removes and returns a call, or returns nil if there is none with this id.
func (t *inflight) take(id int64) *call {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.calls[id]
	delete(t.calls, id)
	return c
}

// only returns the call if there is exactly one, otherwise nil. Subscriptions do not count.
func (t *inflight) only() (only *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.calls) > 2 {
		return nil
	}
	for _, c := range t.calls {
		switch {
		case c.method == listenMethod:
		case only != nil:
			return nil
		default:
			only = c
		}
	}
	return only
}

// latest returns the call that was started last among those that do not wait for the client,
// nil if there is none. Subscriptions do not count.
func (t *inflight) latest() (latest *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.calls {
		if c.method != listenMethod && !c.clock.isHeld() && (latest == nil || c.id > latest.id) {
			latest = c
		}
	}
	return latest
}

// subscription returns the id of the subscription of the connection, if it has one.
func (t *inflight) subscription() (id int64, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.calls {
		if c.method == listenMethod {
			return c.id, true
		}
	}
	return 0, false
}

// len returns the number of calls without subscriptions.
func (t *inflight) len() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.calls {
		if c.method != listenMethod {
			n++
		}
	}
	return n
}

// refuse makes add refuse further calls. The first reason is kept.
func (t *inflight) refuse(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone == nil {
		t.gone = why
	}
}

// fail cancels all calls.
func (t *inflight) fail(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.calls {
		c.cancel(why)
	}
}
