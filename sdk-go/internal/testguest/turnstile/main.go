// Turnstile is the smallest controller that does something.
package main

import "github.com/mcpctl/mcpctl/sdk-go/controller"

func init() { controller.Register("turnstile", controller.Hooks{ToolCall: turn}) }

// turn lets one call of a session pass.
func turn(c *controller.Ctx) error {
	if _, passed := c.State.Get("passed"); passed {
		return c.Refuse("one call is free")
	}
	if err := c.State.Set("passed", c.Tool()); err != nil {
		return err
	}
	return controller.Pass
}

func main() {}
