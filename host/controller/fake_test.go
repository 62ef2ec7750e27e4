package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// hookFunc is the implementation of one hook.
type hookFunc func(ctx context.Context, c abi.HookCall) (abi.HookOutput, error)

// fake is a module that plays one role.
type fake struct {
	hash  string
	hooks map[abi.Hook]hookFunc
}

func (f *fake) Wants(h abi.Hook) bool { return f.hooks[h] != nil }

func (f *fake) Hook(ctx context.Context, c abi.HookCall) (abi.HookOutput, error) {
	return f.hooks[c.Context.Hook](ctx, c)
}

// home is a Source with one project, which tests change at any time.
type home struct {
	mu      sync.Mutex
	chain   *Chain
	players map[string]*fake
	inUse   map[string]int // by hash
}

func (h *home) Chain(string) *Chain {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.chain
}

func (h *home) Acquire(_ context.Context, role string) (Player, func(), error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.players[role]
	if f == nil {
		return Player{}, nil, fmt.Errorf("%w: role %q is in no module", abi.ErrNotFound, role)
	}
	h.inUse[f.hash]++
	return Player{Runner: f, Hash: f.hash}, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.inUse[f.hash]--
	}, nil
}

// part describes a controller of a test.
type part struct {
	role  string
	hooks map[abi.Hook]hookFunc
	block bool
	gated bool // gatedOnly
	only  []abi.Hook
}

func (h *home) set(gated bool, parts ...part) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var members []Member
	for _, p := range parts {
		members = append(members, Member{Role: abi.Role{Name: p.role, Kind: abi.KindController, Hooks: p.only, GatedOnly: p.gated},
			Block: p.block, Config: []byte(`{}`)})
		if p.hooks != nil {
			h.players[p.role] = &fake{hash: p.role + "-1", hooks: p.hooks}
		}
	}
	h.chain = NewChain(gated, members)
}

// rig is one session with its Source and Chains.
type rig struct {
	*home
	*Chains
	*Session
	listed []flow.ListedTool // returned by Steered.Tools
	clock  time.Time
}

func newRig(t testing.TB, parts ...part) *rig {
	t.Helper()
	r := &rig{home: &home{players: make(map[string]*fake), inUse: make(map[string]int)}, clock: time.UnixMilli(1763719800000)}
	r.set(true, parts...)
	r.Chains = Open(Options{Source: r.home, Now: func() time.Time { return r.clock }})
	t.Cleanup(func() { r.Chains.Close(context.Background()) })
	r.listed = []flow.ListedTool{upstream("files/read"), upstream("files/write")}
	r.Session = r.session()
	return r
}

func (r *rig) session() *Session {
	return r.Chains.Session(flow.Steered{
		Scope: flow.Scope{Project: "home", Session: "s1"}, Protocol: "2025-11-25",
		Client:  abi.HookClient{Name: "claude-code", InstructionsChars: 2048},
		Tools:   func() []flow.ListedTool { return r.listed },
		Servers: func() []flow.ServerState { return []flow.ServerState{{Name: "files", State: "ready", Tools: 2}} },
	})
}

func upstream(label string) flow.ListedTool {
	wire := "files__" + label[len("files/"):]
	return flow.ListedTool{Label: label, Wire: wire, Kind: abi.ToolUpstream, Definition: json.RawMessage(`{"name":"` + wire + `","outputSchema":{"type":"object"}}`)}
}

func virtual(name, owner string) flow.ListedTool {
	return flow.ListedTool{Label: name, Wire: name, Kind: abi.ToolVirtual, Owner: owner, Definition: json.RawMessage(`{"name":"` + name + `"}`)}
}

// aCall returns a call of a tool with the arguments {"n":1}.
func aCall(tool flow.ListedTool) flow.SteeredCall {
	return flow.SteeredCall{ID: "c1", Tool: tool, Arguments: json.RawMessage(`{"n":1}`), Listed: true,
		Client: json.RawMessage(`{"name":"` + tool.Wire + `","arguments":{"n":1}}`)}
}

// oneHook returns a controller with one hook.
func oneHook(role string, h abi.Hook, f hookFunc) part {
	return part{role: role, hooks: map[abi.Hook]hookFunc{h: f}}
}

func pass(abi.HookCall) abi.HookOutput { return abi.HookOutput{} }

// returning returns a hook with a constant output.
func returning(out abi.HookOutput) hookFunc {
	return func(context.Context, abi.HookCall) (abi.HookOutput, error) { return out, nil }
}

// answering returns a hook that answers with a text.
func answering(text string) hookFunc {
	return returning(abi.HookOutput{Done: true, Answer: []byte(text)})
}

// failing returns a hook that traps after six log lines.
func failing() hookFunc {
	return func(context.Context, abi.HookCall) (abi.HookOutput, error) {
		return abi.HookOutput{Log: []abi.LogLine{{Text: "1"}, {Text: "2"}, {Text: "3"}, {Text: "4"}, {Text: "5"}, {Text: "6"}}},
			fmt.Errorf("guest trapped: unreachable%w", silent{abi.ErrGuest})
	}
}

// silent is an error kind without a text, like those of guests.
type silent struct{ kind error }

func (s silent) Error() string { return "" }
func (s silent) Unwrap() error { return s.kind }

// hookLog records hook calls.
type hookLog struct {
	mu    sync.Mutex
	lines []string
}

func (d *hookLog) add(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *hookLog) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.lines
	d.lines = nil
	return lines
}

// recordHooks returns a controller with all hooks. Each hook is recorded, then runs its
// function of after, if any.
func (d *hookLog) recordHooks(role string, after map[abi.Hook]hookFunc) part {
	p := part{role: role, hooks: make(map[abi.Hook]hookFunc)}
	for _, h := range []abi.Hook{abi.OnInitialize, abi.OnToolsList, abi.OnToolCall, abi.OnToolResult, abi.OnClose} {
		p.hooks[h] = func(ctx context.Context, c abi.HookCall) (abi.HookOutput, error) {
			d.add("%s %s", role, h)
			if f := after[h]; f != nil {
				return f(ctx, c)
			}
			return pass(c), nil
		}
	}
	return p
}

func equal[T cmp.Ordered](t *testing.T, name string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", name, got, want)
	}
}
