package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm"
)

// Session is a client's connection to a project with this controller only. Its
// fields may be changed between hooks. It is not safe for concurrent use.
type Session struct {
	Tools    []Tool   // of servers; read_section is always added
	Prompts  []Prompt // visible prompts
	Contents []string // stored contents; Result adds to them
	LLM      LLM
	Cache    Cache // hooks add their values

	m      *Module
	role   abi.Role
	config []byte
	hooks  wasm.Controller

	state    map[string][]byte
	own      []Tool // virtual tools of this controller, in the order they were first added
	edits    edits  // of the last list
	listed   bool   // the client requested a list
	asked    bool   // a list was created, for the client or a lookup
	calls    int
	last     *called         // the latest call while it waits for the server's answer
	read     map[string]bool // prompts whose body was read, which have a ref
	proposed []string
}

// Effects are the effects of a hook.
type Effects struct {
	Outcome Outcome
	Reason  string // of Fail
	Output  abi.HookOutput
	Kept    map[string]string // the values that the hook stored in the cache
	Listed  []string          // labels of the tools in the client's list, after List
}

// called is a call by the client.
type called struct {
	tool      Tool
	client    []byte
	rewritten bool
	id        string
}

// Session starts a session with a controller of the module. config contains the
// keys of a config; missing ones take the defaults of the manifest.
//
// Errors: those of Run.
func (m *Module) Session(role string, config map[string]json.RawMessage) (*Session, error) {
	r, err := m.role(role)
	if err != nil {
		return nil, err
	}
	text, err := Config(r, config)
	if err != nil {
		return nil, err
	}
	hooks, err := m.Controller(role)
	if err != nil {
		return nil, err
	}
	return &Session{m: m, role: r, config: text, hooks: hooks, state: map[string][]byte{}, read: map[string]bool{}}, nil
}

// Initialize sends the client's initialize request.
func (s *Session) Initialize(ctx context.Context) (Effects, error) {
	return s.hook(ctx, abi.OnInitialize, []byte(`{"protocolVersion":"`+protocol+`","capabilities":{},"clientInfo":{"name":"test","version":"1.0.0"}}`), nil, nil)
}

// List creates the list of tools for the client.
func (s *Session) List(ctx context.Context) (Effects, error) {
	e, err := s.list(ctx, "list")
	s.listed = true
	return e, err
}

func (s *Session) list(ctx context.Context, reason string) (Effects, error) {
	s.edits, s.asked = edits{}, true
	e, err := s.hook(ctx, abi.OnToolsList, []byte(`{"reason":"`+reason+`"}`), nil, nil)
	if err == nil && e.Outcome != Fail {
		s.edits = s.editsOf(e.Output)
		s.adopt(s.edits.added)
	}
	for _, t := range s.all() {
		if !t.hidden {
			e.Listed = append(e.Listed, t.Label)
		}
	}
	return e, err
}

// Call sends a tools/call with the label, the name of a virtual tool, or the wire
// name. As in the host, a name is looked up before the first list.
func (s *Session) Call(ctx context.Context, tool, arguments string) (Effects, error) {
	s.last = nil
	t, ok := s.find(tool)
	if !ok && !s.asked {
		if _, err := s.list(ctx, "lookup"); err != nil {
			return Effects{}, err
		}
		t, ok = s.find(tool)
	}
	if !ok {
		return Effects{Outcome: Fail, Reason: "unknown tool " + strconv.Quote(tool)}, nil
	}
	if arguments == "" {
		arguments = "{}"
	}
	if !json.Valid([]byte(arguments)) {
		return Effects{}, fmt.Errorf("%w: arguments of the call of %s are not JSON", abi.ErrConfig, tool)
	}
	s.calls++
	c := &called{tool: t, id: "c" + strconv.Itoa(s.calls), client: []byte(`{"name":` + quote(t.wire()) + `,"arguments":` + arguments + `}`)}
	e, err := s.hook(ctx, abi.OnToolCall, []byte(arguments), c, nil)
	if err != nil || e.Outcome == Done {
		return e, err
	}
	if to := e.Output.Rewrite; to != nil {
		c.tool, _ = s.find(to.Tool)
		c.rewritten = true
		to.Tool = c.tool.Label
	}
	if c.tool.kind() == abi.ToolUpstream {
		s.last = c
	}
	return e, nil
}

// Result passes the server's answer to the latest Call to the controller: a
// tools/call result, or {"error":{...}}. Its parts are stored. The Call must not
// have been answered by the controller.
func (s *Session) Result(ctx context.Context, result string) (Effects, error) {
	if s.last == nil {
		return Effects{Outcome: Fail, Reason: "no call that a server answers"}, nil
	}
	c := s.last
	s.last = nil
	info, err := s.store(c, result)
	if err != nil {
		return Effects{}, err
	}
	return s.hook(ctx, abi.OnToolResult, []byte(result), c, &info)
}

// Close ends the session and drops its state after the hook.
func (s *Session) Close(ctx context.Context) (Effects, error) {
	e, err := s.hook(ctx, abi.OnClose, []byte(`{"reason":"client"}`), nil, nil)
	s.state, s.own, s.edits, s.listed, s.asked, s.last = map[string][]byte{}, nil, edits{}, false, false, nil
	return e, err
}

// The values that hooks receive in a scripted session.
const (
	project      = "home"
	protocol     = "2025-11-25"
	someTime     = 1763719800000
	instructions = 2048
)

// hook calls the controller and applies its effects.
func (s *Session) hook(ctx context.Context, h abi.Hook, input []byte, c *called, r *abi.HookResult) (Effects, error) {
	s.m.trial.turn.Lock()
	defer s.m.trial.turn.Unlock()
	call := abi.HookCall{Config: s.config, Input: input, Original: input, Session: "session", Host: sessionHost{s}, Context: abi.HookContext{
		Hook: h, Project: project, Gated: true, TimeMs: someTime, Protocol: protocol, Controller: abi.StagePos{Count: 1}, Result: r,
		Client: abi.HookClient{Name: "test", Version: "1.0.0", ListChanged: true, InstructionsChars: instructions}, Limits: s.m.trial.opts.Calls,
	}}
	if s.LLM.never() {
		call.Context.Limits.LLMMillis = patienceMillis
	}
	if c != nil {
		call.Name, call.Client = c.tool.Label, c.client
		call.Context.Call = &abi.CalledTool{ID: c.id, Tool: c.tool.Label, Wire: c.tool.wire(), Virtual: c.tool.kind() == abi.ToolVirtual,
			Rewritten: c.rewritten, Listed: s.listed, ReadOnly: c.tool.readOnly()}
	}
	over, kept := s.m.trial.llm.play(s.LLM), s.m.trial.values.play(s.Cache)
	out, err := s.hooks.Hook(ctx, call)
	over()
	e := Effects{Outcome: Pass, Output: out, Kept: kept()}
	s.Cache = s.Cache.with(e.Kept)
	switch {
	case err != nil && ctx.Err() != nil:
		return Effects{}, context.Cause(ctx)
	case err != nil && errors.Is(err, abi.ErrUnavailable):
		return Effects{}, err
	case err != nil:
		e.Outcome, e.Reason = Fail, err.Error()
		return e, nil
	}
	s.commit(out)
	if out.Done {
		e.Outcome = Done
	}
	return e, nil
}

func (s *Session) commit(out abi.HookOutput) {
	maps.Copy(s.state, out.State)
	maps.DeleteFunc(s.state, func(_ string, v []byte) bool { return v == nil })
}
