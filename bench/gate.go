package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/bench/internal/rig"
)

// gates are projects with a number of prompts, and the maximum time of begin_session when
// its result is cached.
var gates = []struct {
	prompts int
	bar     time.Duration
}{{500, 5 * time.Millisecond}, {10_000, 20 * time.Millisecond}}

// measureGate measures begin_session, and the overhead of an open gate.
func measureGate(ctx context.Context, d *rig.Daemon, calls int) error {
	fmt.Println("\ngate, p50")
	for _, g := range gates {
		project := fmt.Sprintf("gate-%d", g.prompts)
		if err := d.CreateGated(ctx, project, g.prompts); err != nil {
			return err
		}
		p50, err := measureBegin(ctx, d.Endpoint(project))
		if err != nil {
			return err
		}
		fmt.Printf("%-36s %-14v %v %s\n", fmt.Sprintf("begin_session, %d prompts", g.prompts), p50.Round(10*time.Microsecond), g.bar, verdict(p50 <= g.bar))
	}
	return compareOpenGate(ctx, d, calls)
}

// begins is the number of sessions.
const begins = 41

// measureBegin returns the median time of begin_session. It ignores the first session, which
// fills the cache.
func measureBegin(ctx context.Context, url string) (time.Duration, error) {
	var times []time.Duration
	for i := range begins {
		s, err := rig.Open(ctx, url)
		if err != nil {
			return 0, err
		}
		start := time.Now()
		a, err := s.Ask(ctx, "begin_session", map[string]any{"tags": []string{"zigbee", "relay", "billing", "backup", "alerts"}})
		if err == nil && (a.IsError || !strings.Contains(a.Text, "always")) {
			err = fmt.Errorf("begin_session answered %.300q", a.Text)
		}
		if err != nil {
			return 0, err
		}
		if i > 0 {
			times = append(times, time.Since(start))
		}
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// compareOpenGate compares a 1 KB call in a project with an open gate with the same call in a
// project without controllers.
func compareOpenGate(ctx context.Context, d *rig.Daemon, calls int) error {
	if calls == 0 {
		calls = 2000
	}
	got, err := interleave(ctx, 1, calls, "text", `{"n":1024}`, opened(d.Endpoint("through")), opened(d.Endpoint("gate-500")))
	if err != nil {
		return err
	}
	through, gated := got[0], got[1]
	fmt.Printf("%-36s %s\n", "1 KB call, gate open", gated.text(through)+", ratio to no controller")
	return nil
}
