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

// runController runs the hooks of an archive in one session.
func (h *Host) runController(ctx context.Context, a archive.Archive) (map[string]string, error) {
	session, err := newSession(a)
	if err != nil {
		return nil, err
	}
	if err := h.env.prepare(a); err != nil {
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
		got[hookName(i, f)] = describeHook(out, err) + proposals(session.Proposed[before:])
	}
	return got, nil
}

// hookName names the hook at position i of an archive.
func hookName(i int, f txtar.File) string { return fmt.Sprintf("file %d, %s", i+1, f.Name) }

// compareHooks returns the differences between the result of each hook and the file want
// after it.
func compareHooks(a archive.Archive, got map[string]string) []string {
	var problems []string
	for i, f := range a.Files {
		if f.Name != "want" {
			continue
		}
		name := hookName(i-1, a.Files[i-1])
		if got[name] != f.Text {
			problems = append(problems, fmt.Sprintf("%s left\n%s\nwant\n%s", name, got[name], f.Text))
		}
	}
	return problems
}

// newSession returns the session that an archive describes.
func newSession(a archive.Archive) (*hosttest.Session, error) {
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

// hookCall returns the call of a hook that an archive describes.
func hookCall(a archive.Archive, f txtar.File, session *hosttest.Session) (abi.HookCall, error) {
	input := strings.TrimSuffix(f.Text, "\n")
	c := abi.HookCall{Config: []byte(a.Get("config")), Input: []byte(input), Original: []byte(input), Session: "session-1", Host: session}
	c.Context = abi.HookContext{Project: "home", Controller: abi.StagePos{Count: 1}}
	if err := a.Decode("context", &c.Context); err != nil {
		return c, err
	}
	c.Context.Hook = abi.Hook(f.Name)
	isCall := c.Context.Hook == abi.OnToolCall || c.Context.Hook == abi.OnToolResult
	if !isCall {
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

// describeHook returns the result of a hook as text.
func describeHook(out abi.HookOutput, err error) string {
	var t transcript
	t.addOutcome(out, err)
	for _, text := range out.Before {
		t.add("before %s", text)
	}
	for _, text := range out.After {
		t.add("after %s", text)
	}
	for _, key := range slices.Sorted(maps.Keys(out.State)) {
		if out.State[key] == nil {
			t.add("deleted %s", key)
			continue
		}
		t.add("state %s: %s", key, out.State[key])
	}
	t.addTools(out)
	for _, n := range out.Notes {
		t.add("notified %s %s", n.Method, n.Params)
	}
	for _, key := range slices.Sorted(maps.Keys(out.Meta)) {
		t.add("meta %s: %s", key, out.Meta[key])
	}
	for _, l := range out.Log {
		t.add("log %s %s", l.Level, l.Text)
	}
	return t.String()
}

// transcript is lines of text.
type transcript struct{ strings.Builder }

func (t *transcript) add(format string, args ...any) {
	t.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " \n") + "\n")
}

func (t *transcript) addOutcome(out abi.HookOutput, err error) {
	switch {
	case err != nil:
		t.add("fail %s", strings.TrimPrefix(err.Error(), "failed: "))
	case !out.Done:
		t.add("pass")
	default:
		t.add("done%s", kinds(out))
		if len(out.Answer) > 0 {
			t.add("%s", out.Answer)
		}
	}
}

// addTools adds the changes to the list of tools and to the call.
func (t *transcript) addTools(out abi.HookOutput) {
	for _, tool := range out.Hidden {
		t.add("hidden %s", tool)
	}
	for _, p := range out.Patches {
		t.add("patched %s %s", p.Tool, p.Patch)
	}
	for _, tool := range out.Tools {
		t.add("added %s %s", tool.Name, tool.Definition)
	}
	if out.Rewrite != nil {
		t.add("rewritten %s %s", out.Rewrite.Tool, out.Rewrite.Arguments)
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
