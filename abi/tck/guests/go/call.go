package main

import (
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() {
	cases["config"] = func(c *stage.Ctx) error { return write(c, config(&c.Base)) }
	cases["misuse"] = func(c *stage.Ctx) error { return line(c, decimal(c.Int("text", 1))) }
	cases["context"] = context
	cases["session"] = func(c *stage.Ctx) error { return line(c, c.Session()) }
}

// config writes the results of the config getters, a line each.
func config(c *stage.Base) string {
	return "text=" + c.String("text", "none") +
		"\nmore=" + c.String("more", "") +
		"\nnumber=" + decimal(c.Int("number", 7)) +
		"\nreal=" + thousandths(c.Float("real", 0.5)) +
		"\nflag=" + yes(c.Bool("flag", true)) +
		"\nlist=" + strings.Join(c.Strings("list", "x", "y"), ",") +
		"\nhas=" + yes(c.Has("text")) + "\n"
}

func context(c *stage.Ctx) error {
	part, pos, limits := c.Part(), c.StagePos(), c.Limits()
	for _, words := range [][]string{
		{"role=" + c.Role()},
		{"project=" + c.Project()},
		{"contentType=" + string(c.ContentType())},
		{"source=" + c.Source()},
		{"mime=" + c.MIME()},
		{"hint=" + c.Hint()},
		{"part=" + part.Kind, decimal(part.Index), decimal(part.Count)},
		{"stage=" + decimal(pos.Index), decimal(pos.Count)},
		{"limits=" + decimal(limits.OutputBytes), decimal(limits.Sections), decimal(limits.MemoryBytes), decimal(limits.LLMMillis), decimal(limits.LLMRequests)},
	} {
		if err := line(c, words...); err != nil {
			return err
		}
	}
	return nil
}
