package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// shape formats a list: +listed or -hidden, with the owner.
func shape(tools []flow.ListedTool) string {
	var out []string
	for _, t := range tools {
		sign := "+"
		if t.Hidden {
			sign = "-"
		}
		name := sign + t.Label
		if t.Owner != "" {
			name += "@" + t.Owner
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func adds(names ...string) hookFunc {
	var out abi.HookOutput
	for _, n := range names {
		out.Tools = append(out.Tools, abi.VirtualTool{Name: n, Definition: json.RawMessage(`{"name":"` + n + `"}`)})
	}
	return returning(out)
}

func TestListTools(t *testing.T) {
	tests := []struct {
		rule string
		a, b hookFunc
		want string
	}{
		{"unchanged", nil, nil, "+files/read +files/write"},
		{"hidden by label and by wire name", returning(abi.HookOutput{Hidden: []string{"files/read", "files__write"}}), nil, "-files/read -files/write"},
		{"hiding an unknown tool does nothing", returning(abi.HookOutput{Hidden: []string{"files/none"}}), nil, "+files/read +files/write"},
		{"virtual tools first, in chain order", adds("z", "y"), adds("x"), "+z@a +y@a +x@b +files/read +files/write"},
		{"a tool of an earlier controller may be hidden", adds("z"), returning(abi.HookOutput{Hidden: []string{"z"}}), "-z@a +files/read +files/write"},
		{"a tool of another controller fails the hook", adds("z"), returning(abi.HookOutput{
			Tools: []abi.VirtualTool{{Name: "x"}, {Name: "z"}}, Hidden: []string{"files/read"}}), "+z@a +files/read +files/write"},
		{"a tool of the host fails the hook", adds("read_section"), nil, "+files/read +files/write"},
		{"a patch with too deep nesting fails the hook", returning(abi.HookOutput{Hidden: []string{"files/read"},
			Patches: []abi.ToolPatch{{Tool: "files/write", Patch: json.RawMessage(strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200))}}}), nil, "+files/read +files/write"},
		{"a name added twice in one hook is one tool", adds("z", "z"), nil, "+z@a +files/read +files/write"},
		{"a failed hook does not affect the other ones", failing(), adds("x"), "+x@b +files/read +files/write"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			r := newRig(t, oneHook("a", abi.OnToolsList, tt.a), oneHook("b", abi.OnToolsList, tt.b))
			in := append(r.listed, flow.ListedTool{Label: "read_section", Wire: "read_section", Kind: abi.ToolHost})
			before := shape(in)
			got, _ := r.ListTools(t.Context(), "list", in)
			if want := tt.want + " +read_section"; shape(got) != want {
				t.Errorf("got %s\nwant %s", shape(got), want)
			}
			if shape(in) != before {
				t.Errorf("the input was changed to %s", shape(in))
			}
		})
	}
}

func TestPatchesOfTools(t *testing.T) {
	patch := returning(abi.HookOutput{Patches: []abi.ToolPatch{{Tool: "files/read", Patch: json.RawMessage(`{"outputSchema":null,"name":"x"}`)}, {Tool: "v", Patch: json.RawMessage(`{"title":"V"}`)}}})
	r := newRig(t, oneHook("a", abi.OnToolsList, returning(abi.HookOutput{Tools: []abi.VirtualTool{{Name: "v",
		Definition: json.RawMessage(`{"name":"v","_meta":{"anthropic/alwaysLoad":true}}`)}}})), oneHook("b", abi.OnToolsList, patch))
	got, _ := r.ListTools(t.Context(), "list", r.listed)
	if want := `{"name":"v","_meta":{"anthropic/alwaysLoad":true},"title":"V"}`; string(got[0].Definition) != want {
		t.Errorf("virtual: %s, want %s", got[0].Definition, want)
	}
	if want := `{"name":"files__read"}`; string(got[1].Definition) != want {
		t.Errorf("upstream: %s, want %s", got[1].Definition, want)
	}
	if want := `{"name":"files__read","outputSchema":{"type":"object"}}`; string(r.listed[0].Definition) != want {
		t.Errorf("the input was changed: %s", r.listed[0].Definition)
	}
}

// A virtual tool keeps its owner during the session, even if it is not listed or the
// owner is not in the chain.
func TestVirtualToolKeepsItsOwner(t *testing.T) {
	r := newRig(t, oneHook("a", abi.OnToolsList, adds("z", "y")))
	r.ListTools(t.Context(), "list", r.listed)
	steps := []struct {
		rule  string
		parts []part
		want  string
	}{
		{"not added again: hidden, after added tools", []part{oneHook("a", abi.OnToolsList, adds("y"))}, "+y@a -z@a +files/read +files/write"},
		{"not added at all", []part{oneHook("a", abi.OnToolsList, returning(abi.HookOutput{}))}, "-z@a -y@a +files/read +files/write"},
		{"owner not in the chain, name still reserved", []part{oneHook("b", abi.OnToolsList, adds("z"))}, "-z@a -y@a +files/read +files/write"},
		{"no controllers", nil, "-z@a -y@a +files/read +files/write"},
		{"owner in the chain again", []part{oneHook("b", abi.OnToolsList, adds("x")), oneHook("a", abi.OnToolsList, adds("z"))}, "+x@b +z@a -y@a +files/read +files/write"},
	}
	for _, step := range steps {
		r.set(true, step.parts...)
		got, _ := r.ListTools(t.Context(), "list", r.listed)
		if shape(got) != step.want {
			t.Errorf("%s: got %s\nwant %s", step.rule, shape(got), step.want)
		}
	}
	other := r.session()
	if got, _ := other.ListTools(t.Context(), "list", r.listed); strings.Contains(shape(got), "y@a") {
		t.Errorf("tools in another session: %s", shape(got))
	}
}

func TestVirtualToolsAreLimited(t *testing.T) {
	names := func(from, n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("t%d", from+i))
		}
		return list
	}
	r := newRig(t, oneHook("a", abi.OnToolsList, adds(names(0, abi.LimitVirtualTools)...)))
	r.ListTools(t.Context(), "list", nil)
	r.set(true, oneHook("a", abi.OnToolsList, adds(names(1, abi.LimitVirtualTools)...)))
	_, fx := r.ListTools(t.Context(), "list", nil)
	if want := `failed: controller "a": on_tools_list adds 65 virtual tools to the session (limit 64), list unchanged`; reports(fx.Reports) != want {
		t.Errorf("got %s\nwant %s", reports(fx.Reports), want)
	}
}

func TestSessionTools(t *testing.T) {
	saw := make(map[string]string)
	see := func(out abi.HookOutput) hookFunc {
		return func(_ context.Context, c abi.HookCall) (abi.HookOutput, error) {
			saw[c.Context.Role] = string(c.Host.Tools())
			kind, owner, ok := c.Host.Tool("v")
			saw[c.Context.Role+" v"] = fmt.Sprint(kind, owner, ok)
			kind, owner, ok = c.Host.Tool("files__read")
			saw[c.Context.Role+" wire"] = fmt.Sprint(kind, owner, ok)
			return out, nil
		}
	}
	v := abi.HookOutput{Tools: []abi.VirtualTool{{Name: "v", Definition: json.RawMessage(`{"name":"v"}`)}}, Hidden: []string{"files/read"}}
	r := newRig(t, oneHook("a", abi.OnToolsList, see(v)), oneHook("b", abi.OnToolsList, see(abi.HookOutput{})))
	r.ListTools(t.Context(), "list", []flow.ListedTool{{Label: "files/read", Wire: "files__read", Kind: abi.ToolUpstream, Stale: true, Definition: json.RawMessage(`{"name":"files__read","x":1e3}`)}})
	read := `{"name":"files/read","wire":"files__read","kind":"upstream","own":false,"hidden":%v,"stale":true,"tool":{"name":"files__read","x":1e3}}`
	virtual := `{"name":"v","wire":"v","kind":"virtual","own":%v,"hidden":%v,"stale":false,"tool":{"name":"v"}}`
	want := map[string]string{
		"a": "[" + fmt.Sprintf(read, false) + "]", "a v": "  false", "a wire": "upstream true",
		"b": "[" + fmt.Sprintf(virtual, false, false) + "," + fmt.Sprintf(read, true) + "]", "b v": "virtuala true", "b wire": "upstream true",
	}
	for k, w := range want {
		if strings.ReplaceAll(saw[k], " ", "") != strings.ReplaceAll(w, " ", "") {
			t.Errorf("%s:\n got %s\nwant %s", k, saw[k], w)
		}
	}
	// Outside a listing: the tools of the session with the virtual tools added before.
	r.listed = nil
	r.set(true, oneHook("a", abi.OnToolCall, see(abi.HookOutput{})))
	r.Call(t.Context(), aCall(upstream("files/read")))
	if want := "[" + fmt.Sprintf(virtual, true, true) + "]"; saw["a"] != want {
		t.Errorf("in a call:\n got %s\nwant %s", saw["a"], want)
	}
}

func TestErrorsKeepTheirKind(t *testing.T) {
	for kind, err := range map[error]error{
		abi.ErrLimit:    (&state{}).check(map[string][]byte{"k": make([]byte, abi.LimitStateBytes)}),
		abi.ErrConfig:   checkEdits(&abi.HookOutput{Patches: []abi.ToolPatch{{Patch: json.RawMessage(`{`)}}}, nil),
		abi.ErrNotFound: checkEdits(&abi.HookOutput{Rewrite: &abi.CallRewrite{Tool: "x"}}, &hookInput{tools: &toolset{loaded: true}}),
	} {
		if !errors.Is(err, kind) {
			t.Errorf("%v is not %v", err, kind)
		}
	}
}
