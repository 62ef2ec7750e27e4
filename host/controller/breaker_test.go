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

// A controller that keeps failing is out of service, longer each time, until it
// works again; another version of it begins anew.
func TestBreaker(t *testing.T) {
	broken, runs := true, 0
	hook := func(ctx context.Context, c abi.HookCall) (abi.HookOutput, error) {
		if runs++; broken {
			return fails()(ctx, c)
		}
		return abi.HookOutput{}, nil
	}
	r := newRig(t, one("a", abi.OnToolCall, hook))
	for _, step := range []struct {
		rule  string
		after time.Duration
		mend  bool
		ran   bool
	}{
		{"first", 0, false, true},
		{"second", time.Second, false, true},
		{"third takes it out", time.Second, false, true},
		{"out", 900 * time.Millisecond, false, false},
		{"tried after a second", 100 * time.Millisecond, false, true},
		{"out for two", 1900 * time.Millisecond, false, false},
		{"tried again", 100 * time.Millisecond, true, true},
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

func TestWhatSpeaksAgainstAModule(t *testing.T) {
	tests := []struct {
		rule    string
		err     error
		against bool
	}{
		{"trap", fmt.Errorf("x: %w", abi.ErrGuest), true},
		{"limit", fmt.Errorf("x: %w", abi.ErrLimit), true},
		{"FAIL in order", abi.ErrRefused, false},
		{"cancelled", context.Canceled, false},
		{"no module", abi.ErrNotFound, false},
		{"success", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			var told []Ending
			p := one("a", abi.OnToolCall, func(context.Context, abi.HookCall) (abi.HookOutput, error) { return abi.HookOutput{}, tt.err })
			r := newRig(t, p)
			r.opts.Ended = func(e Ending) { told = append(told, e) }
			for range breaker.After + 1 {
				r.Call(t.Context(), aCall(r.listed[0]))
			}
			if len(told) != breaker.After+1 {
				t.Fatalf("told %d times", len(told))
			}
			first, last := told[0], told[breaker.After]
			if !first.Ran || first.Against != tt.against || !errors.Is(first.Err, tt.err) || first.Project != "home" || first.Report.Role != "a" || first.Report.ModuleHash != "a-1" {
				t.Errorf("told %+v", first)
			}
			if out := errors.Is(last.Err, abi.ErrUnavailable); out != tt.against || last.Ran == out {
				t.Errorf("the fourth: %+v", last)
			}
		})
	}
}

// A runner that panics costs its hook, is tried again like any that
// fails, and does not end the daemon from the background.
func TestPanickingRunner(t *testing.T) {
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

// A client that takes its call back says nothing of the module that was busy with it.
func TestCallThatIsTakenBackIsNoFailure(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	r := newRig(t, one("a", abi.OnToolCall, func(ctx context.Context, _ abi.HookCall) (abi.HookOutput, error) {
		cancel(errors.New("client has gone"))
		return abi.HookOutput{}, context.Cause(ctx)
	}))
	var told []Ending
	r.opts.Ended = func(e Ending) { told = append(told, e) }
	r.Call(ctx, aCall(r.listed[0]))
	if len(told) != 1 || told[0].Ran || told[0].Err == nil {
		t.Errorf("told %+v", told)
	}
}
