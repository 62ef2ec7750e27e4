// Roles is a module of two roles that use most of the SDK.
package main

import (
	"errors"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() {
	stage.Register("chapters", chapters)
	stage.Register("shout", shout)
}

// chapters adds a Section for each heading, or for each member of a JSON object; an LLM or
// the cache provides summaries.
func chapters(c *stage.Ctx) error {
	switch {
	case c.Has("panic"):
		panic("as wished")
	case c.Input.JSON().Valid():
		return entries(c)
	}
	heads, err := c.Input.Grep(0, c.String("heading", "^# .*"), stage.ByLine)
	if err != nil {
		return err
	}
	for i, head := range heads {
		end := c.Input.Len()
		if i+1 < len(heads) {
			end = heads[i+1].Start
		}
		if err := chapter(c, head, end); err != nil {
			return err
		}
	}
	c.Log.Info("split", "sections", c.Sections.Len(), "source", c.Source())
	if err := c.Meta("type", "markdown"); err != nil {
		return err
	}
	return c.Out.Index(stage.Top, c.Int("maxLines", 24), 0)
}

func chapter(c *stage.Ctx, head stage.Span, end int) error {
	i, err := c.Sections.Add(stage.Top, c.Input, head.Start, end, "")
	if err != nil {
		return err
	}
	if err := c.Sections.SetTitleSpan(i, c.Input, head.Start+2, head.Len()-2); err != nil {
		return err
	}
	key := c.Input.Hash(head.Start, end-head.Start)
	summary, err := c.Cache.GetOrCompute(string(key[:]), func() ([]byte, error) {
		text, err := c.LLM.Complete(stage.Request{System: "Summarise.", Parts: []stage.Text{stage.Quote(c.Input, head.Start, end-head.Start)}})
		return text.Bytes(), err
	})
	if errors.Is(err, stage.Unavailable) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.Sections.SetSummaryText(i, string(summary))
}

func entries(c *stage.Ctx) error {
	j := c.Input.JSON()
	for _, child := range j.Each("") {
		title, err := j.Text(child.Key)
		if err != nil {
			return err
		}
		if _, err := c.Sections.Add(stage.Top, c.Input, child.Value.Start, child.Value.End, title.String()); err != nil {
			return err
		}
		title.Free()
	}
	return stage.Pass
}

// shout writes the lines back, numbered.
func shout(c *stage.Ctx) error {
	n := 0
	for line := range c.Input.Lines(0) {
		if n++; n > c.Int("lines", 10) {
			return stage.Fail("more than %d lines", c.Int("lines", 10))
		}
		if _, err := c.Out.WriteString("> "); err != nil {
			return err
		}
		if err := c.Out.Span(c.Input, line.Start, line.Len()); err != nil {
			return err
		}
	}
	return nil
}

func main() {}
