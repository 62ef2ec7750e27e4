package upstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// link is one connection, from its start until it is lost. Each transport implements it.
type link interface {
	// exchange sends a request and waits for its answer, or for the end of ctx.
	// Errors: *notSentError, *dialError, *brokenError, errSessionLost,
	// *jsonrpc.FrameTooLongError, the cause of ctx, or an error of this call alone.
	exchange(ctx context.Context, c *call, m jsonrpc.Message) (jsonrpc.Message, error)
	// send sends a message that expects no answer.
	send(ctx context.Context, m jsonrpc.Message) error
	// opened is called after the initialize request.
	opened(protocol string)
	// close ends the link and waits for its goroutines. It can be called twice.
	close()

	wired() *wire
}

var (
	errClosed      = errors.New("client is closed")
	errTooMany     = fmt.Errorf("too many calls wait for an answer (limit %d)", maxInFlight)
	errSessionLost = errors.New("the server has forgotten its session")
)

// notSentError means that the request never reached the server.
type notSentError struct{ err error }

func (e *notSentError) Error() string { return e.err.Error() }
func (e *notSentError) Unwrap() error { return e.err }

// dialError means that the server could not be reached. An immediate second attempt does
// not help.
type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// brokenError means that the connection broke during a call. It is unknown whether the
// call ran.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return e.err.Error() }
func (e *brokenError) Unwrap() error { return e.err }

// permanentError is an error that a further attempt does not cure, such as a missing
// program.
type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// wire is the part of a link that both transports share: its calls, the pending requests
// of the server, and whether the link is lost.
type wire struct {
	shared    *shared
	send      func(context.Context, jsonrpc.Message) error // of the link
	boxed     bool                                         // calls have mailboxes
	calls     inflight
	lost      chan struct{}         // closed when the link is lost
	stateless atomic.Bool           // requests describe themselves; set by the handshake before any call
	closes    bool                  // closing the response cancels a request, in the stateless version
	tools     stateless.ToolHeaders // of a server of the stateless version over HTTP
	roots     *rootsWait            // nil without roots, and over HTTP, where the order of messages is unknown

	mu       sync.Mutex
	why      error
	since    time.Time                              // of why
	inbound  map[jsonrpc.ID]context.CancelCauseFunc // requests of the server
	answered bool                                   // a call was answered, so the server works
}

func newWire(s *shared, send func(context.Context, jsonrpc.Message) error) *wire {
	return &wire{shared: s, send: send, lost: make(chan struct{}), inbound: make(map[jsonrpc.ID]context.CancelCauseFunc)}
}

// endsByClosing reports whether a request is cancelled by closing its response, instead of
// by a notification.
func (w *wire) endsByClosing() bool { return w.stateless.Load() && w.closes }

// retire marks the link as lost. It accepts no further calls, but pending calls may still
// be answered.
func (w *wire) retire(why error) {
	w.mu.Lock()
	if w.why == nil {
		w.why, w.since = why, time.Now()
		close(w.lost)
	}
	w.mu.Unlock()
	w.calls.refuse(why)
}

// fail marks the link as lost and ends pending calls with a *brokenError.
func (w *wire) fail(why error) {
	w.retire(why)
	w.mu.Lock()
	for _, cancel := range w.inbound {
		cancel(nil)
	}
	w.mu.Unlock()
	w.calls.fail(&brokenError{why})
}

// cause returns why the link is lost, or nil.
func (w *wire) cause() error {
	_, why := w.loss()
	return why
}

// loss returns since when the link is lost, and why; nil if it is not.
func (w *wire) loss() (since time.Time, why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.since, w.why
}

func (w *wire) markAnswered() {
	w.mu.Lock()
	w.answered = true
	w.mu.Unlock()
}

func (w *wire) hasAnswered() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.answered
}
