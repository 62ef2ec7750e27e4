package wasm

import (
	"context"
	"slices"
	"sync"
)

// compileSlots limits the modules that are compiled at the same time. A slot that becomes
// free goes to the first module that is urgent, otherwise to the first. Safe for concurrent
// use.
type compileSlots struct {
	mu      sync.Mutex
	free    int
	waiting []*compileWait
}

type compileWait struct {
	isUrgent func() bool // nil: it is not
	ready    chan struct{}
}

func newCompileSlots(n int) *compileSlots { return &compileSlots{free: n} }

// acquire waits for a slot. It takes one that is free even if ctx has ended.
//
// Errors: the cause of ctx.
func (s *compileSlots) acquire(ctx context.Context, isUrgent func() bool) error {
	s.mu.Lock()
	if s.free > 0 {
		s.free--
		s.mu.Unlock()
		return nil
	}
	w := &compileWait{isUrgent, make(chan struct{})}
	s.waiting = append(s.waiting, w)
	s.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	i := slices.Index(s.waiting, w)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	s.mu.Unlock()
	if i < 0 { // it got a slot meanwhile
		s.release()
	}
	return context.Cause(ctx)
}

// release gives a slot back.
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
