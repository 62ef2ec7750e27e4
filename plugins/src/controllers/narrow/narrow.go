// Package narrow has an LLM narrow the calls of tools: it adds a limit, a filter or a
// date that the tool takes and the call left out, so that less is fetched.
//
// It only adds. What the client gave stays as it is, byte for byte, so a model that gives
// an argument itself is never overridden. A block after the result says what was added.
package narrow

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/rewrite"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() {
	controller.Register("narrow", controller.Hooks{ToolsList: list, ToolCall: call})
}

// said is above the arguments that were added, where the model reads them.
const said = "A language model added arguments that this call left out, and the result may lack what they exclude; to decide yourself, call again with your own"

// list takes the promise of structuredContent from tools whose results may get a block
// beside them: a client that shows structuredContent alone would hide it.
func list(c *controller.Ctx) error {
	s := readScope(c)
	for t := range c.Tools() {
		if _, err := t.Field("/outputSchema"); err != nil || !s.covers(t) {
			continue
		}
		properties, ok := propertiesOf(c, t)
		if !ok {
			continue
		}
		some := len(openOf(properties, nothing)) > 0
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

// call has the LLM look at a call and routes it with what is added. Whatever goes wrong,
// the call passes as it is.
func call(c *controller.Ctx) error {
	s := readScope(c)
	if !s.named(c.Tool()) {
		return controller.Pass
	}
	for t := range c.Tools() {
		if t.Name == c.Tool() {
			return narrow(c, s, t)
		}
	}
	return controller.Pass
}

func narrow(c *controller.Ctx, s scope, t controller.Tool) error {
	if !s.covers(t) {
		return controller.Pass
	}
	properties, ok := propertiesOf(c, t)
	if !ok {
		return controller.Pass
	}
	open := openOf(properties, givenIn(c.Input.JSON()))
	if len(open) == 0 {
		return controller.Pass
	}
	answer, ok := ask(c, t, open)
	if !ok {
		return controller.Pass
	}
	added := addedBy(answer, properties.JSON(), open)
	if n, _ := answer.JSON().Len("/add"); n > len(added) {
		c.Log.Info("proposals that the tool does not take, or the call has, dropped", "dropped", n-len(added))
	}
	if len(added) == 0 {
		return controller.Pass
	}
	return route(c, t.Name, strings.Join(added, ","))
}

// route sends the call on with added members, and says so to the model and in the event.
func route(c *controller.Ctx, tool, added string) error {
	arguments, err := c.Put(joined(c.Input.String(), added))
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
	if _, err := block.WriteString(rewrite.Marked(said, "{"+added+"}")); err != nil {
		return err
	}
	return controller.Pass
}

// joined is an object with members added behind its own, which stay as they are.
func joined(object, added string) string {
	end := strings.LastIndexByte(object, '}')
	if strings.TrimSpace(object[:end]) != "{" {
		added = "," + added
	}
	return object[:end] + added + object[end:]
}

// nothing is the arguments of a call that gives none.
func nothing(string) bool { return false }

// givenIn tells the names of the arguments of a call; of one without an object of
// arguments all are given.
func givenIn(arguments stage.JSON) func(name string) bool {
	if kind, err := arguments.Kind(""); err != nil || kind != stage.KindObject {
		return func(string) bool { return true }
	}
	return func(name string) bool {
		_, err := arguments.Kind(stage.Pointer(name))
		return err == nil
	}
}
