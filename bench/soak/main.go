// Command soak runs a daemon under load for some minutes: 100 sessions call tools through an
// index and a local stage, the files of the home are reloaded every second, and the upstream
// drops its connections every 10 s. It fails if memory, goroutines or open files grow after
// the first minute, or if a call has no answer.
//
//	make build && go run ./bench/soak
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/bench/internal/rig"
)

// Bars on the figures at the end, relative to those after the first minute.
const (
	maxMemory = 1.25
	maxOthers = 1.1
)

func main() {
	bin := flag.String("bin", "bin", "directory that contains mcpctl and mcplocal")
	sessions := flag.Int("sessions", 100, "sessions")
	calls := flag.Int64("calls", 100_000, "calls of all sessions together")
	flag.Parse()
	if err := run(context.Background(), *bin, *sessions, *calls); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bin string, sessions int, calls int64) error {
	var drops atomic.Bool
	upstream := rig.Upstream{Tools: []string{"read"}, Result: func(_ string, args json.RawMessage) ([]byte, error) {
		var a struct{ N int }
		err := json.Unmarshal(args, &a)
		return rig.Text(document(a.N)), err
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if drops.Load() {
			panic(http.ErrAbortHandler)
		}
		upstream.ServeHTTP(w, r)
	}))
	defer server.Close()
	d, err := rig.Start(ctx, bin, server.URL)
	if err != nil {
		return err
	}
	defer d.Stop()
	if err := d.AddStage(ctx, "lead", "examples/dist/lead-rust.wasm"); err != nil {
		return err
	}
	var done, failed atomic.Int64
	over, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	for n := range sessions {
		project := []string{"subindex", "lead"}[n%2]
		all.Go(func() { call(ctx, d.Endpoint(project), n, calls, &done, &failed) })
	}
	var early, late rig.Usage
	var disturbing sync.WaitGroup
	disturbing.Go(func() {
		for second := 1; over.Err() == nil; second++ {
			time.Sleep(time.Second)
			drops.Store(second%10 == 0)
			if err := d.Reload(ctx); err != nil {
				fmt.Fprintln(os.Stderr, "soak: reload:", err)
			}
			switch u, err := d.Usage(ctx); {
			case err != nil:
				fmt.Fprintln(os.Stderr, "soak:", err)
			case second <= 60:
				early = early.Max(u)
			default:
				late = late.Max(u)
			}
		}
	})
	start := time.Now()
	all.Wait()
	stop()
	disturbing.Wait()
	fmt.Printf("%d calls of %d sessions in %v, %d of them failed while the upstream dropped connections\n", done.Load(), sessions, time.Since(start).Round(time.Second), failed.Load())
	fmt.Printf("most in the first minute: %v\nmost after it:            %v\n", early, late)
	if late == (rig.Usage{}) {
		return fmt.Errorf("it took less than a minute: more calls are needed")
	}
	if over := late.Memory; float64(over) > maxMemory*float64(early.Memory) || float64(late.Goroutines) > maxOthers*float64(early.Goroutines)+10 || float64(late.Files) > maxOthers*float64(early.Files)+10 {
		return fmt.Errorf("it grows")
	}
	return nil
}

// call makes calls until all sessions together have made enough. A failed one is repeated in
// a new session.
func call(ctx context.Context, url string, n int, calls int64, done, failed *atomic.Int64) {
	for i := 0; done.Load() < calls; {
		s, err := rig.Open(ctx, url)
		for err == nil && done.Load() < calls {
			i++
			var a rig.Answer
			if a, err = s.Ask(ctx, "read", map[string]int{"n": n + 1000*(i%50)}); err == nil {
				done.Add(1)
			}
			if a.IsError {
				failed.Add(1)
			}
		}
		if err != nil {
			failed.Add(1)
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// document returns text n, of 3 to 23 KB.
func document(n int) string {
	return fmt.Sprintf("# Document %d\n\n", n) + strings.Repeat(fmt.Sprintf("## Part of %d\n\nSome words about %d.\n\n", n, n), 80+n%7*80)
}
