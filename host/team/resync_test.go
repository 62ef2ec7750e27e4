package team

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"
)

// A change of the user's rights is in effect without a pause. Further ones within
// resyncInterval wait, so that they do not cause a snapshot each.
func TestChangedRightsTakeEffectWithoutPause(t *testing.T) {
	r := newRig(t)
	r.stop()
	var mu sync.Mutex
	var pauses []time.Duration
	r.start(Options{Pause: func(ctx context.Context, d time.Duration) {
		mu.Lock()
		pauses = append(pauses, d)
		mu.Unlock()
		pauseBriefly(ctx, d)
	}})
	paused := func() []time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(pauses)
	}
	for _, name := range []string{"a", "b", "c"} {
		r.mcpd.Put(server(name))
	}
	r.logIn()
	r.await(Following, "a", "b", "c")
	r.mcpd.Hide("server", "", "c") // directly after the first snapshot
	r.await(Following, "a", "b")
	if got := paused(); len(got) != 0 {
		t.Errorf("the first change of rights waits %v", got)
	}
	r.mcpd.Hide("server", "", "b")
	r.await(Following, "a")
	if got := paused(); len(got) != 1 || got[0] < firstResyncDelay/2 || got[0] > firstResyncDelay {
		t.Errorf("the second change of rights waits %v, want %v to %v", got, firstResyncDelay/2, firstResyncDelay)
	}
}

func TestResyncPace(t *testing.T) {
	const ms = time.Millisecond
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, tc := range map[string]struct {
		after []time.Duration // the time from the last snapshot to each resync
		want  []time.Duration // the longest delay of each
	}{
		"one":                     {[]time.Duration{0}, []time.Duration{0}},
		"quick ones":              {make([]time.Duration, 8), []time.Duration{0, 500 * ms, 1000 * ms, 2000 * ms, 4000 * ms, 8000 * ms, 10000 * ms, 10000 * ms}},
		"one in each interval":    {[]time.Duration{0, 11 * time.Second, 11 * time.Second}, []time.Duration{0, 0, 0}},
		"quick ones after a rest": {[]time.Duration{0, 0, 11 * time.Second, 0}, []time.Duration{0, 500 * ms, 0, 500 * ms}},
		"one each nine seconds":   {[]time.Duration{0, 9 * time.Second, 9 * time.Second}, []time.Duration{0, 500 * ms, 1000 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			var pace resyncPace
			now := begin
			for i, after := range tc.after {
				now = now.Add(after)
				got := pace.next(now)
				if got > tc.want[i] || got < tc.want[i]/2 {
					t.Errorf("resync %d waits %v, want %v to %v", i, got, tc.want[i]/2, tc.want[i])
				}
				now = now.Add(got)
			}
		})
	}
	// The followers that one change concerns return at different times.
	seen := make(map[time.Duration]bool)
	for range 100 {
		seen[jitter(firstResyncDelay)] = true
	}
	if len(seen) < 50 {
		t.Errorf("%d different delays of 100", len(seen))
	}
}
