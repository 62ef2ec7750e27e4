package upstream

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// link is one connection: from its start until it is lost. It is what the two
// transports have in common for the Client.
type link interface {
	// exchange sends a request and waits for its answer. ctx ends it with a
	// cause. Errors: *notSentError, *dialError, *brokenError, errSessionLost,
	// *jsonrpc.FrameTooLongError, or one about this call alone.
	exchange(ctx context.Context, c *call, m jsonrpc.Message) (jsonrpc.Message, error)
	// send sends a message that has no answer.
	send(ctx context.Context, m jsonrpc.Message) error
	// opened tells that the handshake is done.
	opened(protocol string)
	// close ends it and waits for all it started. It can be called twice.
	close()

	wired() *wire
}

var (
	errClosed      = errors.New("client is closed")
	errTooMany     = fmt.Errorf("too many calls wait for an answer (limit %d)", maxInFlight)
	errSessionLost = errors.New("the server has forgotten its session")
)

// notSentError means the request never reached the server.
type notSentError struct{ err error }

func (e *notSentError) Error() string { return e.err.Error() }
func (e *notSentError) Unwrap() error { return e.err }

// dialError means that the server could not be reached. Trying the same again at
// once does not help.
type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// brokenError means the connection broke while a call was waiting: whether it
// ran is not known.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return e.err.Error() }
func (e *brokenError) Unwrap() error { return e.err }

// permanentError is one that trying again soon will not cure.
type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// wire is the part of a link that both transports share: the calls on it, the
// server's requests being answered, and whether it is lost.
type wire struct {
	shared *shared
	send   func(context.Context, jsonrpc.Message) error // the link's
	boxed  bool                                         // calls have mailboxes
	calls  inflight
	lost   chan struct{} // closed when it is
	roots  *rootsWait    // nil without roots, and over HTTP, where the order of messages is not known

	mu       sync.Mutex
	why      error
	inbound  map[jsonrpc.ID]context.CancelCauseFunc // requests of the server
	answered bool                                   // a call of somebody's: the server works
}

func newWire(s *shared, send func(context.Context, jsonrpc.Message) error) *wire {
	return &wire{shared: s, send: send, lost: make(chan struct{}), inbound: make(map[jsonrpc.ID]context.CancelCauseFunc)}
}

// retire marks the link as lost: no call is taken any more, those that wait may
// still be answered.
func (w *wire) retire(why error) {
	w.mu.Lock()
	if w.why == nil {
		w.why = why
		close(w.lost)
	}
	w.mu.Unlock()
	w.calls.refuse(why)
}

// fail marks the link as lost, and the calls that wait with it: they end with a
// *brokenError.
func (w *wire) fail(why error) {
	w.retire(why)
	w.mu.Lock()
	for _, cancel := range w.inbound {
		cancel(nil)
	}
	w.mu.Unlock()
	w.calls.fail(&brokenError{why})
}

func (w *wire) cause() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.why
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
