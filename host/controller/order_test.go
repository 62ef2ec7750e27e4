package controller

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

func TestHookOrder(t *testing.T) {
	call, result := abi.OnToolCall, abi.OnToolResult
	rewrite := returning(abi.HookOutput{Rewrite: &abi.CallRewrite{Tool: "files/write", Arguments: json.RawMessage(`{}`)}})
	type hooks = map[abi.Hook]hookFunc
	tests := []struct {
		rule    string
		a, b, c hooks
		run     func(r *rig)
		want    []string
	}{
		{"on_initialize in list order", nil, nil, nil, func(r *rig) { r.Initialize(t.Context(), nil) },
			[]string{"a on_initialize", "b on_initialize", "c on_initialize"}},
		{"on_tools_list in list order", nil, nil, nil, func(r *rig) { r.ListTools(t.Context(), "list", r.listed) },
			[]string{"a on_tools_list", "b on_tools_list", "c on_tools_list"}},
		{"on_tool_call in list order", nil, nil, nil, func(r *rig) { r.Call(t.Context(), aCall(r.listed[0])) },
			[]string{"a on_tool_call", "b on_tool_call", "c on_tool_call"}},
		{"on_tool_call until the first DONE", nil, hooks{call: answering("b")}, nil, func(r *rig) { r.Call(t.Context(), aCall(r.listed[0])) },
			[]string{"a on_tool_call", "b on_tool_call"}},
		{"on_tool_call continues after a rewrite", rewriteHook(rewrite), nil, nil, func(r *rig) { r.Call(t.Context(), aCall(r.listed[0])) },
			[]string{"a on_tool_call", "b on_tool_call", "c on_tool_call"}},
		{"on_tool_call continues after a failure", hooks{call: failing()}, nil, nil, func(r *rig) { r.Call(t.Context(), aCall(r.listed[0])) },
			[]string{"a on_tool_call", "b on_tool_call", "c on_tool_call"}},
		{"a call of a virtual tool ends at its owner", nil, nil, nil, func(r *rig) { r.Call(t.Context(), aCall(virtual("v", "b"))) },
			[]string{"a on_tool_call", "b on_tool_call"}},
		{"a controller before the owner may answer", hooks{call: answering("a")}, nil, nil, func(r *rig) { r.Call(t.Context(), aCall(virtual("v", "b"))) },
			[]string{"a on_tool_call"}},
		{"a rewritten call of a virtual tool passes the whole chain", nil, rewriteHook(rewrite), nil, func(r *rig) { r.Call(t.Context(), aCall(virtual("v", "b"))) },
			[]string{"a on_tool_call", "b on_tool_call", "c on_tool_call"}},
		{"no hook runs for a virtual tool without its owner", nil, nil, nil, func(r *rig) { r.Call(t.Context(), aCall(virtual("v", "gone"))) }, nil},
		{"on_tool_result in reverse order", nil, nil, nil, func(r *rig) { r.Result(t.Context(), aCall(r.listed[0]), flow.CallVerdict{}, flow.SteeredResult{}) },
			[]string{"c on_tool_result", "b on_tool_result", "a on_tool_result"}},
		{"on_tool_result continues after DONE", nil, nil, hooks{result: answering("c")}, func(r *rig) { r.Result(t.Context(), aCall(r.listed[0]), flow.CallVerdict{}, flow.SteeredResult{}) },
			[]string{"c on_tool_result", "b on_tool_result", "a on_tool_result"}},
		{"on_tool_result only of controllers before the one that answered", nil, nil, nil, func(r *rig) {
			r.Result(t.Context(), aCall(r.listed[0]), flow.CallVerdict{By: "c"}, flow.SteeredResult{})
		},
			[]string{"b on_tool_result", "a on_tool_result"}},
		{"no on_tool_result if the first controller answered", nil, nil, nil, func(r *rig) {
			r.Result(t.Context(), aCall(r.listed[0]), flow.CallVerdict{By: "a"}, flow.SteeredResult{})
		}, nil},
		{"no on_tool_result if the controller that answered is not in the chain", nil, nil, nil, func(r *rig) {
			r.Result(t.Context(), aCall(r.listed[0]), flow.CallVerdict{By: "gone"}, flow.SteeredResult{})
		}, nil},
		{"on_close in reverse order", nil, nil, nil, func(r *rig) {
			r.Initialize(t.Context(), nil)
			r.Session.Close("idle")
			r.Chains.Close(t.Context())
		}, []string{"a on_initialize", "b on_initialize", "c on_initialize", "c on_close", "b on_close", "a on_close"}},
		{"no on_close in a session without hooks", nil, nil, nil, func(r *rig) { r.Session.Close("idle"); r.Chains.Close(t.Context()) }, nil},
		{"no hook after on_close", nil, nil, nil, func(r *rig) { r.Session.Close("idle"); r.Call(t.Context(), aCall(r.listed[0])) }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			var d hookLog
			r := newRig(t, d.recordHooks("a", tt.a), d.recordHooks("b", tt.b), d.recordHooks("c", tt.c))
			tt.run(r)
			equal(t, "asked", d.take(), tt.want)
		})
	}
}

func rewriteHook(f hookFunc) map[abi.Hook]hookFunc { return map[abi.Hook]hookFunc{abi.OnToolCall: f} }

func TestControllersWithoutTheHookAreSkipped(t *testing.T) {
	var d hookLog
	all := d.recordHooks("a", nil)
	calls := d.recordHooks("b", nil)
	calls.only = []abi.Hook{abi.OnToolCall}
	lacking := part{role: "c", hooks: map[abi.Hook]hookFunc{}} // its module exports none
	gate := d.recordHooks("gate", nil)
	gate.gated = true

	r := newRig(t, all, calls, lacking, gate)
	_, reports := r.Initialize(t.Context(), nil)
	equal(t, "by manifest and by exports of the module", d.take(), []string{"a on_initialize", "gate on_initialize"})
	if len(reports) != 2 {
		t.Errorf("reports %v, want none of missing hooks", reports)
	}
	r.set(false, gate, calls)
	r.Initialize(t.Context(), nil)
	equal(t, "gatedOnly where gated is false", d.take(), nil)
	if !r.Active() || r.Wants(abi.OnInitialize) || !r.Wants(abi.OnToolCall) {
		t.Error("hooks of the chain differ from those of its members")
	}
	r.set(false, gate)
	if r.Active() || r.Wants(abi.OnToolCall) {
		t.Error("a session without controllers is active")
	}
	tools, _ := r.ListTools(t.Context(), "list", r.listed)
	if v := r.Call(t.Context(), aCall(r.listed[0])); v.Answer != nil || v.Reports != nil || &tools[0] != &r.listed[0] {
		t.Errorf("effects without controllers: %+v", v)
	}
	r.home.chain = nil
	if r.Active() || len(d.take()) != 0 {
		t.Error("a project without a chain is active")
	}
	if tools, _ := r.ListTools(t.Context(), "list", r.listed); !slices.EqualFunc(tools, r.listed, func(x, y flow.ListedTool) bool { return x.Label == y.Label }) {
		t.Error("the list was changed")
	}
}
