package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

func TestStateIsLimited(t *testing.T) {
	many := func(n int) map[string][]byte {
		m := make(map[string][]byte)
		for i := range n {
			m[fmt.Sprintf("%03d", i)] = []byte{}
		}
		return m
	}
	full := abi.LimitStateBytes
	tests := []struct {
		rule       string
		has, wants map[string][]byte
		ok         bool
	}{
		{"keys count as bytes", nil, map[string][]byte{"k": make([]byte, full-1)}, true},
		{"one byte too many", nil, map[string][]byte{"k": make([]byte, full)}, false},
		{"replaced value", map[string][]byte{"k": make([]byte, full-1)}, map[string][]byte{"k": make([]byte, full-2)}, true},
		{"deleted key makes room", map[string][]byte{"k": make([]byte, full-1)}, map[string][]byte{"k": nil, "l": make([]byte, full-1)}, true},
		{"second key in a full state", map[string][]byte{"k": make([]byte, full-1)}, map[string][]byte{"": {1}}, false},
		{"1,000 keys", nil, many(abi.LimitStateKeys), true},
		{"1,001 keys", nil, many(abi.LimitStateKeys + 1), false},
		{"changed key is not counted twice", many(abi.LimitStateKeys), map[string][]byte{"007": {1}}, true},
		{"deletion of a missing key", nil, map[string][]byte{"k": nil}, true},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			var s state
			s.apply(tt.has)
			err := s.check(tt.wants)
			if (err == nil) != tt.ok || err != nil && !errors.Is(err, abi.ErrLimit) {
				t.Fatalf("got %v, want ok %v", err, tt.ok)
			}
			s.apply(tt.wants)
			want := 0
			for k, v := range s.values {
				want += len(k) + len(v)
			}
			if s.bytes != want {
				t.Errorf("counts %d bytes, has %d", s.bytes, want)
			}
		})
	}
}

// State belongs to a role in a session. It is kept when the module changes and when
// the role leaves the chain.
func TestStateSurvivesModuleAndChain(t *testing.T) {
	set := returning(abi.HookOutput{State: map[string][]byte{"gated": []byte("0")}})
	var saw string
	get := observe(&saw, func(c abi.HookCall) string {
		v, ok := c.Host.State("gated")
		keys, size := c.Host.StateSize()
		return fmt.Sprintf("%s %v %d %d", v, ok, keys, size)
	})
	r := newRig(t, oneHook("gate", abi.OnToolCall, set))
	call := aCall(r.listed[0])
	r.Call(t.Context(), call)

	steps := []struct {
		rule string
		part part
		s    *Session
		want string
	}{
		{"new version of the module", oneHook("gate", abi.OnToolCall, get), r.Session, "0 true 1 6"},
		{"another role", oneHook("other", abi.OnToolCall, get), r.Session, " false 0 0"},
		{"in the chain again", oneHook("gate", abi.OnToolCall, get), r.Session, "0 true 1 6"},
		{"another session", oneHook("gate", abi.OnToolCall, get), r.session(), " false 0 0"},
	}
	for _, step := range steps {
		r.set(true, step.part)
		if step.s.Call(t.Context(), call); saw != step.want {
			t.Errorf("%s: got %q, want %q", step.rule, saw, step.want)
		}
	}
}

// The state is available in on_close and discarded afterwards.
func TestStateIsDiscardedAfterOnClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var saw string
		r := newRig(t, part{role: "a", hooks: map[abi.Hook]hookFunc{
			abi.OnToolCall: returning(abi.HookOutput{State: map[string][]byte{"k": []byte("v")}}),
			abi.OnClose: observe(&saw, func(c abi.HookCall) string {
				v, _ := c.Host.State("k")
				return string(c.Input) + string(v)
			}),
		}})
		r.Call(t.Context(), aCall(r.listed[0]))
		r.Session.Close("idle")
		r.Session.Close("shutdown")
		synctest.Wait()
		if want := `{"reason":"idle"}v`; saw != want {
			t.Errorf("on_close saw %q, want %q", saw, want)
		}
		if len(r.roles["a"].state.values) != 0 {
			t.Error("the state was not discarded")
		}
	})
}

// A hook that is running when its session is closed changes nothing. Hooks that wait
// for their turn do not run.
func TestHookAfterSessionCloseHasNoEffect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d hookLog
		hold := make(chan struct{})
		hooks := d.recordHooks("a", map[abi.Hook]hookFunc{abi.OnToolCall: func(context.Context, abi.HookCall) (abi.HookOutput, error) {
			<-hold
			return abi.HookOutput{State: map[string][]byte{"k": []byte("late")}}, nil
		}})
		r := newRig(t, hooks)
		verdicts := make(chan flow.CallVerdict, 2)
		for range 2 {
			go func() { verdicts <- r.Call(t.Context(), aCall(r.listed[0])) }()
		}
		synctest.Wait()
		r.Session.Close("client")
		close(hold)
		synctest.Wait()
		equal(t, "ran", d.take(), []string{"a on_tool_call", "a on_close"})
		if n := len((<-verdicts).Reports) + len((<-verdicts).Reports); n != 1 || len(r.roles["a"].state.values) != 0 {
			t.Errorf("%d reports, state %v", n, r.roles["a"].state.values)
		}
	})
}

// Close waits for on_close until its context is done.
func TestCloseEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, part{role: "a", hooks: map[abi.Hook]hookFunc{
			abi.OnToolCall: returning(abi.HookOutput{}),
			abi.OnClose: func(ctx context.Context, _ abi.HookCall) (abi.HookOutput, error) {
				<-ctx.Done()
				return abi.HookOutput{}, ctx.Err()
			},
		}})
		r.Call(t.Context(), aCall(r.listed[0]))
		r.Session.Close("shutdown")
		ctx, cancel := context.WithCancel(t.Context())
		go func() { synctest.Wait(); cancel() }()
		r.Chains.Close(ctx)
		late := r.session()
		late.Initialize(t.Context(), nil)
		late.Close("shutdown") // runs no hooks
	})
}

// For concurrent hooks, some of which fail, the committed state equals that of a
// sequential model.
func TestCommittedStateEqualsSequentialModel(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 8))
		var mu sync.Mutex
		model := map[string]map[string][]byte{"a": {}, "b": {}}
		hook := func(_ context.Context, c abi.HookCall) (abi.HookOutput, error) {
			role := c.Context.Role
			mu.Lock()
			defer mu.Unlock()
			for k, want := range model[role] {
				if got, ok := c.Host.State(k); !ok || !bytes.Equal(got, want) {
					t.Errorf("seed %d: %s reads %s = %q, want %q", seed, role, k, got, want)
				}
			}
			out := abi.HookOutput{State: make(map[string][]byte)}
			for range random.IntN(4) {
				key := string(rune('k' + random.IntN(5)))
				if out.State[key] = nil; random.IntN(3) > 0 {
					out.State[key] = []byte(fmt.Sprint(random.IntN(100)))
				}
			}
			switch random.IntN(5) {
			case 0:
				return out, errors.New("guest trapped")
			case 1:
				out.Rewrite = &abi.CallRewrite{Tool: "nowhere", Arguments: json.RawMessage(`{}`)}
				return out, nil
			case 2:
				out.State["big"] = make([]byte, abi.LimitStateBytes)
				return out, nil
			}
			for k, v := range out.State {
				if v == nil {
					delete(model[role], k)
				} else {
					model[role][k] = v
				}
			}
			return out, nil
		}
		r := newRig(t, oneHook("a", abi.OnToolCall, hook), oneHook("b", abi.OnToolCall, hook))
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				for range 6 {
					r.Call(t.Context(), aCall(r.listed[0]))
				}
			})
		}
		calls.Wait()
		for role, want := range model {
			if got := r.roles[role].state.values; !maps.EqualFunc(got, want, bytes.Equal) {
				t.Fatalf("seed %d: %s has %q, want %q", seed, role, got, want)
			}
		}
	}
}
