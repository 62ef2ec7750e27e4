package controller

import (
	"errors"

	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Hooks are what a controller does; one that is nil passes. Where there is nothing
// to answer, in ToolsList and Close, nil is the same as Pass.
//
// Errors: of each, see the package comment for nil, Pass and others.
type Hooks struct {
	// Initialize: a client connects. Answer is added to the instructions that it
	// reads; ClientInfo says how much there is room for. Input is the params.
	Initialize func(c *Ctx) error

	// ToolsList: the list is needed; edit it by HideTool, PatchTool and AddTool. The
	// edits of the last list count, so make all of them each time. Input is
	// {"reason":"list"}, or lookup before a call of a tool that no list has had.
	ToolsList func(c *Ctx) error

	// ToolCall: before a call is routed. nil answers it, Pass lets it go on. Input is
	// its arguments. Calls of the controller's own tools come here too: tell them by
	// Ctx.Tool; one that nobody answers is an error.
	ToolCall func(c *Ctx) error

	// ToolResult: a server has answered. nil replaces the result, Pass keeps it.
	// Input is the result, or {"error":{...}}; its parts are stored by now.
	ToolResult func(c *Ctx) error

	// Close: the session has ended, its state is dropped afterwards. Input is
	// {"reason":"client"}, idle or shutdown.
	Close func(c *Ctx) error
}

// Pass says that the host goes on: a call is routed, a result stays as it is.
// State, blocks, notifications and edits of the list count, the answer is dropped.
var Pass = stage.Pass

var roles = map[string]Hooks{}

// Register makes h the controller of a role. Call it from init; it panics if the
// role is taken. In a module with one, h runs whatever the role is called.
func Register(role string, h Hooks) {
	if _, ok := roles[role]; ok {
		panic("controller: role " + role + " registered twice")
	}
	roles[role] = h
}

// lookup gives the hooks of a role; in a module with one, whatever it is called.
func lookup(c *Ctx) (Hooks, error) {
	if len(roles) == 1 {
		for _, h := range roles {
			return h, nil
		}
	}
	role := c.Role()
	if h, ok := roles[role]; ok {
		return h, nil
	}
	return Hooks{}, errors.New("module has no controller " + role)
}

func (h Hooks) of(hook string) func(*Ctx) error {
	switch hook {
	case OnInitialize:
		return h.Initialize
	case OnToolsList:
		return h.ToolsList
	case OnToolCall:
		return h.ToolCall
	case OnToolResult:
		return h.ToolResult
	case OnClose:
		return h.Close
	}
	return nil
}

// The hooks, as Ctx.Hook names them.
const (
	OnInitialize = "on_initialize"
	OnToolsList  = "on_tools_list"
	OnToolCall   = "on_tool_call"
	OnToolResult = "on_tool_result"
	OnClose      = "on_close"
)

func init() { entry.Hook = run }

// run is one call of a hook, from the host's entry to its return code.
func run(hook string) int32 {
	return entry.Serve(func(base any) error {
		c := newCtx(base.(*stage.Base))
		h, err := lookup(c)
		if err != nil {
			return err
		}
		if f := h.of(hook); f != nil {
			return f(c)
		}
		return Pass
	})
}
