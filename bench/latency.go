package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/bench/internal/rig"
)

// addresses are the URLs that are compared.
type addresses struct{ direct, relay, mcpctl string }

// figures summarises a series of calls.
type figures struct {
	p50, p99 time.Duration
	rate     float64 // calls per second
}

func (f figures) times(base figures) float64 { return float64(f.p50) / float64(base.p50) }

// bars are the maximum ratios to a direct call, by bytes and sessions.
var bars = map[[2]int]float64{{1 << 10, 1}: 6.6, {1 << 10, 8}: 9.1, {128 << 10, 1}: 3, {128 << 10, 8}: 3}

func measureLatency(ctx context.Context, w addresses, calls int) error {
	fmt.Println("tools/call without stages, p50 (ratio to direct) / p99 / calls a second")
	fmt.Printf("%-22s %-26s %-32s %-32s %s\n", "", "direct", "relay", "mcpctl", "bar")
	for _, size := range sizes {
		for _, sessions := range []int{1, 8} {
			if err := printRow(ctx, w, size, sessions, calls); err != nil {
				return err
			}
		}
	}
	return nil
}

func printRow(ctx context.Context, w addresses, size, sessions, calls int) error {
	if calls == 0 {
		calls = 4000 // with 800 calls the ratio of 128 KB varied by 10% between runs
	}
	args := fmt.Sprintf(`{"n":%d}`, size)
	got, err := interleave(ctx, sessions, calls, "text", args, w.direct, w.relay, w.mcpctl)
	if err != nil {
		return err
	}
	direct, relay, proxied := got[0], got[1], got[2]
	bar := bars[[2]int{size, sessions}]
	fmt.Printf("%-22s %-26s %-32s %-32s %.1fx %s\n", fmt.Sprintf("%d KB, %d session(s)", size>>10, sessions),
		direct.text(direct), relay.text(direct), proxied.text(direct), bar, verdict(proxied.times(direct) <= bar))
	return nil
}

func (f figures) text(base figures) string {
	return fmt.Sprintf("%v (%.1fx) / %v / %.0f", f.p50.Round(time.Microsecond), f.times(base), f.p99.Round(10*time.Microsecond), f.rate)
}

func verdict(ok bool) string {
	if ok {
		return "holds"
	}
	return "MISSED"
}

// rounds is the number of rounds over all URLs, so that other load on the machine affects
// all of them equally.
const rounds = 20

// interleave measures a call to each URL in turn, after a warm-up round.
func interleave(ctx context.Context, sessions, calls int, tool, args string, urls ...string) ([]figures, error) {
	open, err := openAll(ctx, sessions, urls)
	if err != nil {
		return nil, err
	}
	times := make([][]time.Duration, len(urls))
	spent := make([]time.Duration, len(urls))
	per := max(1, calls/rounds/sessions)
	for r := range rounds + 1 {
		for i := range urls {
			start := time.Now()
			got, err := callConcurrently(ctx, open[i], per, tool, args)
			if err != nil {
				return nil, err
			}
			if r == 0 {
				continue // warm-up
			}
			spent[i] += time.Since(start)
			times[i] = append(times[i], got...)
		}
	}
	out := make([]figures, len(urls))
	for i, t := range times {
		slices.Sort(t)
		out[i] = figures{p50: t[len(t)/2], p99: t[len(t)*99/100], rate: float64(len(t)) / spent[i].Seconds()}
	}
	return out, nil
}

func openAll(ctx context.Context, n int, urls []string) ([][]*rig.Session, error) {
	all := make([][]*rig.Session, len(urls))
	for i, u := range urls {
		for range n {
			s, err := rig.Open(ctx, u)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], s)
		}
	}
	return all, nil
}

// callConcurrently makes n calls in each session, with all sessions in parallel.
func callConcurrently(ctx context.Context, sessions []*rig.Session, n int, tool, args string) ([]time.Duration, error) {
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		all []time.Duration
		bad error
	)
	for _, s := range sessions {
		wg.Go(func() {
			times := make([]time.Duration, 0, n)
			for range n {
				d, err := timeCall(ctx, s, tool, args)
				if err != nil {
					mu.Lock()
					bad = err
					mu.Unlock()
					return
				}
				times = append(times, d)
			}
			mu.Lock()
			all = append(all, times...)
			mu.Unlock()
		})
	}
	wg.Wait()
	return all, bad
}

// timeCall measures one tools/call. It returns an error for a result with isError.
func timeCall(ctx context.Context, s *rig.Session, tool, args string) (time.Duration, error) {
	start := time.Now()
	body, err := s.Call(ctx, tool, args)
	took := time.Since(start)
	if err == nil && (!bytes.Contains(body, []byte(`"content"`)) || bytes.Contains(body, []byte(`"isError":true`))) {
		err = fmt.Errorf("%s answered %.200s", tool, body)
	}
	return took, err
}

// compareCached compares a cached index with the same call without stages.
func compareCached(ctx context.Context, d *rig.Daemon, calls int) error {
	if calls == 0 {
		calls = 800
	}
	got, err := interleave(ctx, 1, calls, "flows", `{}`, d.Endpoint("through"), d.Endpoint("subindex"))
	if err != nil {
		return err
	}
	through, sub := got[0], got[1]
	fmt.Printf("\ncached subindex answer for 115 KB, p50: without stages %v, subindex %v: %.2fx, bar 1.3x %s\n",
		through.p50.Round(time.Microsecond), sub.p50.Round(time.Microsecond), sub.times(through), verdict(sub.times(through) <= 1.3))
	return nil
}
