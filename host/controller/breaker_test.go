package controller

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
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
			var told []Failure
			p := one("a", abi.OnToolCall, func(context.Context, abi.HookCall) (abi.HookOutput, error) { return abi.HookOutput{}, tt.err })
			r := newRig(t, p)
			r.opts.Failed = func(f Failure) { told = append(told, f) }
			runs := 0
			for range breakAfter + 1 {
				v := r.Call(t.Context(), aCall(r.listed[0]))
				if len(v.Reports) == 1 && !errors.Is(errOf(told), abi.ErrUnavailable) {
					runs++
				}
			}
			if out := runs == breakAfter; out != tt.against {
				t.Errorf("out of service %v, want %v", out, tt.against)
			}
			if tt.err != nil && (len(told) != breakAfter+1 || told[0].Against != tt.against || told[0].Role != "a" || told[0].Hash != "a-1") {
				t.Errorf("told %+v", told)
			}
		})
	}
}

func errOf(told []Failure) error {
	if len(told) == 0 {
		return nil
	}
	return told[len(told)-1].Err
}
