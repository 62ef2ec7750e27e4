package wasm

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// occupyCompiler takes the slots, as if other modules were being compiled.
func occupyCompiler(b *bench) {
	for range localCompilations {
		_, _ = b.compileSlots.acquire(context.Background(), nil)
	}
}

// A module that a call waits for is compiled before others that came earlier, also if the call
// came after it: one in the extra slot, the next one in the next slot.
func TestUrgentModuleIsCompiledFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newCompileSlots(1)
		busy, err := s.acquire(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		var urgent, hold atomic.Value // the name of a module
		urgent.Store("")
		hold.Store("")
		let := make(chan struct{})
		for _, name := range []string{"a", "b", "c", "d"} {
			go func() {
				release, err := s.acquire(t.Context(), func() bool { return urgent.Load() == name })
				if err != nil {
					t.Error(err)
				}
				order = append(order, name)
				if hold.Load() == name {
					<-let
				}
				release()
			}()
			synctest.Wait()
		}
		urgent.Store("c")
		hold.Store("c")
		time.Sleep(2 * urgentPoll)
		urgent.Store("d")
		time.Sleep(2 * urgentPoll)
		synctest.Wait()
		if want := []string{"c"}; !slices.Equal(order, want) {
			t.Fatalf("beside another module: got %v, want %v", order, want)
		}
		busy()
		synctest.Wait()
		close(let)
		synctest.Wait()
		if want := []string{"c", "d", "a", "b"}; !slices.Equal(order, want) {
			t.Errorf("got %v, want %v", order, want)
		}
		if s.free != 1 || s.extra != 1 {
			t.Errorf("%d and %d slots are free afterwards", s.free, s.extra)
		}
	})
}

// A module that does not wait any more leaves its slot to the next.
func TestCompileSlotOfEndedWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newCompileSlots(1)
		release, err := s.acquire(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.acquire(ctx, nil); err == nil {
			t.Error("got a slot that was taken")
		}
		release()
		if _, err := s.acquire(t.Context(), nil); err != nil {
			t.Error(err)
		}
	})
}
