package llm

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// After the pause, one of many concurrent requests tries a failed provider.
// Requests that were in progress before do not change its state.
func TestBreakerAllowsOneTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &breaker{}
		at := func(many int, do func()) {
			var running sync.WaitGroup
			for range many {
				running.Go(do)
			}
			running.Wait()
		}
		var opened, granted atomic.Int32
		at(100, func() {
			if b.done(false, false) {
				opened.Add(1)
			}
		})
		if opened.Load() != 1 || b.retryIn() != waitFirst {
			t.Errorf("100 failures: opened %d times, for %v", opened.Load(), b.retryIn())
		}
		for _, end := range []struct {
			name string
			do   func()
			left time.Duration
		}{
			{"abandoned", func() { b.release(true) }, 0},
			{"failed", func() { b.done(true, false) }, 2 * waitFirst},
			{"succeeded", func() { b.done(true, true) }, 0},
		} {
			time.Sleep(b.retryIn()) // virtual
			granted.Store(0)
			at(100, func() {
				if ok, trial := b.allow(); ok && trial {
					granted.Add(1)
				} else if ok {
					t.Error("a request that is not a trial")
				}
			})
			if granted.Load() != 1 {
				t.Errorf("%s: %d of 100 try", end.name, granted.Load())
			}
			end.do()
			if left := b.retryIn(); left != end.left {
				t.Errorf("%s: %v left, want %v", end.name, left, end.left)
			}
		}
		granted.Store(0)
		at(100, func() {
			if ok, trial := b.allow(); ok && !trial {
				granted.Add(1)
			}
		})
		if granted.Load() != 100 {
			t.Errorf("after the success %d of 100 requests are allowed", granted.Load())
		}
	})
}
