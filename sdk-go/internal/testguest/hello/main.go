// Hello is the smallest stage: it keeps the text before the first rule.
package main

import "github.com/mcpctl/mcpctl/sdk-go/stage"

func init() { stage.Register("hello", hello) }

func hello(c *stage.Ctx) error {
	if at := c.Input.Find(c.String("rule", "\n---\n")); at >= 0 {
		return c.Out.Span(c.Input, 0, at)
	}
	return stage.Pass
}

func main() {}
