package wasm

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// withFake runs a script against a fake LLM, in fake time.
func withFake(t *testing.T, l *hosttest.LLM, s *script, check func(b *bench, got ran)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(o *Options) {
			if l != nil {
				o.LLM = l
			}
		})
		b.usage.read = wallOnly
		if s.result == 0 {
			s.call("out_write", 0, 0)
		}
		check(b, b.run(t, s, content("the content, of some length")))
	})
}

// addRequest adds a request of a few words to a script.
func addRequest(s *script, flags int, words string) ref {
	s.data(0, words)
	q := s.call("begin", abi.TierFast, 100, flags)
	s.call("text", q, 0, len(words))
	return q
}

func want(t *testing.T, got ran, results map[ref]int32) {
	t.Helper()
	if got.err != nil {
		t.Fatal(got.err)
	}
	for r, w := range results {
		if got.results[r] != w {
			t.Errorf("result %d is %d, want %d", r, got.results[r], w)
		}
	}
}

func TestLLMAnswersWithinRun(t *testing.T) {
	s := &script{}
	slots := s.call("available", abi.TierHeavy)
	q := addRequest(s, 0, "sum up: ")
	system := s.call("system", q, 0, 3)
	span := s.call("span", q, 0, 0, -1)
	sent := s.call("send", q)
	pending := s.call("status", q)
	early := s.call("wait", -1, 0)
	answered := s.call("wait", -1, 2000)
	status := s.call("status", q)
	text := s.call("result", q)
	again := s.call("wait", -1, 0)
	same := s.call("wait", q, 0)
	s.call("out_span", text, 0, -1)
	late := s.call("text", q, 0, 1)
	lateSystem := s.call("system", q, 0, 1)
	lateSpan := s.call("span", q, 0, 0, 1)
	twice := s.call("send", q)
	withFake(t, &hosttest.LLM{Latency: time.Second}, s, func(_ *bench, got ran) {
		want(t, got, map[ref]int32{slots: 4, q: 1, system: 0, span: 0, sent: 0, pending: 0, early: timeout, answered: 1, status: 1,
			text: 16, again: notFound, same: 1, late: unsupported, lateSystem: unsupported, lateSpan: unsupported, twice: unsupported})
		if out := string(got.out.Bytes); out != "fake: sum up: \n<content>\nthe content, of some length\n</content>\n" {
			t.Errorf("output %q", out)
		}
		if got.out.Stats.Guest > 500*time.Millisecond {
			t.Errorf("clock ran %v: waiting counts", got.out.Stats.Guest)
		}
		if n := got.out.Stats.LLMRequests; n != 1 {
			t.Errorf("%d requests are reported, want 1", n)
		}
		if !got.out.Provisional {
			t.Error("a run that saw TIMEOUT must be provisional")
		}
	})
}

func TestLLMStoredAnswers(t *testing.T) {
	fake := &hosttest.LLM{Latency: time.Second}
	s := &script{}
	q := addRequest(s, 0, "words")
	s.call("send", q)
	s.call("wait", q, -1)
	p := s.call("begin", abi.TierFast, 100, 0)
	s.call("text", p, 0, 5)
	sent := s.call("send", p)
	got := s.call("wait", -1, 0)
	withFake(t, fake, s, func(_ *bench, r ran) {
		want(t, r, map[ref]int32{sent: 1, got: 2})
		if fake.Asked() != 1 || r.out.Stats.LLMRequests != 2 {
			t.Errorf("provider was asked %d times, want once, and %d requests are reported, want 2", fake.Asked(), r.out.Stats.LLMRequests)
		}
		if r.out.Provisional {
			t.Error("a run that got all its answers is not provisional")
		}
	})
}

// TestLLMBackground verifies that a run does not wait for requests in the background, and
// that a second run has their answers.
func TestLLMBackground(t *testing.T) {
	fake := &hosttest.LLM{Latency: 10 * time.Second}
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(o *Options) { o.LLM = fake })
		s := &script{}
		q := addRequest(s, abi.LLMBackground, "words")
		s.call("send", q)
		s.call("wait", -1, 0)
		s.call("out_write", 0, 1)
		g := b.guest(t, "script", s.wasm())
		start := time.Now()
		out, err := g.Run(t.Context(), content("x"))
		if err != nil || !out.Provisional || out.Settled == nil {
			t.Fatalf("err %v, provisional %v, settled %v", err, out.Provisional, out.Settled)
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("the run took %v of waiting", d)
		}
		<-out.Settled
		if d := time.Since(start); d != 10*time.Second {
			t.Errorf("settled after %v, want 10s", d)
		}
		out, err = g.Run(t.Context(), content("x"))
		if err != nil || out.Provisional || out.Settled != nil {
			t.Errorf("second run: err %v, provisional %v", err, out.Provisional)
		}
	})
}

// TestLLMRequestEndsWithRun verifies that a request without BACKGROUND is canceled.
func TestLLMRequestEndsWithRun(t *testing.T) {
	fake := &hosttest.LLM{Latency: time.Hour}
	s := &script{}
	q := addRequest(s, 0, "words")
	s.call("send", q)
	withFake(t, fake, s, func(_ *bench, got ran) {
		fake.Wait() // a deadlock here would be reported by synctest
		if !got.out.Provisional || got.out.Settled != nil {
			t.Errorf("provisional %v, settled %v", got.out.Provisional, got.out.Settled)
		}
	})
}

func TestLLMWaitLimit(t *testing.T) {
	s := &script{}
	q := addRequest(s, 0, "words")
	s.call("send", q)
	first := s.call("wait", q, 2000)
	second := s.call("wait", -1, 60_000)
	third := s.call("wait", q, -1)
	early := s.call("result", q)
	withFake(t, &hosttest.LLM{Latency: time.Hour}, s, func(_ *bench, got ran) {
		want(t, got, map[ref]int32{first: timeout, second: timeout, third: timeout, early: timeout})
	})
}

// TestLLMRequestsRunInParallel sends 30 requests at concurrency 4: they take 8 latencies.
func TestLLMRequestsRunInParallel(t *testing.T) {
	s := &script{}
	for i := range 30 {
		q := s.call("begin", abi.TierFast, 10, 0)
		s.call("span", q, 0, 0, i%20)
		s.call("text", q, 0, i)
		s.call("send", q)
	}
	var last ref
	for range 30 {
		last = s.call("wait", -1, -1)
	}
	s.data(0, strings.Repeat("x", 40))
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(o *Options) { o.LLM = &hosttest.LLM{Latency: 300 * time.Millisecond} })
		start := time.Now()
		got := b.run(t, s.returns(abi.ReturnPass), content("the content, of some length"))
		if got.err != nil || got.results[last] < 1 {
			t.Fatalf("last wait %d, err %v", got.results[last], got.err)
		}
		if d := time.Since(start); d != 8*300*time.Millisecond {
			t.Errorf("took %v, want 2.4s", d)
		}
	})
}

// TestLLMFaults verifies the code for each fault of a provider. No fault fails the stage.
func TestLLMFaults(t *testing.T) {
	tests := []struct {
		fault  hosttest.Fault
		flags  int
		begin  int32
		status int32
	}{
		{hosttest.Down, 0, unavailable, badArg},
		{hosttest.Overloaded, 0, 1, unavailable},
		{hosttest.Garbage, 0, 1, upstream},
		{hosttest.Half, 0, 1, upstream},
		{hosttest.Prose, abi.LLMJSON, 1, upstream},
		{hosttest.Prose, 0, 1, abi.LLMAnswered},
	}
	for _, c := range tests {
		fake := &hosttest.LLM{}
		fake.SetFault(c.fault)
		s := &script{}
		q := addRequest(s, c.flags, "words")
		s.call("send", q)
		s.call("wait", -1, -1)
		status := s.call("status", q)
		result := s.call("result", q)
		withFake(t, fake, s, func(_ *bench, got ran) {
			want(t, got, map[ref]int32{q: c.begin, status: c.status})
			if (c.status < 0) != got.out.Provisional {
				t.Errorf("fault %d: provisional %v", c.fault, got.out.Provisional)
			}
			if (got.results[result] < 0) != (c.status < 0) {
				t.Errorf("fault %d: result %d beside status %d", c.fault, got.results[result], c.status)
			}
		})
	}
}

// TestLLMMayBeMissing verifies that the result is not provisional: the key of the cache
// contains the identity of the LLM.
func TestLLMMayBeMissing(t *testing.T) {
	for _, l := range []*hosttest.LLM{nil, {Off: true}} {
		s := &script{}
		slots := s.call("available", 0)
		q := addRequest(s, 0, "words")
		withFake(t, l, s, func(b *bench, got ran) {
			want(t, got, map[ref]int32{slots: 0, q: unavailable})
			if got.out.Provisional || b.LLMIdentity("home") != "" {
				t.Errorf("provisional %v, identity %q", got.out.Provisional, b.LLMIdentity("home"))
			}
		})
	}
}

func TestLLMGoesDownBetweenBeginAndSend(t *testing.T) {
	fake := &fading{LLM: &hosttest.LLM{}}
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(o *Options) { o.LLM = fake })
		s := &script{}
		q := addRequest(s, 0, "words")
		sent := s.call("send", q)
		status := s.call("status", q)
		left := s.call("wait", -1, 0)
		got := b.run(t, s.returns(abi.ReturnPass), content("x"))
		want(t, got, map[ref]int32{sent: unavailable, status: unavailable, left: notFound})
		if !got.out.Provisional {
			t.Error("not provisional")
		}
	})
}

// fading refuses each request, although it reports that it is available.
type fading struct{ *hosttest.LLM }

func (f *fading) Send(ctx context.Context, r abi.LLMRequest) (abi.LLMCall, error) {
	f.SetFault(hosttest.Down)
	return f.LLM.Send(ctx, r)
}

func TestLLMArguments(t *testing.T) {
	s := (&script{}).data(0, "words\xff")
	q := s.call("begin", 0, 10, 0)
	bad := []ref{
		s.call("available", 2), s.call("available", -1), s.call("begin", 2, 10, 0), s.call("begin", 0, 0, 0), s.call("begin", 0, 10, 4),
		s.call("system", 9, 0, 1), s.call("text", 0, 0, 1), s.call("span", 9, 0, 0, 1), s.call("span", q, 99, 0, 1), s.call("span", q, 0, 0, 99),
		s.call("send", 9), s.call("status", 9), s.call("result", 9), s.call("system", q, 5, 1), s.call("text", q, 5, 1),
	}
	none := s.call("wait", 9, 0)
	unsent := s.call("wait", q, 0)
	withFake(t, &hosttest.LLM{}, s, func(_ *bench, got ran) {
		w := map[ref]int32{none: notFound, unsent: notFound}
		for _, r := range bad {
			w[r] = badArg
		}
		want(t, got, w)
	})
}

func TestLLMLimits(t *testing.T) {
	s := (&script{}).data(0, strings.Repeat("x", 1000))
	s.repeat(abi.LimitLLMRequests, func() {
		s.callOf(abi.NSLLM, "send", binary.TypeI32, s.call("begin", 0, 1, 0))
	})
	tooMany := s.call("send", s.call("begin", 0, 1, 0))
	status := s.call("status", abi.LimitLLMRequests+1)
	result := s.call("result", abi.LimitLLMRequests+1)
	q := s.call("begin", 0, 1, 0)
	s.repeat(maxLLMParts, func() { s.callOf(abi.NSLLM, "text", binary.TypeI32, q, 0, 1) })
	text := s.call("text", q, 0, 1)
	span := s.call("span", q, 0, 0, 1)
	system := s.call("system", q, 0, 1)
	s.repeat(abi.LimitHandles-abi.LimitLLMRequests-2, func() { s.callOf(abi.NSLLM, "begin", binary.TypeI32, 0, 1, 0) })
	last := s.call("begin", 0, 1, 0)
	// Equal requests are sent once, but each counts against the quota until one is stored.
	fake := &hosttest.LLM{Latency: time.Hour}
	withFake(t, fake, s, func(_ *bench, got ran) {
		want(t, got, map[ref]int32{tooMany: limit, status: limit, result: limit, text: limit, span: limit, system: limit, last: limit})
	})
}

func TestLLMTokensOfCall(t *testing.T) {
	s := &script{}
	a := s.call("send", s.call("begin", 0, abi.LimitLLMTokens, 0))
	b := s.call("send", s.call("begin", 0, 1, 0))
	withFake(t, &hosttest.LLM{}, s, func(_ *bench, got ran) { want(t, got, map[ref]int32{a: 0, b: limit}) })
}

func TestLLMTimeoutOfProvider(t *testing.T) {
	s := &script{}
	q := addRequest(s, 0, "words")
	s.call("send", q)
	s.call("wait", q, -1)
	status := s.call("status", q)
	result := s.call("result", q)
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(o *Options) { o.LLM = &tired{&hosttest.LLM{}} })
		got := b.run(t, s.returns(abi.ReturnPass), content("x"))
		want(t, got, map[ref]int32{status: timeout, result: timeout})
	})
}

// tired ends each request with its own deadline.
type tired struct{ *hosttest.LLM }

type tiredCall struct{ done chan struct{} }

func (c tiredCall) Done() <-chan struct{}          { return c.done }
func (c tiredCall) Answer() (abi.LLMAnswer, error) { return abi.LLMAnswer{}, context.DeadlineExceeded }

func (f *tired) Send(context.Context, abi.LLMRequest) (abi.LLMCall, error) {
	c := tiredCall{make(chan struct{})}
	close(c.done)
	return c, nil
}

// TestLLMCutAnswer verifies the status of an answer that max_tokens has shortened.
func TestLLMCutAnswer(t *testing.T) {
	s := (&script{}).data(0, strings.Repeat("x", 900))
	q := s.call("begin", 1, 10, 0)
	s.call("text", q, 0, 900)
	s.call("send", q)
	s.call("wait", q, -1)
	status := s.call("status", q)
	withFake(t, &hosttest.LLM{}, s, func(_ *bench, got ran) { want(t, got, map[ref]int32{status: abi.LLMCut}) })
}

func TestLLMAnswerLimit(t *testing.T) {
	for _, c := range []struct {
		bytes int
		want  int32
	}{{abi.LimitLLMAnswerBytes, abi.LLMAnswered}, {abi.LimitLLMAnswerBytes + 1, limit}} {
		s := &script{}
		q := s.call("begin", abi.TierFast, 50_000, 0)
		s.call("send", q)
		s.call("wait", q, -1)
		status := s.call("status", q)
		fake := &hosttest.LLM{Script: func(abi.LLMRequest) string { return strings.Repeat("x", c.bytes) }}
		withFake(t, fake, s, func(_ *bench, got ran) { want(t, got, map[ref]int32{status: c.want}) })
	}
}
