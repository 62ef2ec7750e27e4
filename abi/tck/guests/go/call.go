package main

import (
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() {
	cases["config"] = func(c *stage.Ctx) error { return write(c, describeConfig(&c.Base)) }
	cases["misuse"] = func(c *stage.Ctx) error { return writeLine(c, formatInt(c.Int("text", 1))) }
	cases["context"] = context
	cases["arguments"] = arguments
	cases["session"] = func(c *stage.Ctx) error { return writeLine(c, c.Session()) }
}

// arguments writes the arguments of the call, and the question in them.
func arguments(c *stage.Ctx) error {
	if err := c.Out.Span(c.Arguments(), 0, -1); err != nil {
		return err
	}
	return write(c, "\n"+c.Question()+"\n")
}

// describeConfig writes the results of the config getters, a line each.
func describeConfig(c *stage.Base) string {
	return "text=" + c.String("text", "none") +
		"\nmore=" + c.String("more", "") +
		"\nnumber=" + formatInt(c.Int("number", 7)) +
		"\nreal=" + formatThousandths(c.Float("real", 0.5)) +
		"\nflag=" + formatBool(c.Bool("flag", true)) +
		"\nlist=" + strings.Join(c.Strings("list", "x", "y"), ",") +
		"\nhas=" + formatBool(c.Has("text")) + "\n"
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
		{"part=" + part.Kind, formatInt(part.Index), formatInt(part.Count)},
		{"stage=" + formatInt(pos.Index), formatInt(pos.Count)},
		{"limits=" + formatInt(limits.OutputBytes), formatInt(limits.Sections), formatInt(limits.MemoryBytes), formatInt(limits.LLMMillis), formatInt(limits.LLMRequests)},
	} {
		if err := writeLine(c, words...); err != nil {
			return err
		}
	}
	return nil
}
