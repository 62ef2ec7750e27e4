package wasm

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// inTurn runs a hook like a host: with the controller's turn, and commits its output.
func inTurn(ctx context.Context, c Controller, call abi.HookCall, s *hosttest.Session) (abi.HookOutput, error) {
	defer s.Turn()()
	out, err := c.Hook(ctx, call)
	s.Commit(out)
	return out, err
}

// TestWaitingHookYields verifies that a hook that waits for an LLM gives up its turn and its
// slot: another hook of the same session runs meanwhile, even with one slot. Afterwards the
// first hook reads the new state and keeps its own changes.
func TestWaitingHookYields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(o *Options) {
			o.LLM = &hosttest.LLM{Latency: 2 * time.Second}
			o.Limits.Guests = 1
		})
		b.usage.read = wallOnly
		asking := &script{noResult: true, entry: abi.ExportOnToolCall}
		asking.call("state_set", "mine", "1")
		asking.call("begin", abi.TierFast, 100, 0)
		asking.call("text", 1, "words")
		asking.call("send", 1)
		asking.call("wait", -1, -1)
		asking.call("out_span", asking.call("state_get", "foreign"), 0, -1)
		asking.call("out_span", asking.call("state_get", "mine"), 0, -1)
		writing := &script{noResult: true, entry: abi.ExportOnToolCall}
		writing.call("state_set", "foreign", "new ")
		writing.call("state_set", "mine", "2")
		first, second := b.controller(t, "script", asking.wasm()), b.controller(t, "script", writing.returns(abi.ReturnPass).wasm())
		session, start := newSession(), time.Now()
		session.Commit(abi.HookOutput{State: map[string][]byte{"foreign": []byte("old ")}})
		call := hookCall(abi.OnToolCall, session, "{}")
		done := make(chan abi.HookOutput)
		go func() {
			out, err := inTurn(t.Context(), first, call, session)
			if err != nil {
				t.Error(err)
			}
			done <- out
		}()
		synctest.Wait()
		if _, err := inTurn(t.Context(), second, call, session); err != nil || time.Since(start) > time.Second {
			t.Errorf("the second hook took %v: %v", time.Since(start), err)
		}
		out := <-done
		if string(out.Answer) != "new 1" || session.Yields() != 1 {
			t.Errorf("answer %q, %d yields", out.Answer, session.Yields())
		}
		if v, _ := session.State("mine"); string(v) != "1" {
			t.Errorf("mine is %q: the last commit wins", v)
		}
		if out.Stats.Guest > time.Second {
			t.Errorf("clock ran %v: waiting counts", out.Stats.Guest)
		}
		b.Close(context.Background())
	})
}

// TestSuspendedHookLimit verifies that further hooks do not wait: their time is over.
func TestSuspendedHookLimit(t *testing.T) {
	b := newBench(t, func(o *Options) { o.LLM = &hosttest.LLM{Latency: time.Hour} })
	for range cap(b.localQueue.suspended) {
		b.localQueue.suspended <- struct{}{}
	}
	s := &script{}
	s.call("begin", abi.TierFast, 100, 0)
	s.call("text", 1, "words")
	s.call("send", 1)
	wait := s.call("wait", -1, -1)
	body := s.call("prompt_body", "tone", 0)
	got := b.runHook(t, s.returns(abi.ReturnPass), hookCall(abi.OnToolCall, newSession(), "{}"))
	if got.err != nil || got.results[wait] != timeout || got.results[body] != unavailable || !got.out.Provisional {
		t.Errorf("%v, %v", got.results, got.err)
	}
	for range cap(b.localQueue.suspended) {
		<-b.localQueue.suspended
	}
}

// slowPrompts is a session whose prompts need a guest, or never return.
type slowPrompts struct {
	*hosttest.Session
	guest Guest
}

func (s slowPrompts) PromptBody(ctx context.Context, _ string, _ bool) ([]byte, error) {
	if s.guest != nil {
		out, err := s.guest.Run(ctx, content("through a stage"))
		return out.Bytes, err
	}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func bodyOf() *script {
	s := &script{noResult: true, entry: abi.ExportOnToolCall}
	s.call("out_span", s.call("prompt_body", "tone", 0), 0, -1)
	return s
}

// TestPromptBodyWithOneSlot verifies that a hook gives up its slot for the stages of a
// prompt.
func TestPromptBodyWithOneSlot(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits.Guests = 1 })
	stage := &script{noResult: true}
	stage.call("out_span", 0, 8, -1)
	call := hookCall(abi.OnToolCall, nil, "{}")
	call.Host = slowPrompts{newSession(), b.guest(t, "stage", stage.wasm())}
	out, err := b.controller(t, "steer", bodyOf().wasm()).Hook(t.Context(), call)
	if err != nil || string(out.Answer) != "a stage" {
		t.Errorf("%q, %v", out.Answer, err)
	}
}

// readyPrompts has all bodies without waiting.
type readyPrompts struct{ *hosttest.Session }

func (readyPrompts) KnownPromptBody(name string) ([]byte, bool) { return []byte("known " + name), true }

func (readyPrompts) PromptBody(context.Context, string, bool) ([]byte, error) {
	return nil, errors.New("a body that is known was waited for")
}

func TestKnownPromptBody(t *testing.T) {
	call := hookCall(abi.OnToolCall, nil, "{}")
	call.Host = readyPrompts{newSession()}
	out, err := newBench(t, nil).controller(t, "steer", bodyOf().wasm()).Hook(t.Context(), call)
	if err != nil || !strings.HasPrefix(string(out.Answer), "known ") {
		t.Errorf("%q, %v", out.Answer, err)
	}
}

// TestHookTimeout verifies that a hook ends after 10 seconds, with its caller and with the
// runtime, wherever it waits.
func TestHookTimeout(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	nothing := func(*bench) {}
	var other share
	for _, c := range []struct {
		rule   string
		ctx    context.Context
		before func(b *bench)
		during func(b *bench)
		want   string
		kind   error
		took   time.Duration
	}{
		{"in an import", t.Context(), nothing, nothing, "took more than 10s, waits included", abi.ErrUnavailable, 10 * time.Second},
		{"without a slot", t.Context(), func(b *bench) { b.localQueue.slots.take(&other) }, nothing,
			"found no place to run in 10s (set limits.guests)", abi.ErrUnavailable, 10 * time.Second},
		{"canceled caller", gone, nothing, nothing, "run given up: context canceled", context.Canceled, 0},
		{"closing runtime", t.Context(), nothing, func(b *bench) { go b.Close(context.Background()) },
			"run given up: the runtime is closing", abi.ErrUnavailable, 0},
	} {
		t.Run(c.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, func(o *Options) { o.Limits.Guests = 1 })
				b.usage.read = wallOnly
				steer := b.controller(t, "steer", bodyOf().wasm())
				call := hookCall(abi.OnToolCall, nil, "{}")
				call.Host = slowPrompts{Session: newSession()}
				c.before(b)
				start, ended := time.Now(), make(chan error)
				go func() { _, err := steer.Hook(c.ctx, call); ended <- err }()
				synctest.Wait()
				c.during(b)
				err := <-ended
				if err == nil || err.Error() != c.want || !errors.Is(err, c.kind) || time.Since(start) != c.took {
					t.Errorf("after %v: %v, want %s", time.Since(start), err, c.want)
				}
				if b.ctx.Err() != nil {
					return // Close has taken the places for good
				}
				b.background.Wait()
				if c.took > 0 && b.localQueue.slots.count() > 0 {
					b.localQueue.slots.release(&other) // the slot that the case took
				}
				if len(b.localQueue.suspended)+b.localQueue.slots.count()+b.localQueue.turns.count() > 0 {
					t.Error("it still has a slot")
				}
				b.Close(context.Background())
			})
		})
	}
}
