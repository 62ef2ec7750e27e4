package wasm

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// TestHookFailures checks the error texts that follow `controller "x": on_tool_call `, and
// that a failed hook has no effect.
func TestHookFailures(t *testing.T) {
	put := func(text string) *script {
		s := &script{}
		s.call("out_write", text)
		return s
	}
	reason := &script{}
	reason.call("fail", "no tags")
	badKey := &script{}
	badKey.call("state_get", -256, 512)
	exit := &script{}
	exit.callOf(module.WASINamespace, "proc_exit", 0, 0)
	full := &script{}
	full.repeat(20, func() { full.callOf(abi.NSCore, "out_write", binary.TypeI32, 0, 60_000) })
	fullPass := *full
	grow := (&script{}).raw(i32const).raw(sleb(2000)...).raw(memoryGrow, 0, drop, unreachable)
	for _, c := range []struct {
		rule string
		hook abi.Hook
		s    *script
		want string
		kind error
	}{
		{"trap", abi.OnToolCall, (&script{}).raw(unreachable), "trapped: unreachable", abi.ErrGuest},
		{"bad pointer", abi.OnToolCall, badKey, "trapped: bad pointer in state_get(4294967040, 512)", abi.ErrGuest},
		{"memory", abi.OnToolCall, grow, "trapped: unreachable at 1 MiB (limit 64 MiB, set limits.memory)", abi.ErrLimit},
		{"FAIL with a reason", abi.OnToolCall, reason.returns(2), "failed: no tags", abi.ErrRefused},
		{"FAIL without a reason", abi.OnToolsList, put("x").returns(2), "failed without a reason", abi.ErrRefused},
		{"unknown return code", abi.OnToolCall, put("x").returns(7), "returned 7, want 0, 1 or 2", abi.ErrGuest},
		{"proc_exit", abi.OnToolCall, exit, "exited with status 0 in mid-call", abi.ErrGuest},
		{"DONE of a call without output", abi.OnToolCall, &script{}, "returned DONE without output", abi.ErrGuest},
		{"DONE of a result without output", abi.OnToolResult, &script{}, "returned DONE without output", abi.ErrGuest},
		{"DONE of on_initialize needs no output", abi.OnInitialize, &script{}, "", nil},
		{"DONE of on_tools_list needs no output", abi.OnToolsList, &script{}, "", nil},
		{"answer is not UTF-8", abi.OnToolCall, put("ab\xff"), "output is not UTF-8 at byte 2", abi.ErrGuest},
		{"instructions are not UTF-8", abi.OnInitialize, put("\xff"), "output is not UTF-8 at byte 0", abi.ErrGuest},
		{"output of on_close is ignored", abi.OnClose, put("\xff"), "", nil},
		{"answer over limit", abi.OnToolCall, full, "output over 1,048,584 bytes (set limits.output)", abi.ErrLimit},
		{"dropped answer over limit", abi.OnToolCall, fullPass.returns(1), "", nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			c.s.noResult = true
			c.s.code = append((&script{}).stateAndLog(c.s), c.s.code...)
			got := newBench(t, nil).runHook(t, c.s, hookCall(c.hook, newSession(), "{}"))
			if c.want == "" {
				if got.err != nil || len(got.out.State) != 1 {
					t.Errorf("%+v, %v", got.out, got.err)
				}
				return
			}
			if got.err == nil || got.err.Error() != c.want || !errors.Is(got.err, c.kind) {
				t.Fatalf("got  %v\nwant %s", got.err, c.want)
			}
			if o := got.out; o.Done || o.Answer != nil || o.State != nil || o.Notes != nil || len(o.Log) != 1 || o.Stats.HostCalls == 0 {
				t.Errorf("a failed hook left %+v", o)
			}
		})
	}
}

// stateAndLog returns code for the beginning of a script: a change of state, which is undone
// after a failure, and a log line, which is kept.
func (*script) stateAndLog(of *script) []byte {
	mine := of.code
	of.code = nil
	of.callOf(abi.NSSession, "state_set", binary.TypeI32, "k", "v")
	of.callOf(abi.NSCore, "log", binary.TypeI32, 1, "was here")
	front := of.code
	of.code = mine
	return front
}

// TestHooksUseSpare verifies that each hook has a clean guest, which was prepared.
func TestHooksUseSpare(t *testing.T) {
	b := newBench(t, nil)
	s := (&script{noResult: true, entry: abi.ExportOnToolCall}).raw(i32const, 0, 0x28, 2, 0, 0x04, voidBlock, unreachable, end)
	s.raw(i32const, 0, i32const, 1, 0x36, 2, 0) // changes memory
	m, err := b.Load(t.Context(), "script", s.returns(abi.ReturnPass).wasm(), false)
	if err != nil {
		t.Fatal(err)
	}
	steer, err := m.Controller("script")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		before := waiting(t, b, m)
		if (before != nil) != (i > 0) {
			t.Fatalf("call %d finds an instance: %v", i, before != nil)
		}
		if _, err := steer.Hook(t.Context(), hookCall(abi.OnToolCall, newSession(), "{}")); err != nil {
			t.Fatal(err)
		}
		if waiting(t, b, m) == before {
			t.Fatal("the hook did not use the prepared guest")
		}
	}
}

// TestSpareServesAnyEntry verifies that stages and hooks of a module share prepared guests.
func TestSpareServesAnyEntry(t *testing.T) {
	b := newBench(t, nil)
	file := new(hosttest.Module).Call(abi.FuncOutWrite, "stage").Hook(abi.OnToolCall).Call(abi.FuncOutWrite, "hook").
		Manifest(`{"name":"both","abi":"1.0","roles":[{"name":"cut","kind":"stage"},{"name":"steer","kind":"controller"}]}`).File()
	m, err := b.Load(t.Context(), "both", file, false)
	if err != nil {
		t.Fatal(err)
	}
	cut, _ := m.Guest("cut")
	steer, _ := m.Controller("steer")
	for range 2 {
		for _, run := range []func() (string, error){
			func() (string, error) { out, err := cut.Run(t.Context(), content("x")); return string(out.Bytes), err },
			func() (string, error) {
				out, err := steer.Hook(t.Context(), hookCall(abi.OnToolCall, newSession(), "{}"))
				return string(out.Answer), err
			},
		} {
			before := waiting(t, b, m)
			if text, err := run(); err != nil || text != "stage" && text != "hook" {
				t.Fatalf("%q, %v", text, err)
			}
			if after := waiting(t, b, m); after == nil || after == before {
				t.Error("no guest was prepared, or it was not used")
			}
		}
	}
}

// TestHostileControllers verifies that endless work is stopped and has no effect, also not
// on the next hook.
func TestHostileControllers(t *testing.T) {
	floods := []struct {
		hook abi.Hook
		step
	}{
		{abi.OnToolCall, step{name: "notify", args: []any{"notifications/message", `{"data":"` + strings.Repeat("x", 4096) + `"}`}}},
		{abi.OnToolCall, step{name: "notify", args: []any{"no/such", ""}}},
		{abi.OnToolCall, step{name: "state_set", args: []any{"key", strings.Repeat("x", 60_000)}}},
		{abi.OnToolCall, step{name: "state_del", args: []any{"key"}}},
		{abi.OnToolsList, step{name: "tool_add", args: []any{object}}},
		{abi.OnToolsList, step{name: "tool_hide", args: []any{"begin"}}},
		{abi.OnToolsList, step{name: "tool_patch", args: []any{"begin", `{"description":"x"}`}}},
		{abi.OnToolsList, step{name: "tools"}},
		{abi.OnToolResult, step{name: "out_to", args: []any{1}}},
		{abi.OnToolCall, step{name: "call_rewrite", args: []any{"files/read", 0, 0, -1}}},
		{abi.OnToolCall, step{name: "content_open", args: []any{"k7m2q9x4t6b8w3n5"}}},
		{abi.OnToolCall, step{name: "prompt_body", args: []any{"tone", 0}}},
		{abi.OnClose, step{name: "section_read", args: []any{"k7m2q9x4t6b8w3n5", "x"}}},
	}
	b, patient := newBench(t, func(o *Options) { o.Limits.Time = 60 * time.Millisecond }), newBench(t, nil)
	for _, f := range floods {
		s := (&script{noResult: true, entry: module.HookExport(f.hook)}).raw(loopVoid, voidBlock)
		s.call(f.name, f.args...)
		s.raw(br, 0, end)
		m, err := b.Load(t.Context(), "hostile", s.wasm(), false)
		if err != nil {
			t.Fatal(err)
		}
		steer, _ := m.Controller("hostile")
		session := newSession()
		session.Role = "hostile"
		out, err := steer.Hook(t.Context(), hookCall(f.hook, session, "{}"))
		stopped := err != nil && (strings.HasPrefix(err.Error(), "trapped after ") || strings.HasPrefix(err.Error(), "did not stop ")) // the second on a busy machine
		if !errors.Is(err, abi.ErrLimit) || !stopped || out.State != nil || out.Notes != nil || out.Tools != nil {
			t.Errorf("%s: %+v, %v", f.name, out, err)
		}
		if got := patient.runHook(t, (&script{}).returns(abi.ReturnPass), hookCall(f.hook, session, "{}")); got.err != nil {
			t.Errorf("after %s: %v", f.name, got.err)
		}
		m.Close()
	}
}

// TestBadSessionPointers verifies that a bad pointer in any session function traps.
func TestBadSessionPointers(t *testing.T) {
	b := newBench(t, nil)
	for _, st := range sessionImports() {
		for i := 0; i+1 < len(st.args) && (i == 0 || st.name != "call_rewrite"); i += 2 {
			s := &script{noResult: true}
			args := slices.Clone(st.args)
			args[i], args[i+1] = -256, 512
			s.call(st.name, args...)
			got := b.runHook(t, s.returns(abi.ReturnPass), hookCall(abi.OnToolCall, newSession(), "{}"))
			if got.err == nil || !strings.HasPrefix(got.err.Error(), "trapped: bad pointer in "+st.name+"(") {
				t.Errorf("%s%v: %v", st.name, args, got.err)
			}
		}
	}
}

// BenchmarkHookPass measures an on_tool_call that passes. Compare it with
// BenchmarkFreshSmallGuest, a stage.
func BenchmarkHookPass(b *testing.B) {
	s := (&script{noResult: true, entry: abi.ExportOnToolCall}).returns(abi.ReturnPass)
	m, err := newBench(b, nil).Load(b.Context(), "script", s.wasm(), true)
	if err != nil {
		b.Fatal(err)
	}
	steer, err := m.Controller("script")
	if err != nil {
		b.Fatal(err)
	}
	call := hookCall(abi.OnToolCall, newSession(), strings.Repeat("x", 1024))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := steer.Hook(b.Context(), call); err != nil {
			b.Fatal(err)
		}
	}
}
