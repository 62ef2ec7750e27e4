// Package narrow lets an LLM add arguments to tool calls: a limit, a filter or a date
// that the tool accepts and the call omits, so that less data is fetched.
//
// It only adds arguments. Those of the client stay unchanged, byte for byte, so a model
// can always override an addition. A block after the result lists the additions.
package narrow

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/rewrite"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() {
	controller.Register("narrow", controller.Hooks{ToolsList: listTools, ToolCall: handleCall})
}

// blockTitle introduces the block of added arguments that the model reads.
const blockTitle = "A language model added arguments that this call left out, and the result may lack what they exclude; to decide yourself, call again with your own"

// listTools removes the output schema of tools whose results may get a block, because a
// client that shows only structuredContent would hide the block.
func listTools(c *controller.Ctx) error {
	s := readScope(c)
	for t := range c.Tools() {
		if _, err := t.Field("/outputSchema"); err != nil || !s.covers(t) {
			continue
		}
		properties, ok := readProperties(c, t)
		if !ok {
			continue
		}
		some := len(findOpen(properties, noneGiven)) > 0
		properties.Free()
		if !some {
			continue
		}
		if err := c.PatchTool(t.Name, `{"outputSchema":null}`); err != nil {
			return err
		}
	}
	return controller.Pass
}

// handleCall lets the LLM add arguments to a call. If anything fails, the call passes
// unchanged.
func handleCall(c *controller.Ctx) error {
	s := readScope(c)
	if !s.selects(c.Tool()) {
		return controller.Pass
	}
	for t := range c.Tools() {
		if t.Name == c.Tool() {
			return narrowCall(c, s, t)
		}
	}
	return controller.Pass
}

func narrowCall(c *controller.Ctx, s scope, t controller.Tool) error {
	if !s.covers(t) {
		return controller.Pass
	}
	properties, ok := readProperties(c, t)
	if !ok {
		return controller.Pass
	}
	open := findOpen(properties, isGivenIn(c.Input.JSON()))
	if len(open) == 0 {
		return controller.Pass
	}
	answer, ok := askLLM(c, t, open)
	if !ok {
		return controller.Pass
	}
	added := readAdded(answer, properties.JSON(), open)
	if n, _ := answer.JSON().Len("/add"); n > len(added) {
		c.Log.Info("proposals that the tool does not take, or the call has, dropped", "dropped", n-len(added))
	}
	if len(added) == 0 {
		return controller.Pass
	}
	return route(c, t.Name, strings.Join(added, ","))
}

// route rewrites the call with added members, and lists them in a block and the event.
func route(c *controller.Ctx, tool, added string) error {
	arguments, err := c.Put(appendMembers(c.Input.String(), added))
	if err != nil {
		return err
	}
	if err := c.Rewrite(tool, arguments, 0, -1); err != nil {
		c.Log.Warn("arguments not added", "because", err)
		return controller.Pass
	}
	c.Log.Info("arguments added", "added", "{"+added+"}")
	if err := c.Meta("added", "{"+added+"}"); err != nil {
		return err
	}
	block, err := c.After()
	if err != nil {
		return err
	}
	if _, err := block.WriteString(rewrite.AddMarks(blockTitle, "{"+added+"}")); err != nil {
		return err
	}
	return controller.Pass
}

// appendMembers returns an object with members appended to its own, which stay unchanged.
func appendMembers(object, added string) string {
	end := strings.LastIndexByte(object, '}')
	if strings.TrimSpace(object[:end]) != "{" {
		added = "," + added
	}
	return object[:end] + added + object[end:]
}

// noneGiven is the predicate for a call without arguments.
func noneGiven(string) bool { return false }

// isGivenIn returns a predicate for the names of the arguments of a call. If the
// arguments are not an object, it is true for every name.
func isGivenIn(arguments stage.JSON) func(name string) bool {
	if kind, err := arguments.Kind(""); err != nil || kind != stage.KindObject {
		return func(string) bool { return true }
	}
	return func(name string) bool {
		_, err := arguments.Kind(stage.Pointer(name))
		return err == nil
	}
}
