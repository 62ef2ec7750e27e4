package wasm

import (
	"context"
	"os"
	"runtime"
	"testing"
)

// openFiles returns the number of open files of this process, or 0 if it is not known.
func openFiles() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return len(files)
}

// TestForeignCallsDoNotLeak runs calls of other formats that end in every possible way.
func TestForeignCallsDoNotLeak(t *testing.T) {
	rounds := 2000
	if testing.Short() {
		rounds = 200
	}
	b := newBench(t, func(o *Options) { o.Limits.Memory = 8 << 20 })
	var ending, endless []Guest
	for _, file := range []string{"extism-upper", "extism-error", "extism-status", "extism-exit", "extism-http", "extism-pointer", "extism-leak", "extism-used", "wasi-upper", "wasi-status", "wasi-trap"} {
		ending = append(ending, b.localGuest(t, file, foreign(t, file)))
	}
	for _, file := range []string{"extism-loop", "extism-calls", "wasi-loop"} {
		endless = append(endless, b.localGuest(t, file, foreign(t, file)))
	}
	churn := func(rounds int) {
		for n := range rounds {
			if n%8 > 0 {
				_, _ = ending[n%len(ending)].Run(t.Context(), content("text")) // some fail: see TestForeignGuests
				continue
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() {
				_, err := endless[n/8%len(endless)].Run(ctx, content("text"))
				ended <- err
			}()
			runtime.Gosched() // it waits, begins or runs
			cancel()
			if err := <-ended; err == nil {
				t.Error("a guest that never ends has ended")
			}
		}
	}
	churn(100) // allocates shared state
	b.background.Wait()
	goroutines, heap := settle()
	files := openFiles()
	churn(rounds)
	b.background.Wait()
	after, left := settle()
	if after > goroutines+2 || openFiles() > files || left > heap+4<<20 {
		t.Errorf("after %d calls: %d goroutines, %d before; %d files, %d before; %d KiB of heap, %d before",
			rounds, after, goroutines, openFiles(), files, left>>10, heap>>10)
	}
	t.Logf("%d goroutines and %d, %d files, %d KiB and %d", goroutines, after, files, heap>>10, left>>10)
}
