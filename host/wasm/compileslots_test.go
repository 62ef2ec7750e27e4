package wasm

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// occupyCompiler takes the slots, as if other modules were being compiled.
func occupyCompiler(b *bench) {
	for range localCompilations {
		_ = b.compileSlots.acquire(context.Background(), nil)
	}
}

// A module that a call waits for is compiled before others that came earlier, also if the call
// came after it.
func TestUrgentModuleIsCompiledFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newCompileSlots(1)
		if err := s.acquire(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		var order []string
		var urgent string
		for _, name := range []string{"a", "b", "c", "d"} {
			go func() {
				if err := s.acquire(t.Context(), func() bool { return urgent == name }); err != nil {
					t.Error(err)
				}
				order = append(order, name)
				if urgent = ""; name == "b" {
					urgent = "d"
				}
				s.release()
			}()
			synctest.Wait()
		}
		urgent = "b"
		s.release()
		synctest.Wait()
		if want := []string{"b", "d", "a", "c"}; !slices.Equal(order, want) {
			t.Errorf("got %v, want %v", order, want)
		}
	})
}

// A module that does not wait any more leaves its slot to the next.
func TestCompileSlotOfEndedWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newCompileSlots(1)
		if err := s.acquire(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.acquire(ctx, nil); err == nil {
			t.Error("got a slot that was taken")
		}
		s.release()
		if err := s.acquire(t.Context(), nil); err != nil {
			t.Error(err)
		}
	})
}
