package pipeline

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// gate is a Runner that waits until it is opened.
type gate struct {
	Runner
	inside atomic.Int32
	open   chan struct{}
}

func newGate(r Runner) *gate { return &gate{Runner: r, open: make(chan struct{})} }

func (g *gate) Run(ctx context.Context, c abi.Call) (abi.Output, error) {
	g.inside.Add(1)
	select {
	case <-g.open:
		return g.Runner.Run(ctx, c)
	case <-ctx.Done():
		return abi.Output{}, ctx.Err()
	}
}

// Concurrent requests with equal keys share one run.
func TestSingleFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Cache: newMemory()})
		defer p.Close()
		g := newGate(upper)
		results := make(chan Result, 10)
		for range 10 {
			go func() { results <- run(t, p, request("hello", stage("upper", g))) }()
		}
		synctest.Wait()
		if n := g.inside.Load(); n != 1 {
			t.Errorf("%d current runs, want 1", n)
		}
		close(g.open)
		for range 10 {
			if res := <-results; string(res.Bytes) != "HELLO" {
				t.Errorf("got %q", res.Bytes)
			}
		}
	})
}

// A run is cancelled when its last waiting caller leaves, and not before.
func TestFlightEndsWithItsLastWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Cache: newMemory()})
		defer p.Close()
		var ended atomic.Bool
		g := runFunc(func(ctx context.Context, _ abi.Call) (abi.Output, error) {
			<-ctx.Done()
			ended.Store(true)
			return abi.Output{}, ctx.Err()
		})
		r := request("hello", stage("hang", g))
		var cancels []context.CancelFunc
		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			cancels = append(cancels, cancel)
			go func() {
				if _, err := p.Run(ctx, r); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			}()
			synctest.Wait()
		}
		for i, cancel := range cancels { // the first caller started the run
			if ended.Load() {
				t.Errorf("cancelled while %d callers waited", len(cancels)-i)
			}
			cancel()
			synctest.Wait()
		}
		if !ended.Load() {
			t.Error("the run continues without waiting callers")
		}
		if _, err := p.breaker.Allow(r.Steps[0].entry(), 5); err != nil {
			t.Errorf("cancellation counts against the module: %v", err)
		}
	})
}

// A caller that waited for a run that read another session's name gets a run of its
// own.
func TestPrivateRunIsRepeatedForWaitingSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Cache: newMemory()})
		defer p.Close()
		g := newGate(runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
			return abi.Output{Bytes: []byte(c.Session), Private: true}, nil
		}))
		for _, session := range []string{"s1", "s2", "s3"} {
			r := request("hello", stage("name", g))
			r.Scope.Session = session
			go func() {
				if res := run(t, p, r); string(res.Bytes) != session {
					t.Errorf("%s gets %q", session, res.Bytes)
				}
			}()
		}
		synctest.Wait()
		close(g.open)
		synctest.Wait()
	})
}

func TestSharedFailureIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{})
		defer p.Close()
		g := newGate(fails)
		reported := make(chan int, 5)
		for range 5 {
			go func() { reported <- len(run(t, p, request("hello", stage("broken", g))).Failed) }()
		}
		synctest.Wait()
		close(g.open)
		sum := 0
		for range 5 {
			sum += <-reported
		}
		if sum != 1 {
			t.Errorf("one failure was reported %d times", sum)
		}
	})
}

// llmStage is a stage whose first runs lack answers.
type llmStage struct {
	runs    atomic.Int32
	lacking int32
	settled chan struct{}
	then    Runner // replaces the complete output, if set
}

func (s *llmStage) Run(ctx context.Context, c abi.Call) (abi.Output, error) {
	n := s.runs.Add(1)
	out := abi.Output{Pass: true, Tree: abi.Tree{Sections: []abi.Section{{Parent: -1, End: len(c.Original), ID: "a"}}}}
	if n <= s.lacking {
		out.Provisional, out.Settled = true, s.settled
		return out, nil
	}
	if s.then != nil {
		return s.then.Run(ctx, c)
	}
	out.Tree.Sections[0].Summary = "by the LLM"
	return out, nil
}

// A provisional result has the structure; a later one adds the summaries.
func TestProvisionalResultIsReplacedWhenItSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemory()
		p := New(Options{Cache: c})
		defer p.Close()
		s := &llmStage{lacking: 2, settled: make(chan struct{})}
		r := request("hello", stage("summarize-tree", s), stage("dot", appendDot))
		other := r
		other.Scope = flow.Scope{Project: "home", Subject: "you", Session: "s9"}
		for _, r := range []Request{r, other} {
			if res := run(t, p, r); !res.Provisional || len(res.Tree.Sections) != 1 || string(res.Bytes) != "hello." {
				t.Errorf("first answer: %+v", res)
			}
		}
		close(s.settled)
		u := <-p.Updates()
		if u.Result.Provisional || u.Result.Tree.Sections[0].Summary != "by the LLM" || string(u.Content.Bytes) != "hello" {
			t.Errorf("update: %+v", u)
		}
		if len(u.Scopes) != 2 || u.Scopes[1].Subject != "you" {
			t.Errorf("update is for %+v", u.Scopes)
		}
		synctest.Wait()
		if n := s.runs.Load(); n != 3 {
			t.Errorf("%d runs, want 3: one for each request, one for both afterwards", n)
		}
		if res := run(t, p, r); res.Provisional || res.Report[0].Outcome != "cached" || res.Tree.Sections[0].Summary == "" {
			t.Errorf("next request: %+v", res)
		}
		if len(p.Updates()) != 0 {
			t.Error("a second update")
		}
	})
}

func TestProvisionalRunsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Cache: newMemory()})
		s := &llmStage{lacking: 1000, settled: make(chan struct{})}
		close(s.settled)
		run(t, p, request("hello", stage("greedy", s)))
		synctest.Wait()
		if n := s.runs.Load(); n != 1+abi.LimitBackgroundRuns {
			t.Errorf("%d runs, want 1 and %d more", n, abi.LimitBackgroundRuns)
		}
		p.Close()
		n := 0
		for range p.Updates() {
			n++
		}
		if n != abi.LimitBackgroundRuns {
			t.Errorf("%d updates", n)
		}
	})
}

// Contents that wait for an LLM are in memory, so their number and their size are
// bounded. Further ones keep their provisional results.
func TestWaitingContentsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Cache: newMemory()})
		settled := make(chan struct{})
		large := request(strings.Repeat("x", maxHeldBytes/3+1))
		follow := func(config string) {
			s := stage("summarize-tree", &llmStage{lacking: 1, settled: settled})
			s.Config = []byte(config)
			r := large
			r.Steps = []Step{s}
			run(t, p, r)
		}
		for _, config := range []string{"1", "2", "3"} {
			follow(config)
		}
		close(settled)
		for range 2 {
			<-p.Updates()
		}
		synctest.Wait()
		if len(p.Updates()) != 0 || p.refresh.held != 0 {
			t.Errorf("%d surplus updates, %d bytes in use at the end", len(p.Updates()), p.refresh.held)
		}
		p.Close()
	})
}

// A failed background run does not replace the provisional result.
func TestFailedRefreshReplacesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Cache: newMemory()})
		s := &llmStage{lacking: 1, settled: make(chan struct{}), then: fails}
		run(t, p, request("hello", stage("summarize-tree", s)))
		close(s.settled)
		synctest.Wait()
		if len(p.Updates()) != 0 || s.runs.Load() != 2 {
			t.Errorf("%d updates after %d runs", len(p.Updates()), s.runs.Load())
		}
		p.Close()
	})
}

func TestCloseEndsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{})
		run(t, p, request("hello", stage("llm", &llmStage{lacking: 1, settled: make(chan struct{})})))
		p.Close()
		if _, open := <-p.Updates(); open {
			t.Error("an update after Close")
		}
	})
}

func TestStepsFailAfterClose(t *testing.T) {
	p := New(Options{Cache: newMemory()})
	r := request("hello", stage("upper", upper))
	run(t, p, r)
	p.Close()
	p.Close()
	if res := run(t, p, r); string(res.Bytes) != "HELLO" {
		t.Errorf("cached: %q", res.Bytes)
	}
	r.Content.Bytes = []byte("other")
	if res := run(t, p, r); string(res.Bytes) != "other" || len(res.Failed) > 0 || !strings.Contains(res.Report[0].Error, "shutting down") {
		t.Errorf("not cached: %+v", res)
	}
}
