package controller

import (
	"errors"

	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Hooks are what a controller does; one that is nil answers Pass.
//
// Errors: of each, see the package comment for nil, Pass and others.
type Hooks struct {
	Initialize func(c *Ctx) error // a client connects: Answer is added to the instructions
	ToolsList  func(c *Ctx) error // the list is needed: HideTool, PatchTool, AddTool
	ToolCall   func(c *Ctx) error // before routing: nil answers the call, Pass routes it
	ToolResult func(c *Ctx) error // a server answered: nil replaces the result
	Close      func(c *Ctx) error // the session has ended
}

// Pass says that the host goes on: a call is routed, a result stays as it is.
// State, blocks, notifications and edits of the list count, the answer is dropped.
var Pass = stage.Pass

var roles = map[string]Hooks{}

// Register makes h the controller of a role. Call it from init; it panics if the
// role is taken.
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
