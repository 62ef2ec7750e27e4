package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/view"
)

// fakeControllers steers every session by the same script. Each line is a rule; NAME is the
// label of a tool, or * for all:
//
//	off                      there are no controllers
//	instructions TEXT
//	add TOOL                 a virtual tool, by its definition
//	hide NAME
//	patch NAME               its outputSchema goes
//	answer NAME RESULT       in place of the server
//	stages                   answers go through the stages
//	rewrite NAME TOOL ARGS
//	before NAME TEXT         a block, of the call hook; after NAME TEXT
//	result NAME RESULT       replaces the answer of the server
//	wrap NAME TEXT           a block before and one after, of the result hook
//	note NAME METHOD PARAMS  of the call hook; resultnote NAME METHOD of the result
//	                         hook; listnote METHOD of the list hook
//	logs                     they may send log messages
type fakeControllers struct {
	mu     sync.Mutex
	script [][]string
	seen   []string // hooks and their inputs
	views  []flow.Steered
}

func scriptedControllers(script string) *fakeControllers {
	f := &fakeControllers{}
	f.setScript(script)
	return f
}

// setScript replaces the script.
func (f *fakeControllers) setScript(script string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script = nil
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line != "" {
			f.script = append(f.script, strings.SplitN(line, " ", 3))
		}
	}
}

// takeSeen returns the hooks that ran since the last call of saw.
func (f *fakeControllers) takeSeen() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	seen := f.seen
	f.seen = nil
	return strings.Join(seen, "\n")
}

func (f *fakeControllers) recordSeen(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = append(f.seen, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// rules returns the arguments of the rules of one kind, for a tool if it is not empty.
func (f *fakeControllers) rules(kind, tool string) (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.script {
		switch {
		case r[0] != kind:
		case tool == "":
			all = append(all, strings.Join(r[1:], " "))
		case len(r) > 1 && (r[1] == tool || r[1] == "*"):
			all = append(all, strings.Join(r[2:], " "))
		}
	}
	return all
}

func (f *fakeControllers) Steer(s flow.Steered) Steering {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.views = append(f.views, s)
	return &fakeSteering{fakeControllers: f}
}

// fakeSteering steers one session.
type fakeSteering struct {
	*fakeControllers
	virtual []flow.ListedTool // guarded by fakeControllers.mu
}

func (f *fakeSteering) Virtual() []flow.ListedTool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.virtual)
}

// keep adds the missing virtual tools of the session to a list.
func (f *fakeSteering) keep(list []flow.ListedTool) []flow.ListedTool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, old := range f.virtual {
		if !slices.ContainsFunc(list, func(tool flow.ListedTool) bool { return tool.Wire == old.Wire && tool.Kind == abi.ToolVirtual }) {
			list = append(list, old)
		}
	}
	f.virtual = nil
	for _, tool := range list {
		if tool.Hidden = true; tool.Kind == abi.ToolVirtual {
			f.virtual = append(f.virtual, tool)
		}
	}
	return list
}

func (f *fakeSteering) Active() bool { return f.rules("off", "") == nil }

func (f *fakeSteering) Logs() bool { return f.rules("logs", "") != nil }

func (f *fakeSteering) Wants(hook abi.Hook) bool {
	kinds := map[abi.Hook][]string{
		abi.OnInitialize: {"instructions"},
		abi.OnToolsList:  {"add", "hide", "patch", "listnote"},
		abi.OnToolCall:   {"answer", "rewrite", "before", "after", "note"},
		abi.OnToolResult: {"result", "wrap", "resultnote"},
	}[hook]
	return slices.ContainsFunc(kinds, func(kind string) bool { return f.rules(kind, "") != nil })
}

func (f *fakeSteering) Initialize(_ context.Context, params json.RawMessage) ([]byte, []flow.HookReport) {
	f.recordSeen("on_initialize %s", at(string(params), "/clientInfo"))
	return []byte(strings.Join(f.rules("instructions", ""), "\n")), report(abi.OnInitialize)
}

func report(hook abi.Hook) []flow.HookReport {
	return []flow.HookReport{{Role: "fake", Hook: hook, Outcome: "done"}}
}

func (f *fakeSteering) ListTools(_ context.Context, reason string, tools []flow.ListedTool) ([]flow.ListedTool, flow.Effects) {
	var names []string
	for i, tool := range tools {
		names = append(names, tool.Wire)
		tools[i].Hidden = f.rules("hide", tool.Label) != nil
		if f.rules("patch", tool.Label) != nil {
			p := jsonedit.Patch{Source: tool.Definition}
			p.EditObject(0, func(key []byte) bool { return string(key) == `"outputSchema"` })
			tools[i].Definition = p.Apply()
		}
	}
	f.recordSeen("on_tools_list %s %s", reason, strings.Join(names, " "))
	for _, definition := range f.rules("add", "") {
		name := strings.Trim(at(definition, "/name"), `"`)
		tools = append(tools, flow.ListedTool{Label: name, Wire: name, Kind: abi.ToolVirtual, Owner: "fake", Definition: json.RawMessage(definition)})
	}
	return f.keep(tools), flow.Effects{Reports: report(abi.OnToolsList), Notes: notes(f.rules("listnote", ""))}
}

func (f *fakeSteering) Call(_ context.Context, c flow.SteeredCall) (v flow.CallVerdict) {
	f.recordSeen("on_tool_call %s %s listed %v", c.Tool.Label, c.Arguments, c.Listed)
	tool := c.Tool.Label
	v.Before, v.After, v.Notes = texts(f.rules("before", tool)), texts(f.rules("after", tool)), notes(f.rules("note", tool))
	v.Reports = report(abi.OnToolCall)
	for _, result := range f.rules("answer", tool) {
		v.Answer, v.By = &flow.SteeredAnswer{Result: json.RawMessage(result), Stages: f.rules("stages", "") != nil}, "fake"
	}
	for _, to := range f.rules("rewrite", tool) {
		name, args, _ := strings.Cut(to, " ")
		v.Tool, v.Arguments = name, json.RawMessage(args)
	}
	return v
}

func (f *fakeSteering) Result(_ context.Context, c flow.SteeredCall, _ flow.CallVerdict, r flow.SteeredResult) (v flow.ResultVerdict) {
	f.recordSeen("on_tool_result %s by %s isError %v protocolError %v contents %v: %s", c.Tool.Label, r.AnsweredBy, r.IsError, r.ProtocolError, r.Contents, r.Result)
	tool := c.Tool.Label
	v.Before, v.Notes = texts(f.rules("wrap", tool)), notes(f.rules("resultnote", tool))
	v.After, v.Reports = v.Before, report(abi.OnToolResult)
	for _, result := range f.rules("result", tool) {
		v.Answer = &flow.SteeredAnswer{Result: json.RawMessage(result), Stages: f.rules("stages", "") != nil}
	}
	return v
}

func (f *fakeSteering) Close(reason string) { f.recordSeen("on_close %s", reason) }

func texts(all []string) (b [][]byte) {
	for _, text := range all {
		b = append(b, []byte(text))
	}
	return b
}

func notes(methods []string) (all []abi.Note) {
	for _, m := range methods {
		method, params, _ := strings.Cut(m, " ")
		n := abi.Note{Method: method}
		if params != "" {
			n.Params = json.RawMessage(params)
		}
		all = append(all, n)
	}
	return all
}

// fakeLibrary is a Library in memory.
type fakeLibrary []struct{ name, text string }

func (l fakeLibrary) List(flow.Scope) (all []json.RawMessage) {
	for _, p := range l {
		all = append(all, jsonedit.Object(jsonedit.String("uri", LibraryPrefix+p.name), jsonedit.String("name", p.name), jsonedit.String("mimeType", "text/markdown")))
	}
	return all
}

func (l fakeLibrary) Rules(flow.Scope) []string { return nil }

func (l fakeLibrary) Read(_ context.Context, _ flow.Scope, uri string) (string, []byte, error) {
	for _, p := range l {
		if uri == LibraryPrefix+p.name {
			return p.name, []byte(p.text), nil
		}
	}
	return "", nil, abi.ErrNotFound
}

// repeater is a Transformer that counts its runs, and repeats results.
type repeater struct {
	view.Transformer
	runs, repeats int
}

func (r *repeater) Transform(_ context.Context, _ flow.Scope, c flow.Content) (flow.Shown, error) {
	r.runs++
	return flow.Shown{Changed: true, Text: fmt.Appendf(nil, "%d bytes, run %d", len(c.Bytes), r.runs), Ref: "r", Final: true}, nil
}

func (r *repeater) Filter(context.Context, flow.Scope, flow.Content) (flow.Shown, error) {
	return flow.Shown{Ref: "r"}, nil
}

func (r *repeater) Epoch() uint64 { return 0 }

func (r *repeater) Repeat(flow.Scope, []string, []flow.RunReport) bool {
	r.repeats++
	return true
}
