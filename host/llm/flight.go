package llm

import (
	"context"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// flight is one request under way, for all who want its answer.
type flight struct {
	req    abi.LLMRequest
	ctx    context.Context // ends when the last asker has left
	cancel context.CancelCauseFunc
	done   chan struct{}
	spent  int // tokens of all attempts so far; for those who make them

	// Valid once done is closed.
	answer abi.LLMAnswer
	err    error

	mu         sync.Mutex
	askers     int
	stops      []func() bool // of what waits for askers to leave
	background bool
	timer      *time.Timer // of the provider that is asked now
	begun      time.Time
	limit      time.Duration // in the background
	postponed  chan struct{} // closed while it waits for a provider that rests
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

// postpone tells all who wait that they need not, until resume.
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

// join adds an asker, who leaves when ctx ends. It reports false if the last one
// has just left: such a flight answers nobody.
func (f *flight) join(ctx context.Context, background bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil {
		return false
	}
	f.askers++
	f.stops = append(f.stops, context.AfterFunc(ctx, f.leave))
	if background && !f.background {
		f.background = true
		if f.timer != nil {
			f.timer.Reset(f.rest())
		}
	}
	return true
}

func (f *flight) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.askers--; f.askers == 0 {
		f.cancel(context.Canceled)
	}
}

// clock begins the time that one provider has for an answer: limit in the
// background, less if somebody waits.
func (f *flight) clock(limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(f.ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun, f.limit = time.Now(), limit
	f.timer = time.AfterFunc(f.rest(), func() { cancel(context.DeadlineExceeded) })
	return ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.timer.Stop()
		f.timer = nil
		cancel(nil)
	}
}

// left is what is left of that time.
func (f *flight) left() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rest()
}

// patience is how long it may wait for a provider that wants no request for a time.
func (f *flight) patience() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.background {
		return f.rest()
	}
	return min(f.rest(), guestWaits)
}

// rest is left for callers that hold the lock.
func (f *flight) rest() time.Duration {
	limit := f.limit
	if !f.background {
		limit = min(limit, foreground)
	}
	return max(limit-time.Since(f.begun), 0)
}

// land ends the flight.
func (f *flight) land(a abi.LLMAnswer, err error) {
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
