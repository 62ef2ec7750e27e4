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
	got, err := interleave(ctx, sessions, calls, "text", args, opened(w.direct), opened(w.relay), opened(w.mcpctl))
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

// client opens a connection of a client.
type client func(ctx context.Context) (*rig.Session, error)

// opened returns a client with a session at a URL.
func opened(url string) client {
	return func(ctx context.Context) (*rig.Session, error) { return rig.Open(ctx, url) }
}

// interleave measures a call of each client in turn, after a warm-up round.
func interleave(ctx context.Context, sessions, calls int, tool, args string, clients ...client) ([]figures, error) {
	open, err := openAll(ctx, sessions, clients)
	if err != nil {
		return nil, err
	}
	times := make([][]time.Duration, len(clients))
	spent := make([]time.Duration, len(clients))
	per := max(1, calls/rounds/sessions)
	for r := range rounds + 1 {
		for i := range clients {
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
	out := make([]figures, len(clients))
	for i, t := range times {
		slices.Sort(t)
		out[i] = figures{p50: t[len(t)/2], p99: t[len(t)*99/100], rate: float64(len(t)) / spent[i].Seconds()}
	}
	return out, nil
}

func openAll(ctx context.Context, n int, clients []client) ([][]*rig.Session, error) {
	all := make([][]*rig.Session, len(clients))
	for i, open := range clients {
		for range n {
			s, err := open(ctx)
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

// compareStateless compares a 1 KB call of a client without a session with that of one with a
// session, through mcpctl and to the server itself: such a request is longer for any server.
func compareStateless(ctx context.Context, direct, proxied string, calls int) error {
	if calls == 0 {
		calls = 4000
	}
	var clients []client
	for _, url := range []string{direct, proxied} {
		clients = append(clients, opened(url), func(ctx context.Context) (*rig.Session, error) { return rig.OpenStateless(ctx, url) })
	}
	got, err := interleave(ctx, 1, calls, "text", `{"n":1024}`, clients...)
	if err != nil {
		return err
	}
	ratio := got[3].times(got[2])
	fmt.Printf("\n1 KB call, p50: with a session %v, without (MCP 2026-07-28) %v: %.2fx (direct %.2fx), bar 1.0x %s\n",
		got[2].p50.Round(time.Microsecond), got[3].p50.Round(time.Microsecond), ratio, got[1].times(got[0]), verdict(ratio <= 1.005))
	return nil
}

// compareCached compares a cached index with the same call without stages.
func compareCached(ctx context.Context, d *rig.Daemon, calls int) error {
	if calls == 0 {
		calls = 800
	}
	got, err := interleave(ctx, 1, calls, "flows", `{}`, opened(d.Endpoint("through")), opened(d.Endpoint("subindex")))
	if err != nil {
		return err
	}
	through, sub := got[0], got[1]
	fmt.Printf("\ncached subindex answer for 115 KB, p50: without stages %v, subindex %v: %.2fx, bar 1.3x %s\n",
		through.p50.Round(time.Microsecond), sub.p50.Round(time.Microsecond), sub.times(through), verdict(sub.times(through) <= 1.3))
	return nil
}
