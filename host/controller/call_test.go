package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// observe returns a hook that sets saw to f of its arguments and passes.
func observe(saw *string, f func(c abi.HookCall) string) hookFunc {
	return func(_ context.Context, c abi.HookCall) (abi.HookOutput, error) {
		*saw = f(c)
		return abi.HookOutput{}, nil
	}
}

func TestCall(t *testing.T) {
	const text = `{"content":[{"type":"text","text":%q}]%s}`
	tests := []struct {
		rule   string
		tool   flow.ListedTool
		hook   hookFunc
		block  bool
		answer string // "" if the call is routed
		stages bool
		to     string
		report string
	}{
		{rule: "PASS routes", hook: returning(abi.HookOutput{}), report: "pass"},
		{rule: "text becomes one block", hook: answering("a \"b\"\n"), answer: fmt.Sprintf(text, "a \"b\"\n", ""), report: "done"},
		{rule: "an error answer sets isError", hook: returning(abi.HookOutput{Done: true, Answer: []byte("no"), Error: true}), answer: fmt.Sprintf(text, "no", `,"isError":true`), report: "done"},
		{rule: "a whole result is unchanged", hook: returning(abi.HookOutput{Done: true, Whole: true, Answer: []byte(`{ "content":[] }`)}), answer: `{ "content":[] }`, report: "done"},
		{rule: "an error sets isError of a whole result", hook: returning(abi.HookOutput{Done: true, Whole: true, Error: true, Answer: []byte(`{"isError":false,"content":[]}`)}), answer: `{"isError":true,"content":[]}`, report: "done"},
		{rule: "an answer may request the stages", hook: returning(abi.HookOutput{Done: true, Answer: []byte("x"), Stages: true}), answer: fmt.Sprintf(text, "x", ""), stages: true, report: "done"},
		{rule: "a rewrite routes to the other tool", hook: returning(abi.HookOutput{Rewrite: &abi.CallRewrite{Tool: "files__write", Arguments: json.RawMessage(`{"m":2}`)}}), to: `files/write {"m":2}`, report: "pass"},
		{rule: "DONE beats a rewrite", hook: returning(abi.HookOutput{Done: true, Answer: []byte("x"), Rewrite: &abi.CallRewrite{Tool: "files/write"}}), answer: fmt.Sprintf(text, "x", ""), report: "done"},
		{rule: "a rewrite to an unknown tool fails the hook", hook: returning(abi.HookOutput{Rewrite: &abi.CallRewrite{Tool: "files/none"}}),
			report: `failed: controller "a": on_tool_call routes the call to "files/none": no such tool, call routed`},
		{rule: "a rewrite to a virtual tool fails the hook", hook: returning(abi.HookOutput{Rewrite: &abi.CallRewrite{Tool: "begin"}}),
			report: `failed: controller "a": on_tool_call routes the call to "begin", which is no tool of a server, call routed`},
		{rule: "a failed hook routes", hook: failing(), report: `failed: controller "a": on_tool_call guest trapped: unreachable, call routed`},
		{rule: "a failed hook with onFailure block blocks", hook: failing(), block: true, answer: fmt.Sprintf(text, `controller "a" failed, so the call was not made`, `,"isError":true`),
			report: `failed: controller "a": on_tool_call guest trapped: unreachable, call blocked`},
		{rule: "a failed hook of the tool's owner answers with an error", tool: virtual("begin", "a"), hook: failing(), answer: fmt.Sprintf(text, `controller "a" failed at its tool begin`, `,"isError":true`),
			report: `failed: controller "a": on_tool_call guest trapped: unreachable, call answered by an error`},
		{rule: "an unanswered virtual tool is an error", tool: virtual("begin", "a"), hook: returning(abi.HookOutput{}), answer: fmt.Sprintf(text, `tool begin: controller "a" gave no answer`, `,"isError":true`), report: "pass"},
		{rule: "a virtual tool without its owner is an error", tool: virtual("begin", "gone"), hook: returning(abi.HookOutput{}),
			answer: fmt.Sprintf(text, `tool begin belongs to the controller "gone", which the project has no more: list the tools again`, `,"isError":true`)},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			p := oneHook("a", abi.OnToolCall, tt.hook)
			p.block = tt.block
			r := newRig(t, p)
			r.listed = append(r.listed, virtual("begin", "b"))
			if tt.tool.Label == "" {
				tt.tool = r.listed[0]
			}
			v := r.Call(t.Context(), aCall(tt.tool))
			switch {
			case (v.Answer != nil) != (tt.answer != ""):
				t.Fatalf("answer %v, want %q", v.Answer, tt.answer)
			case v.Answer != nil && (string(v.Answer.Result) != tt.answer || v.Answer.Stages != tt.stages):
				t.Errorf("answer %s, stages %v\nwant %s, %v", v.Answer.Result, v.Answer.Stages, tt.answer, tt.stages)
			case v.Answer != nil && v.By == "":
				t.Error("an answer without By")
			}
			if got := strings.TrimSpace(v.Tool + " " + string(v.Arguments)); v.Answer == nil && got != tt.to {
				t.Errorf("routed to %q, want %q", got, tt.to)
			}
			if got := reports(v.Reports); got != tt.report {
				t.Errorf("report %q\n  want %q", got, tt.report)
			}
		})
	}
}

func reports(list []flow.HookReport) string {
	var lines []string
	for _, r := range list {
		line := r.Outcome
		if r.Error != "" {
			line += ": " + r.Error
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// A failed hook has no effects, and the state of earlier hooks is unchanged.
func TestFailedHookHasNoEffects(t *testing.T) {
	everything := abi.HookOutput{
		Before: [][]byte{[]byte("before")}, After: [][]byte{[]byte("after")}, Notes: []abi.Note{{Method: "notifications/message"}},
		State: map[string][]byte{"k": []byte("new")}, Rewrite: &abi.CallRewrite{Tool: "files/write", Arguments: json.RawMessage(`{}`)},
		Log: []abi.LogLine{{Text: "line"}},
	}
	tests := []struct {
		rule string
		hook hookFunc
		kept string
	}{
		{"passes", returning(everything), "new"},
		{"traps", func(context.Context, abi.HookCall) (abi.HookOutput, error) {
			return everything, fmt.Errorf("guest trapped")
		}, "old"},
		{"invalid rewrite", func(context.Context, abi.HookCall) (abi.HookOutput, error) {
			out := everything
			out.Rewrite = &abi.CallRewrite{Tool: "nowhere"}
			return out, nil
		}, "old"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			r := newRig(t, oneHook("a", abi.OnToolCall, returning(abi.HookOutput{State: map[string][]byte{"k": []byte("old")}})))
			r.Call(t.Context(), aCall(r.listed[0]))
			r.set(true, oneHook("a", abi.OnToolCall, tt.hook))
			v := r.Call(t.Context(), aCall(r.listed[0]))
			committed := tt.kept == "new"
			if (len(v.Before) == 1) != committed || (len(v.After) == 1) != committed || (len(v.Notes) == 1) != committed || (v.Tool != "") != committed {
				t.Errorf("effects: %+v", v)
			}
			if got := string(r.roles["a"].state.values["k"]); got != tt.kept {
				t.Errorf("state %q, want %q", got, tt.kept)
			}
			if got := v.Reports[0]; len(got.Log) != 1 {
				t.Errorf("the log was lost: %+v", got)
			}
		})
	}
}

// Buffers 0 and 4 contain the rewritten call, buffers 1 and 7 the client's call.
func TestHooksAfterRewriteSeeBothCalls(t *testing.T) {
	var saw string
	see := observe(&saw, func(c abi.HookCall) string {
		b, _ := json.Marshal(c.Context.Call)
		return fmt.Sprintf("%s|%s|%s|%s|%s", c.Input, c.Original, c.Name, c.Client, b)
	})
	rewrite := returning(abi.HookOutput{Rewrite: &abi.CallRewrite{Tool: "files__look", Arguments: json.RawMessage(`{"m":2}`)}})
	r := newRig(t, oneHook("a", abi.OnToolCall, see), oneHook("b", abi.OnToolCall, rewrite))
	look := upstream("files/look")
	look.Definition = json.RawMessage(`{"annotations":{"readOnlyHint":true}}`)
	r.listed = append(r.listed, look)

	r.Call(t.Context(), aCall(virtual("go", "b")))
	if want := `{"n":1}|{"n":1}|go|{"name":"go","arguments":{"n":1}}|{"id":"c1","tool":"go","wire":"go","virtual":true,"rewritten":false,"listed":true,"readOnly":false}`; saw != want {
		t.Errorf("before:\n got %s\nwant %s", saw, want)
	}
	r.set(true, oneHook("b", abi.OnToolCall, rewrite), part{role: "a", hooks: map[abi.Hook]hookFunc{abi.OnToolCall: see, abi.OnToolResult: see}})
	after := `|files/look|{"name":"go","arguments":{"n":1}}|{"id":"c1","tool":"files/look","wire":"files__look","virtual":false,"rewritten":true,"listed":true,"readOnly":true}`
	v := r.Call(t.Context(), aCall(virtual("go", "b")))
	if want := `{"m":2}|{"n":1}` + after; saw != want {
		t.Errorf("after:\n got %s\nwant %s", saw, want)
	}
	if v.Reports[0].Rewrite != "files__look" {
		t.Errorf("the report does not name the rewrite: %+v", v.Reports[0])
	}
	r.Result(t.Context(), aCall(virtual("go", "b")), v, flow.SteeredResult{Result: json.RawMessage(`{"content":[]}`)})
	if want := `{"content":[]}|{"content":[]}` + after; saw != want {
		t.Errorf("result:\n got %s\nwant %s", saw, want)
	}
}

func TestHookContext(t *testing.T) {
	var saw abi.HookCall
	r := newRig(t, oneHook("x", abi.OnClose, nil), oneHook("a", abi.OnToolCall, func(_ context.Context, c abi.HookCall) (abi.HookOutput, error) {
		saw = c
		return abi.HookOutput{}, nil
	}))
	v := r.Call(t.Context(), aCall(r.listed[0]))
	c := saw.Context
	if c.ABI != abi.Version || c.Role != "a" || c.Kind != abi.KindController || c.Hook != abi.OnToolCall || c.Project != "home" || !c.Gated ||
		c.TimeMs != 1763719800000 || c.Protocol != "2025-11-25" || c.Controller != (abi.StagePos{Index: 1, Count: 2}) ||
		c.Limits.OutputBytes != 4*len(saw.Input)+1<<20 || c.Client.Name != "claude-code" || c.Result != nil || saw.Session != "s1" || string(saw.Config) != "{}" {
		t.Errorf("got %+v", saw)
	}
	if got := v.Reports[0].TimeMs; got != c.TimeMs {
		t.Errorf("time of the report %d, of the hook %d", got, c.TimeMs)
	}
	if got := string(saw.Host.Servers()); got != `[{"name":"files","state":"ready","tools":2,"error":""}]` {
		t.Errorf("servers: %s", got)
	}
	if got := string(saw.Host.Prompts()); got != "[]" {
		t.Errorf("prompts without a provider: %s", got)
	}
}

func TestCancelledCallIsNotRouted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var d hookLog
	r := newRig(t, oneHook("a", abi.OnToolCall, func(ctx context.Context, c abi.HookCall) (abi.HookOutput, error) {
		cancel()
		return abi.HookOutput{}, fmt.Errorf("run given up: %w", context.Canceled)
	}), d.recordHooks("b", nil))
	v := r.Call(ctx, aCall(r.listed[0]))
	if v.Answer == nil || !isError(v.Answer.Result) || len(d.take()) != 0 {
		t.Errorf("a cancelled call was routed: %+v", v)
	}
	if rv := r.Result(ctx, aCall(r.listed[0]), v, flow.SteeredResult{}); rv.Answer != nil || len(d.take()) != 0 {
		t.Errorf("result hooks ran: %+v", rv)
	}
}

// Without server prefixes, the wire name of a tool can equal the label of another.
func TestLabelsPrecedeWireNames(t *testing.T) {
	posing := flow.ListedTool{Label: "s/s/safe", Wire: "s/safe", Kind: abi.ToolUpstream}
	safe := flow.ListedTool{Label: "s/safe", Wire: "safe", Kind: abi.ToolUpstream, Definition: json.RawMessage(`{"annotations":{"readOnlyHint":true}}`)}
	var found *abi.CalledTool
	r := newRig(t,
		oneHook("a", abi.OnToolCall, returning(abi.HookOutput{Rewrite: &abi.CallRewrite{Tool: "s/safe", Arguments: json.RawMessage(`{}`)}})),
		oneHook("b", abi.OnToolCall, func(_ context.Context, c abi.HookCall) (abi.HookOutput, error) {
			found = c.Context.Call
			return abi.HookOutput{}, nil
		}),
		oneHook("c", abi.OnToolsList, returning(abi.HookOutput{Hidden: []string{"s/safe"}})))
	r.listed = []flow.ListedTool{posing, safe}
	v := r.Call(t.Context(), aCall(virtual("go", "c")))
	if v.Tool != "s/safe" || found == nil || found.Wire != "safe" || !found.ReadOnly || !found.Rewritten {
		t.Errorf("routed to %q, seen as %+v", v.Tool, found)
	}
	list, _ := r.ListTools(t.Context(), "list", []flow.ListedTool{posing, safe})
	if list[0].Hidden || !list[1].Hidden {
		t.Errorf("hidden: %v, %v", list[0].Hidden, list[1].Hidden)
	}
}
