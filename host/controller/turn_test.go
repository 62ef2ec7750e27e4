package controller

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Hooks of one controller in one session run one at a time.
func TestHooksRunInOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d hookLog
		next := make(chan struct{})
		r := newRig(t, oneHook("a", abi.OnToolCall, func(_ context.Context, c abi.HookCall) (abi.HookOutput, error) {
			d.add("in %s", c.Context.Call.ID)
			<-next
			d.add("out %s", c.Context.Call.ID)
			return abi.HookOutput{}, nil
		}))
		for i := range 3 {
			call := aCall(r.listed[0])
			call.ID = fmt.Sprint(i)
			go r.Call(t.Context(), call)
			synctest.Wait()
		}
		other := r.session()
		go other.Call(t.Context(), flow.SteeredCall{ID: "another session", Tool: r.listed[0]})
		synctest.Wait()
		equal(t, "begun", d.take(), []string{"in 0", "in another session"})
		close(next)
		synctest.Wait()
		lines := d.take()
		var own []string
		for _, l := range lines {
			if l != "out another session" {
				own = append(own, l)
			}
		}
		equal(t, "then", own, []string{"out 0", "in 1", "out 1", "in 2", "out 2"})
	})
}

// A hook that waits for an LLM releases its turn. When it resumes, it reads the state
// that other hooks have written.
func TestYieldReleasesTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d hookLog
		answer := make(chan struct{})
		r := newRig(t, oneHook("a", abi.OnToolCall, func(_ context.Context, c abi.HookCall) (abi.HookOutput, error) {
			id := c.Context.Call.ID
			if id == "slow" {
				resume := c.Host.Yield()
				<-answer
				resume()
			}
			v, _ := c.Host.State("last")
			d.add("%s after %q", id, v)
			return abi.HookOutput{State: map[string][]byte{"last": []byte(id)}}, nil
		}))
		for _, id := range []string{"slow", "quick"} {
			call := aCall(r.listed[0])
			call.ID = id
			go r.Call(t.Context(), call)
			synctest.Wait()
		}
		equal(t, "while it waits", d.take(), []string{`quick after ""`})
		close(answer)
		synctest.Wait()
		equal(t, "then", d.take(), []string{`slow after "quick"`})
	})
}

// A cancelled waiter does not delay the next ones.
func TestWaitForTurnIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turn turn
		if err := turn.acquire(t.Context(), turn.arrive()); err != nil {
			t.Fatal(err)
		}
		why := errors.New("client has gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		gone, got := make(chan error, 1), make(chan error, 1)
		go func() { gone <- turn.acquire(ctx, turn.arrive()) }()
		synctest.Wait()
		go func() { got <- turn.acquire(t.Context(), turn.arrive()) }()
		synctest.Wait()
		cancel(why)
		if err := <-gone; err != why {
			t.Errorf("cancelled: %v, want %v", err, why)
		}
		turn.release()
		if err := <-got; err != nil {
			t.Errorf("next: %v", err)
		}
		turn.release()
		if turn.taken || len(turn.queue) != 0 {
			t.Error("the turn is not free")
		}
		if err := turn.acquire(ctx, turn.arrive()); err == nil || turn.taken {
			t.Error("a free turn was taken with a cancelled context")
		}
	})
}

func TestHookWithoutTurnIsNotCommitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		hold, yielded := make(chan struct{}), make(chan struct{})
		r := newRig(t, oneHook("a", abi.OnToolCall, func(_ context.Context, c abi.HookCall) (abi.HookOutput, error) {
			if c.Context.Call.ID != "slow" {
				<-hold
				return abi.HookOutput{}, nil
			}
			resume := c.Host.Yield()
			close(yielded)
			<-ctx.Done()
			resume()
			return abi.HookOutput{State: map[string][]byte{"k": []byte("v")}}, nil
		}))
		got := make(chan flow.CallVerdict, 1)
		go func() { got <- r.Call(ctx, flow.SteeredCall{ID: "slow", Tool: r.listed[0]}) }()
		<-yielded
		go r.Call(t.Context(), flow.SteeredCall{ID: "holds the turn", Tool: r.listed[0]})
		synctest.Wait()
		cancel()
		v := <-got
		if want := `failed: controller "a": on_tool_call did not get its turn back: context canceled, call routed`; reports(v.Reports) != want {
			t.Errorf("got %s\nwant %s", reports(v.Reports), want)
		}
		close(hold)
		synctest.Wait()
		if len(r.roles["a"].state.values) != 0 || r.roles["a"].turn.taken {
			t.Error("the hook was committed, or the turn is lost")
		}
	})
}

// A hook that has yielded resumes before hooks that arrived later and have not begun.
// Otherwise a client with many calls in one session would make the first hook exceed
// its time.
func TestResumedHookPrecedesLaterArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d hookLog
		answer, next := make(chan struct{}), make(chan struct{})
		r := newRig(t, oneHook("a", abi.OnToolCall, func(_ context.Context, c abi.HookCall) (abi.HookOutput, error) {
			id := c.Context.Call.ID
			if id < "2" {
				resume := c.Host.Yield()
				<-answer
				resume()
			} else {
				<-next
			}
			d.add("%s", id)
			return abi.HookOutput{}, nil
		}))
		for i := range 5 {
			call := aCall(r.listed[0])
			call.ID = fmt.Sprint(i)
			go r.Call(t.Context(), call)
			synctest.Wait()
		}
		close(answer)
		synctest.Wait()
		close(next)
		synctest.Wait()
		equal(t, "order", d.take(), []string{"2", "0", "1", "3", "4"})
	})
}

// resume waits at most hookTime, because the guest of the hook occupies one of few
// slots.
func TestWaitForResumeIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		yielded, taken := make(chan struct{}), make(chan struct{})
		r := newRig(t, oneHook("a", abi.OnToolCall, func(_ context.Context, c abi.HookCall) (abi.HookOutput, error) {
			resume := c.Host.Yield()
			close(yielded)
			<-taken
			resume()
			return abi.HookOutput{State: map[string][]byte{"k": []byte("v")}}, nil
		}))
		got := make(chan flow.CallVerdict, 1)
		go func() { got <- r.Call(t.Context(), aCall(r.listed[0])) }()
		<-yielded
		turn := &r.roleData("a").turn
		if err := turn.acquire(t.Context(), turn.arrive()); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		close(taken)
		v := <-got
		if took := time.Since(began); took != hookTime {
			t.Errorf("took %v, want %v", took, hookTime)
		}
		if want := `failed: controller "a": on_tool_call did not get its turn back: 10s have passed, call routed`; reports(v.Reports) != want {
			t.Errorf("got %s\nwant %s", reports(v.Reports), want)
		}
	})
}
