package tck

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/abi/tck/internal/archive"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/internal/txtar"
)

// steer runs the hooks of an archive, one session.
func (h *Host) steer(ctx context.Context, a archive.Archive) (map[string]string, error) {
	session, err := played(a)
	if err != nil {
		return nil, err
	}
	if err := h.around.prepare(a); err != nil {
		return nil, err
	}
	controller, err := h.module.Controller("kit-steer")
	if err != nil {
		return nil, err
	}
	got := map[string]string{}
	for i, f := range a.Files {
		if !strings.HasPrefix(f.Name, "on_") {
			continue
		}
		call, err := hookCall(a, f, session)
		if err != nil {
			return nil, err
		}
		before := len(session.Proposed)
		out, err := controller.Hook(ctx, call)
		if err == nil {
			session.Commit(out)
		}
		got[step(i, f)] = effects(out, err) + proposals(session.Proposed[before:])
	}
	return got, nil
}

// step names the hook at position i of an archive.
func step(i int, f txtar.File) string { return fmt.Sprintf("file %d, %s", i+1, f.Name) }

// hookDifferences compares what each hook left with the want behind it.
func hookDifferences(a archive.Archive, got map[string]string) []string {
	var problems []string
	for i, f := range a.Files {
		if f.Name != "want" {
			continue
		}
		name := step(i-1, a.Files[i-1])
		if got[name] != f.Text {
			problems = append(problems, fmt.Sprintf("%s left\n%s\nwant\n%s", name, got[name], f.Text))
		}
	}
	return problems
}

// played is the session of an archive.
func played(a archive.Archive) (*hosttest.Session, error) {
	var set struct {
		Tools []struct {
			Name, Wire         string
			Kind               abi.ToolKind
			Own, Hidden, Stale bool
			Tool               json.RawMessage
		}
		Servers          []flow.ServerState
		Prompts          json.RawMessage
		Bodies, Contents map[string]string
		State            map[string]string
	}
	if err := a.Decode("session", &set); err != nil {
		return nil, err
	}
	s := &hosttest.Session{Role: "kit-steer", ServerStore: set.Servers, PromptList: string(set.Prompts), Bodies: set.Bodies, Contents: set.Contents}
	for _, t := range set.Tools {
		owner := ""
		if t.Own {
			owner = s.Role
		}
		s.Known = append(s.Known, flow.ListedTool{Label: t.Name, Wire: t.Wire, Kind: t.Kind, Owner: owner, Hidden: t.Hidden, Stale: t.Stale, Definition: t.Tool})
	}
	state := map[string][]byte{}
	for key, value := range set.State {
		state[key] = []byte(value)
	}
	s.Commit(abi.HookOutput{State: state})
	return s, nil
}

// hookCall is what an archive gives to a hook.
func hookCall(a archive.Archive, f txtar.File, session *hosttest.Session) (abi.HookCall, error) {
	input := strings.TrimSuffix(f.Text, "\n")
	c := abi.HookCall{Config: []byte(a.Get("config")), Input: []byte(input), Original: []byte(input), Session: "session-1", Host: session}
	c.Context = abi.HookContext{Project: "home", Controller: abi.StagePos{Count: 1}}
	if err := a.Decode("context", &c.Context); err != nil {
		return c, err
	}
	c.Context.Hook = abi.Hook(f.Name)
	called := c.Context.Hook == abi.OnToolCall || c.Context.Hook == abi.OnToolResult
	if !called {
		c.Context.Call = nil
	}
	if c.Context.Hook != abi.OnToolResult {
		c.Context.Result = nil
	}
	if c.Context.Call != nil {
		c.Name, c.Client = c.Context.Call.Tool, []byte(a.Get("client"))
	}
	if a.Has("original") {
		c.Original = []byte(a.Get("original"))
	}
	return c, nil
}

// effects writes down what a hook left.
func effects(out abi.HookOutput, err error) string {
	var e account
	e.outcome(out, err)
	for _, text := range out.Before {
		e.say("before %s", text)
	}
	for _, text := range out.After {
		e.say("after %s", text)
	}
	for _, key := range slices.Sorted(maps.Keys(out.State)) {
		if out.State[key] == nil {
			e.say("deleted %s", key)
			continue
		}
		e.say("state %s: %s", key, out.State[key])
	}
	e.tools(out)
	for _, n := range out.Notes {
		e.say("notified %s %s", n.Method, n.Params)
	}
	for _, key := range slices.Sorted(maps.Keys(out.Meta)) {
		e.say("meta %s: %s", key, out.Meta[key])
	}
	for _, l := range out.Log {
		e.say("log %s %s", l.Level, l.Text)
	}
	return e.String()
}

// account is lines of text.
type account struct{ strings.Builder }

func (e *account) say(form string, args ...any) {
	e.WriteString(strings.TrimRight(fmt.Sprintf(form, args...), " \n") + "\n")
}

func (e *account) outcome(out abi.HookOutput, err error) {
	switch {
	case err != nil:
		e.say("fail %s", strings.TrimPrefix(err.Error(), "failed: "))
	case !out.Done:
		e.say("pass")
	default:
		e.say("done%s", kinds(out))
		if len(out.Answer) > 0 {
			e.say("%s", out.Answer)
		}
	}
}

// tools tells what becomes of the list of tools, and of the call.
func (e *account) tools(out abi.HookOutput) {
	for _, tool := range out.Hidden {
		e.say("hidden %s", tool)
	}
	for _, p := range out.Patches {
		e.say("patched %s %s", p.Tool, p.Patch)
	}
	for _, tool := range out.Tools {
		e.say("added %s %s", tool.Name, tool.Definition)
	}
	if out.Rewrite != nil {
		e.say("rewritten %s %s", out.Rewrite.Tool, out.Rewrite.Arguments)
	}
}

func kinds(out abi.HookOutput) string {
	text := ""
	for i, is := range []bool{out.Whole, out.Error, out.Stages} {
		if is {
			text += []string{" result", " error", " stages"}[i]
		}
	}
	return text
}

func proposals(list []string) string {
	text := ""
	for _, p := range list {
		text += "proposed " + p + "\n"
	}
	return text
}
