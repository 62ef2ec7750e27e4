package pipeline

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/breaker"
)

// The breaker disables an entry after 3 failures in 60 s. It tries again after 1 s,
// then after doubled intervals up to 60 s.
func TestBreaker(t *testing.T) {
	now := time.UnixMilli(0)
	p := open(t, Options{Now: func() time.Time { return now }})
	broken := true
	s := count(runFunc(func(ctx context.Context, c abi.Call) (abi.Output, error) {
		if broken {
			return fails(ctx, c)
		}
		return upper(ctx, c)
	}))
	do := func(wantRun bool) Result {
		t.Helper()
		before := s.runs
		res := run(t, p, request("hello", stage("head", s)))
		if ran := s.runs > before; ran != wantRun {
			t.Errorf("at %v: ran %v, want %v", now.Format("04:05"), ran, wantRun)
		}
		if !wantRun && (len(res.Failed) > 0 || string(res.Bytes) != "hello") {
			t.Errorf("disabled: %+v", res)
		}
		return res
	}
	do(true)
	do(true)
	now = now.Add(61 * time.Second) // earlier failures no longer count
	do(true)
	if res := do(true); len(res.Opened) > 0 {
		t.Errorf("opened too early: %+v", res.Opened)
	}
	if res := do(true); len(res.Opened) != 1 || res.Opened[0] != (Opening{"head", "3 failures in 1m0s, the last: guest trapped: unreachable"}) {
		t.Errorf("disabling an entry must be reported once, with its cause: %+v", res.Opened)
	}
	res := do(false)
	if len(res.Opened) > 0 || !res.Report[0].Skipped {
		t.Errorf("reported again: %+v", res)
	}
	if got := res.Report[0].Error; got != `stage "head": out of service after 3 failures in 1m0s, tried again in 1s, content passed on unchanged` {
		t.Error(got)
	}
	for _, wait := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		now = now.Add(wait*time.Second - time.Millisecond)
		do(false)
		now = now.Add(time.Millisecond)
		do(true)
	}
	broken = false
	now = now.Add(time.Minute)
	if res := do(true); string(res.Bytes) != "HELLO" {
		t.Errorf("got %q", res.Bytes)
	}
	broken = true
	do(true) // enabled again: counts from zero
	do(true)
	do(true)
	do(false)
	now = now.Add(time.Second)
	do(true)
}

// Samples of an author do not disable a step, and run while it is disabled.
func TestBreakerDoesNotCountSamples(t *testing.T) {
	p := open(t, Options{Now: func() time.Time { return time.UnixMilli(0) }})
	s := count(fails)
	r, sample := request("hello", stage("head", s)), request("a sample", stage("head", s))
	sample.Sample = true
	for range 5 {
		if res := run(t, p, sample); len(res.Opened) > 0 || res.Report[0].Skipped {
			t.Errorf("a sample: %+v", res)
		}
	}
	for range 3 {
		if res := run(t, p, r); res.Report[0].Skipped {
			t.Errorf("samples count: %+v", res)
		}
	}
	if res := run(t, p, sample); res.Report[0].Skipped {
		t.Errorf("a sample while the entry is disabled: %+v", res)
	}
	s.want(t, 9)
}

func TestBreakerTriesOnceAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.UnixMilli(0)
		p := New(Options{Now: func() time.Time { return now }})
		defer p.Close()
		for range 3 {
			run(t, p, request("x", stage("head", fails)))
		}
		now = now.Add(time.Second)
		g := newGate(upper)
		other := stage("head", upper)
		go run(t, p, request("x", stage("head", g)))
		synctest.Wait()
		if res := run(t, p, request("y", other)); !strings.Contains(res.Report[0].Error, "being tried again now") {
			t.Errorf("a second trial: %+v", res.Report)
		}
		close(g.open)
		synctest.Wait()
		if res := run(t, p, request("y", other)); !res.Changed {
			t.Errorf("still disabled: %+v", res.Report)
		}
	})
}

func TestBreakerCountsOnlyFaultsOfModule(t *testing.T) {
	p := open(t, Options{})
	for _, kind := range []error{abi.ErrUnavailable, abi.ErrNotFound, abi.ErrConflict} {
		s := count(runFunc(func(context.Context, abi.Call) (abi.Output, error) {
			return abi.Output{}, faultf(kind, "cannot be run now")
		}))
		for range 5 {
			if res := run(t, p, request("x", stage("head", s))); len(res.Failed) > 0 {
				t.Errorf("%v is reported as a failure of the module", kind)
			}
		}
		s.want(t, 5)
	}
}

// exhausts returns a runner that reaches a limit with Contents of more than above
// bytes.
func exhausts(above int) *counter {
	return count(runFunc(func(ctx context.Context, c abi.Call) (abi.Output, error) {
		if len(c.Original) > above {
			return abi.Output{}, faultf(abi.ErrLimit, "guest trapped: unreachable at 64 MiB (limit 64 MiB, set limits.memory)")
		}
		return upper(ctx, c)
	}))
}

// The breaker disables only the entry that failed.
func TestBreakerDisablesSingleEntries(t *testing.T) {
	for name, change := range map[string]func(*Step){
		"another role of the module": func(s *Step) { s.Role.Name = "section-split" },
		"another config":             func(s *Step) { s.Config = []byte(`{"maxLines":7}`) },
		"other limits":               func(s *Step) { s.Limits.MemoryBytes = 1 << 20 },
		"another version":            func(s *Step) { s.ModuleHash = "new version" },
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, Options{})
			for range 3 {
				run(t, p, request("x", stage("head", fails)))
			}
			other := stage("head", upper)
			change(&other)
			if res := run(t, p, request("x", other)); !res.Changed {
				t.Errorf("%s is disabled too: %+v", name, res.Report)
			}
			if res := run(t, p, request("x", stage("head", upper))); res.Changed {
				t.Error("the failed entry is still enabled")
			}
		})
	}
}

// After failures at a limit, smaller contents are still transformed, and large ones
// are skipped.
func TestLimitsDisableOnlyLargeContents(t *testing.T) {
	now := time.UnixMilli(0)
	p := open(t, Options{Now: func() time.Time { return now }})
	s := exhausts(1000)
	do := func(size int) Result { return run(t, p, request(strings.Repeat("x", size), stage("split", s))) }
	for _, size := range []int{5000, 1500, 9000} {
		do(size)
	}
	s.want(t, 3)
	do(8192)
	s.want(t, 3) // all three failures count for it
	for range 5 {
		do(4095) // one of the three counts, and its own failures
	}
	s.want(t, 6)
	res := do(2048)
	s.want(t, 6)
	want := `stage "split": out of service for content of 2 KiB or more after 3 failures in 1m0s, tried again in 1s, content passed on unchanged`
	if got := res.Report[0].Error; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !res.Limited || len(res.Failed) > 0 {
		t.Errorf("a content that was skipped for its size: %+v", res)
	}
	for range 5 {
		if res := do(900); !res.Changed {
			t.Fatalf("a small content is skipped because of large ones: %+v", res.Report)
		}
	}
	now = now.Add(time.Second)
	do(9000) // the next attempt has one of the skipped sizes
	do(9000)
	s.want(t, 6+5+1)
}

// A module that reaches a limit with any content is disabled after a few runs, in
// any order of sizes.
func TestBreakerDisablesEndlessLoop(t *testing.T) {
	p := open(t, Options{Now: func() time.Time { return time.UnixMilli(0) }})
	s := exhausts(0)
	for size := 4096; size > 0; size-- {
		run(t, p, request(strings.Repeat("x", size), stage("loop", s)))
	}
	if most := breaker.After * 13; s.runs > most {
		t.Errorf("%d runs for 4,096 contents, want %d at most: %d for each power of two", s.runs, most, breaker.After)
	}
}

// Traps and limits are counted together for large contents, but not for small ones.
func TestTrapsAndLimitsCountTogetherForLargeContents(t *testing.T) {
	p := open(t, Options{})
	trap := func(size int) { run(t, p, request(strings.Repeat("x", size), stage("both", fails))) }
	limit := func(size int) { run(t, p, request(strings.Repeat("x", size), stage("both", exhausts(0)))) }
	trap(10)
	limit(600)
	limit(2000)
	if res := run(t, p, request(strings.Repeat("x", 1024), stage("both", upper))); res.Changed {
		t.Error("three failures count for 1,024 bytes, but the entry is enabled")
	}
	if res := run(t, p, request("small", stage("both", upper))); !res.Changed {
		t.Error("one failure counts for a small content, but the entry is disabled")
	}
	for range breaker.After {
		trap(10)
	}
	if res := run(t, p, request("small", stage("both", upper))); res.Changed || res.Limited {
		t.Errorf("the entry is enabled after three traps: %+v", res)
	}
}
