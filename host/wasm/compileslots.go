package wasm

import (
	"context"
	"slices"
	"sync"
	"time"
)

// compileSlots limits the modules that are compiled at the same time. A module that is urgent gets
// the next slot, or one more that only such modules get: a compilation takes up to a minute. Safe
// for concurrent use.
type compileSlots struct {
	mu      sync.Mutex
	size    int
	free    int
	extra   int // free slots for urgent modules
	waiting []*compileWait
}

type compileWait struct {
	isUrgent func() bool // nil: it is not
	ready    chan struct{}
}

// urgentPoll is how often a waiting module is asked whether it has become urgent.
const urgentPoll = 20 * time.Millisecond

func newCompileSlots(n int) *compileSlots { return &compileSlots{size: n, free: n, extra: 1} }

// acquire waits for a slot. It takes one that is free even if ctx has ended.
//
// Errors: the cause of ctx.
func (s *compileSlots) acquire(ctx context.Context, isUrgent func() bool) (release func(), err error) {
	s.mu.Lock()
	if s.free > 0 {
		s.free--
		s.mu.Unlock()
		return s.release, nil
	}
	w := &compileWait{isUrgent, make(chan struct{})}
	s.waiting = append(s.waiting, w)
	s.mu.Unlock()
	tick := time.NewTicker(urgentPoll)
	defer tick.Stop()
	for {
		select {
		case <-w.ready:
			return s.release, nil
		case <-tick.C:
			if s.takeExtra(w) {
				return s.releaseExtra, nil
			}
		case <-ctx.Done():
			if !s.leave(w) { // it got a slot meanwhile
				s.release()
			}
			return nil, context.Cause(ctx)
		}
	}
}

// awaitIdle waits until no slot is taken, and reports whether that is so.
func (s *compileSlots) awaitIdle(ctx context.Context, most time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for {
		s.mu.Lock()
		isIdle := s.free == s.size && s.extra == 1
		s.mu.Unlock()
		if isIdle {
			return true
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return false
		}
	}
}

// takeExtra takes the extra slot for an urgent module that waits.
func (s *compileSlots) takeExtra(w *compileWait) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.waiting, w)
	if i < 0 || s.extra == 0 || w.isUrgent == nil || !w.isUrgent() {
		return false
	}
	s.waiting = slices.Delete(s.waiting, i, i+1)
	s.extra--
	return true
}

// leave ends the wait of w. It returns false if w got a slot.
func (s *compileSlots) leave(w *compileWait) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.waiting, w)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	return i >= 0
}

func (s *compileSlots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		s.free++
		return
	}
	next := max(0, slices.IndexFunc(s.waiting, func(w *compileWait) bool { return w.isUrgent != nil && w.isUrgent() }))
	w := s.waiting[next]
	s.waiting = slices.Delete(s.waiting, next, next+1)
	close(w.ready)
}

func (s *compileSlots) releaseExtra() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.extra++
}
