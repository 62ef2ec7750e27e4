// Package paginate replaces long content with its first page and an index of all
// pages, each an exact part of the original.
package paginate

import (
	"errors"
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("paginate", run) }

func run(c *stage.Ctx) error {
	size := c.Int("pageSize", 8000)
	if size < 1 {
		return stage.Fail("pageSize %d, want at least 1", size)
	}
	if c.Input.Len() <= size || c.Sections.Len() > 0 { // a character has at least a byte
		return stage.Pass
	}
	b := c.Input.Bytes()
	pages := splitPages(b, size)
	if len(pages) == 1 {
		return stage.Pass
	}
	names := askTitles(c, pages)
	for i, p := range pages {
		at, err := c.Sections.Add(stage.Top, c.Input, p.start, p.end, "Page "+strconv.Itoa(i+1)+names[i])
		if errors.Is(err, stage.Limit) {
			break // the host serves the rest in windows
		}
		if err != nil {
			return err
		}
		if err := c.Sections.SetID(at, p.formatID(b)); err != nil {
			return err
		}
	}
	return writeAnswer(c, pages)
}

// writeAnswer writes the first page and the index.
func writeAnswer(c *stage.Ctx, pages []page) error {
	end := pages[0].end
	if err := c.Out.Span(c.Input, 0, end); err != nil {
		return err
	}
	line := "\nPage 1 of " + strconv.Itoa(len(pages)) + ", " + strconv.Itoa(c.Input.Len()) + " bytes in all\n"
	if c.Input.Bytes()[end-1] != '\n' {
		line = "\n" + line
	}
	if _, err := c.Out.WriteString(line); err != nil {
		return err
	}
	return c.Out.Index(stage.Top, 0, 0)
}
