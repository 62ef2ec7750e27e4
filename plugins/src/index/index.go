// Package index adds a table of contents of the original.
//
// It finds sections like section-split, but fewer levels. If an earlier stage has changed
// the text, the table is appended to that text, otherwise it replaces the text. It needs
// no LLM: titles come from the content.
package index

import (
	sectionsplit "github.com/mcpctl/mcpctl/plugins/src/section-split"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("index", run) }

func run(c *stage.Ctx) error {
	if !c.Bool("sectionAddressing", true) {
		return stage.Fail("sectionAddressing false, want true: a table of contents that nothing can be opened from")
	}
	if c.Sections.Len() > 0 {
		return stage.Pass // an earlier stage has added and printed sections
	}
	changed := c.Input.Hash(0, -1) != c.Original.Hash(0, -1)
	head, err := sectionsplit.Outline(c, c.Int("maxDepth", 2))
	if err != nil {
		return err
	}
	if changed {
		if err := c.Out.Span(c.Input, 0, -1); err != nil {
			return err
		}
		head = "\n" + head
		if b := c.Input.Bytes(); len(b) > 0 && b[len(b)-1] != '\n' {
			head = "\n" + head
		}
	}
	if _, err := c.Out.WriteString(head); err != nil {
		return err
	}
	return c.Out.Index(stage.Top, 0, 0)
}
