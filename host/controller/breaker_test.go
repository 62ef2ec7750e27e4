package controller

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/breaker"
)

// The time out of service doubles with each failed trial.
func TestFailingControllerIsOutOfService(t *testing.T) {
	broken, runs := true, 0
	hook := func(ctx context.Context, c abi.HookCall) (abi.HookOutput, error) {
		if runs++; broken {
			return failing()(ctx, c)
		}
		return abi.HookOutput{}, nil
	}
	r := newRig(t, oneHook("a", abi.OnToolCall, hook))
	for _, step := range []struct {
		rule  string
		after time.Duration
		mend  bool
		ran   bool
	}{
		{"first", 0, false, true},
		{"second", time.Second, false, true},
		{"third takes it out of service", time.Second, false, true},
		{"out of service for one second", 900 * time.Millisecond, false, false},
		{"trial after one second", 100 * time.Millisecond, false, true},
		{"out of service for two seconds", 1900 * time.Millisecond, false, false},
		{"second trial", 100 * time.Millisecond, true, true},
		{"in service", 0, true, true},
	} {
		r.clock = r.clock.Add(step.after)
		broken = !step.mend
		before := runs
		v := r.Call(t.Context(), aCall(r.listed[0]))
		if ran := runs > before; ran != step.ran || v.Answer != nil {
			t.Errorf("%s: ran %v, want %v (%s)", step.rule, ran, step.ran, reports(v.Reports))
		}
	}
}

func TestEndedReportsModuleFaults(t *testing.T) {
	tests := []struct {
		rule    string
		err     error
		against bool
	}{
		{"trap", fmt.Errorf("x: %w", abi.ErrGuest), true},
		{"limit", fmt.Errorf("x: %w", abi.ErrLimit), true},
		{"regular FAIL", abi.ErrRefused, false},
		{"cancelled", context.Canceled, false},
		{"no module", abi.ErrNotFound, false},
		{"success", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			var endings []Ending
			p := oneHook("a", abi.OnToolCall, func(context.Context, abi.HookCall) (abi.HookOutput, error) { return abi.HookOutput{}, tt.err })
			r := newRig(t, p)
			r.opts.Ended = func(e Ending) { endings = append(endings, e) }
			for range breaker.After + 1 {
				r.Call(t.Context(), aCall(r.listed[0]))
			}
			if len(endings) != breaker.After+1 {
				t.Fatalf("Ended was called %d times, want %d", len(endings), breaker.After+1)
			}
			first, last := endings[0], endings[breaker.After]
			if !first.Ran || first.ModuleFault != tt.against || !errors.Is(first.Err, tt.err) || first.Project != "home" || first.Report.Role != "a" || first.Report.ModuleHash != "a-1" {
				t.Errorf("first: %+v", first)
			}
			if out := errors.Is(last.Err, abi.ErrUnavailable); out != tt.against || last.Ran == out {
				t.Errorf("the fourth: %+v", last)
			}
		})
	}
}

// A panic of a runner, also in on_close, counts as a failure of its hook.
func TestRunnerPanicIsFailure(t *testing.T) {
	runs := 0
	burst := func(context.Context, abi.HookCall) (abi.HookOutput, error) { runs++; panic("burst") }
	r := newRig(t, part{role: "a", hooks: map[abi.Hook]hookFunc{abi.OnToolCall: burst, abi.OnClose: burst}})
	for i, after := range []time.Duration{0, 0, 0, time.Second, 2 * time.Second} {
		r.clock = r.clock.Add(after)
		v := r.Call(t.Context(), aCall(r.listed[0]))
		if want := `failed: controller "a": on_tool_call did not end: host panicked while it ran: burst, call routed`; reports(v.Reports) != want || runs != i+1 {
			t.Errorf("run %d: got %s\nwant %s", runs, reports(v.Reports), want)
		}
	}
	r.clock = r.clock.Add(time.Hour)
	r.Session.Close("client")
	r.Chains.Close(t.Context())
	if runs != 6 {
		t.Errorf("%d hooks ran", runs)
	}
}

func TestCancelledCallIsNoModuleFault(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	r := newRig(t, oneHook("a", abi.OnToolCall, func(ctx context.Context, _ abi.HookCall) (abi.HookOutput, error) {
		cancel(errors.New("client has gone"))
		return abi.HookOutput{}, context.Cause(ctx)
	}))
	var endings []Ending
	r.opts.Ended = func(e Ending) { endings = append(endings, e) }
	r.Call(ctx, aCall(r.listed[0]))
	if len(endings) != 1 || endings[0].Ran || endings[0].Err == nil {
		t.Errorf("endings %+v", endings)
	}
}
