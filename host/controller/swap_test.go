package controller

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// version returns a module whose tool counts the calls of a session in its state.
func version(n int) *fake {
	return &fake{hash: fmt.Sprint("v", n), hooks: map[abi.Hook]hookFunc{
		abi.OnToolsList: adds("count"),
		abi.OnToolCall: func(_ context.Context, c abi.HookCall) (abi.HookOutput, error) {
			v, _ := c.Host.State("calls")
			calls, _ := strconv.Atoi(string(v))
			next := []byte(strconv.Itoa(calls + 1))
			return abi.HookOutput{Done: true, Answer: append([]byte("call "), next...), State: map[string][]byte{"calls": next}}, nil
		},
	}}
}

// The module is replaced while 100 sessions use it. No session loses its state, no
// call fails, and every version is released.
func TestModuleSwapUnderLoad(t *testing.T) {
	const sessions, calls = 100, 50
	r := newRig(t, oneHook("counter", abi.OnToolCall, answering("replaced below")))
	r.players["counter"] = version(0)
	var work, swaps sync.WaitGroup
	var done atomic.Bool
	swaps.Go(func() {
		for n := 1; !done.Load(); n++ {
			r.home.mu.Lock()
			r.players["counter"] = version(n)
			r.home.mu.Unlock()
		}
	})
	for range sessions {
		s := r.session()
		work.Go(func() {
			tools, _ := s.ListTools(t.Context(), "list", r.listed)
			for n := 1; n <= calls; n++ {
				v := s.Call(t.Context(), aCall(tools[0]))
				if want := fmt.Sprintf(`"call %d"`, n); v.Answer == nil || !strings.Contains(string(v.Answer.Result), want) {
					t.Errorf("call %d answered %+v", n, v)
					return
				}
			}
		})
	}
	work.Wait()
	done.Store(true)
	swaps.Wait()
	for hash, n := range r.inUse {
		if n != 0 {
			t.Errorf("%s has %d users", hash, n)
		}
	}
	if len(r.inUse) < 2 {
		t.Errorf("only %d versions were used", len(r.inUse))
	}
}

// The hooks of a role without a module fail; they run again once the role has one.
func TestHooksOfMissingRoleFail(t *testing.T) {
	r := newRig(t, oneHook("a", abi.OnToolCall, answering("here")))
	delete(r.players, "a")
	v := r.Call(t.Context(), aCall(r.listed[0]))
	if want := `failed: controller "a": on_tool_call did not run: not found: role "a" is in no module, call routed`; reports(v.Reports) != want || v.Answer != nil {
		t.Errorf("got %s\nwant %s", reports(v.Reports), want)
	}
	r.set(true, oneHook("a", abi.OnToolCall, answering("here")))
	if v := r.Call(t.Context(), aCall(r.listed[0])); v.Answer == nil {
		t.Errorf("the role has a module and does not answer: %+v", v)
	}
}

func TestHooksWaitForEarlyChain(t *testing.T) {
	settled := make(chan struct{})
	r := newRig(t)
	r.home.chain = NewEarlyChain(func(ctx context.Context) error {
		select {
		case <-settled:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if !r.Active() || !r.Wants(abi.OnInitialize) {
		t.Error("an early chain wants no hooks")
	}
	got := make(chan flow.CallVerdict, 1)
	go func() { got <- r.Call(t.Context(), aCall(r.listed[0])) }()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if v := r.Call(gone, aCall(r.listed[0])); v.Answer == nil {
		t.Error("a call was routed before the chain was known")
	}
	r.set(true, oneHook("a", abi.OnToolCall, answering("here")))
	close(settled)
	if v := <-got; v.Answer == nil {
		t.Errorf("got %+v", v)
	}
}
