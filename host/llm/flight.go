package llm

import (
	"context"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// flight is one request in progress, shared by all callers that sent an equal one.
// Unlike a single flight of golang.org/x/sync, it ends when the last caller leaves, and
// its time limit depends on the callers.
type flight struct {
	req    abi.LLMRequest
	ctx    context.Context // ends when the last caller leaves
	cancel context.CancelCauseFunc
	done   chan struct{}
	spent  int // tokens of all attempts so far; used by the goroutine of the flight

	// Valid once done is closed.
	answer abi.LLMAnswer
	err    error

	mu         sync.Mutex
	waiters    int
	stops      []func() bool // stop the functions that wait for the contexts of callers
	background bool
	timer      *time.Timer // of the current provider
	begun      time.Time
	limit      time.Duration // in the background
	postponed  chan struct{} // closed while it waits for a provider that is paused
}

// Done implements abi.LLMCall.
func (f *flight) Done() <-chan struct{} { return f.done }

// Answer implements abi.LLMCall.
func (f *flight) Answer() (abi.LLMAnswer, error) { return f.answer, f.err }

// Postponed implements abi.LLMPostponed.
func (f *flight) Postponed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.postponed
}

// postpone reports to all callers that the answer takes longer than they wait, until
// resume is called.
func (f *flight) postpone() (resume func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.postponed)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.postponed = make(chan struct{})
	}
}

func newFlight(life context.Context, r abi.LLMRequest) *flight {
	f := &flight{req: r, done: make(chan struct{}), postponed: make(chan struct{})}
	f.ctx, f.cancel = context.WithCancelCause(life)
	return f
}

// join adds a caller, who leaves when ctx ends. It reports false if the last caller has
// left before: such a flight has been cancelled.
func (f *flight) join(ctx context.Context, background bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil {
		return false
	}
	f.waiters++
	f.stops = append(f.stops, context.AfterFunc(ctx, f.leave))
	if background && !f.background {
		f.background = true
		if f.timer != nil {
			f.timer.Reset(f.timeLeft())
		}
	}
	return true
}

func (f *flight) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiters--; f.waiters == 0 {
		f.cancel(context.Canceled)
	}
}

// startTimer starts the time limit of one provider: limit for a request in the
// background, and foregroundTime at most for any other request.
func (f *flight) startTimer(limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(f.ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun, f.limit = time.Now(), limit
	f.timer = time.AfterFunc(f.timeLeft(), func() { cancel(context.DeadlineExceeded) })
	return ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.timer.Stop()
		f.timer = nil
		cancel(nil)
	}
}

// remaining returns the time that is left of the limit.
func (f *flight) remaining() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.timeLeft()
}

// patience returns how long the flight can wait for a provider that is paused.
func (f *flight) patience() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.background {
		return f.timeLeft()
	}
	return min(f.timeLeft(), guestWaits)
}

// timeLeft is remaining with the lock held by the caller.
func (f *flight) timeLeft() time.Duration {
	limit := f.limit
	if !f.background {
		limit = min(limit, foregroundTime)
	}
	return max(limit-time.Since(f.begun), 0)
}

// finish ends the flight with its result.
func (f *flight) finish(a abi.LLMAnswer, err error) {
	f.answer, f.err = a, err
	close(f.done)
	f.mu.Lock()
	stops := f.stops
	f.stops = nil
	f.mu.Unlock()
	for _, stop := range stops {
		stop()
	}
	f.cancel(nil)
}
