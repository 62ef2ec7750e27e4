package wasm

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// queue limits the concurrent runs of a group of modules.
type queue struct {
	slots     chan struct{} // of runs: the number of guests in memory
	turns     chan struct{} // of guests that compute: at most the number of processors
	suspended chan struct{} // of runs in memory without a slot that wait for other runs
}

func newQueue(slots, turns, suspended int) *queue {
	return &queue{make(chan struct{}, slots), make(chan struct{}, turns), make(chan struct{}, suspended)}
}

// enter waits for a slot and a turn. A guest that has to share its processor would lose
// time that its clock counts.
//
// Errors: the cause of ctx, or the cause of closing.
func (q *queue) enter(ctx, closing context.Context) (leave func(), err error) {
	if err := acquire(ctx, closing, q.slots); err != nil {
		return nil, err
	}
	if err := acquire(ctx, closing, q.turns); err != nil {
		<-q.slots
		return nil, err
	}
	return func() { <-q.turns; <-q.slots }, nil
}

func acquire(ctx, closing context.Context, places chan<- struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("run given up: %w", context.Cause(ctx))
	case <-closing.Done():
		return fmt.Errorf("run given up: %w", context.Cause(closing))
	}
}

// pause releases the turn of a run until resume is called.
func (q *queue) pause() (resume func()) {
	<-q.turns
	return func() { q.turns <- struct{}{} }
}

// suspend releases the turn and the slot of a run that waits for other guests.
// Otherwise waiting runs could occupy every slot and deadlock. It returns false if
// too many runs are suspended.
func (q *queue) suspend() (resume func(), ok bool) {
	select {
	case q.suspended <- struct{}{}:
	default:
		return nil, false
	}
	<-q.turns
	<-q.slots
	return func() {
		q.slots <- struct{}{}
		q.turns <- struct{}{}
		<-q.suspended
	}, true
}

// drain waits for all runs to end and lets no other begin. Suspended runs need a slot to
// end.
func (q *queue) drain(ctx context.Context) error {
	for _, places := range []chan struct{}{q.suspended, q.slots} {
		for range cap(places) {
			select {
			case places <- struct{}{}: // never released
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// errClosing ends runs and refuses new ones.
var errClosing = fault.New(abi.ErrUnavailable, "the runtime is closing")
