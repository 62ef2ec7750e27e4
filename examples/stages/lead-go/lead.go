// Lead is a stage that keeps the text before the first rule. The rest is not lost:
// the original stays stored, and drill-down reaches it.
package main

import "github.com/mcpctl/mcpctl/sdk-go/stage"

func init() { stage.Register("lead", lead) }

func lead(c *stage.Ctx) error {
	if at := c.Input.Find(c.String("rule", "\n---\n")); at >= 0 {
		return c.Out.Span(c.Input, 0, at)
	}
	return stage.Pass
}

func main() {}
