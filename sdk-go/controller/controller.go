package controller

import (
	"errors"

	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Hooks are the hooks of a controller. A hook that is nil passes. In ToolsList and
// Close, which have no answer, a nil error is the same as Pass.
//
// Errors: see the package comment for nil, Pass and others.
type Hooks struct {
	// Initialize runs when a client connects. The answer is added to its
	// instructions; ClientInfo has the maximum length. The input is the params.
	Initialize func(c *Ctx) error

	// ToolsList runs when the list of tools is needed; edit it with HideTool,
	// PatchTool and AddTool. Only the edits of the last run count, so make all of
	// them each time. The input is {"reason":"list"}, or "lookup" before a call of a
	// tool that was not listed.
	ToolsList func(c *Ctx) error

	// ToolCall runs before a call is routed. nil answers the call, Pass continues it.
	// The input is its arguments. Calls of the controller's virtual tools arrive here
	// too, with their name in Ctx.Tool; it is an error not to answer them.
	ToolCall func(c *Ctx) error

	// ToolResult runs after a server has answered. nil replaces the result, Pass keeps
	// it. The input is the result, or {"error":{...}}. Its parts are already stored.
	ToolResult func(c *Ctx) error

	// Close runs when the session has ended; its state is dropped afterwards. The
	// input is {"reason":"client"}, "idle" or "shutdown".
	Close func(c *Ctx) error
}

// Pass is the error of a hook that lets the host continue: a call is routed, a result
// is unchanged. State, blocks, notifications and edits of the list count; the answer
// is dropped.
var Pass = stage.Pass

var roles = map[string]Hooks{}

// Register registers h as the controller of a role. Call it from init; it panics if
// the role is registered twice. In a module with one controller the name of the role
// does not matter.
func Register(role string, h Hooks) {
	if _, ok := roles[role]; ok {
		panic("controller: role " + role + " registered twice")
	}
	roles[role] = h
}

// lookup returns the hooks of the current role, or of the only one of the module.
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

// run runs a hook of the current role and returns its return code.
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
