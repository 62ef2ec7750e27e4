package main

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

func init() {
	steers["list"] = list
	steers["tools"] = tools
	steers["servers"] = servers
	steers["prompts"] = prompts
	steers["prompt"] = prompt
	steers["propose"] = propose
	steers["content"] = content
}

// virtual is the virtual tool of the kit.
const virtual = `{"name":"kit_hello","inputSchema":{"type":"object"}}`

func hookContext(c *controller.Ctx) error {
	pos, client := c.Position(), c.ClientInfo()
	lines := []string{
		"hook=" + c.Hook(), "role=" + c.Role(), "project=" + c.Project(), "gated=" + formatBool(c.Gated()),
		"timeMs=" + strconv.FormatInt(c.TimeMillis(), 10), "protocol=" + c.Protocol(),
		"controller=" + formatInt(pos.Index) + " " + formatInt(pos.Count),
		"client=" + strings.Join([]string{client.Name, client.Version, formatBool(client.ListChanged), formatBool(client.StructuredOnly), formatInt(client.InstructionsChars)}, " "),
		"tool=" + c.Tool(), "session=" + c.Session(),
	}
	if c.Hook() == controller.OnToolCall || c.Hook() == controller.OnToolResult {
		call := c.Called()
		lines = append(lines, "call="+strings.Join([]string{call.ID, call.Tool, call.Wire, formatBool(call.Virtual), formatBool(call.Rewritten), formatBool(call.Listed), formatBool(call.ReadOnly)}, " "))
	}
	if c.Hook() == controller.OnToolResult {
		result := c.Result()
		lines = append(lines, "result="+strings.Join([]string{formatBool(result.IsError), formatBool(result.ProtocolError), result.AnsweredBy, formatInt(result.Bytes)}, " "))
		for _, part := range result.Contents {
			lines = append(lines, "content="+strings.Join([]string{part.Ref, part.Kind, formatInt(part.Index), formatInt(part.Bytes), part.MIME}, " "))
		}
	}
	return reply(c, strings.Join(lines, "\n"))
}

func buffers(c *controller.Ctx) error {
	if err := c.Answer.Span(c.Client, 0, -1); err != nil {
		return err
	}
	if err := reply(c); err != nil {
		return err
	}
	if err := c.Answer.Span(c.Input, 0, -1); err != nil {
		return err
	}
	if err := reply(c); err != nil {
		return err
	}
	if err := c.Answer.Span(c.Original, 0, -1); err != nil {
		return err
	}
	return reply(c)
}

func list(c *controller.Ctx) error {
	c.Log.Info(formatFate(c.HideTool(c.String("text", ""))))
	c.Log.Info(formatFate(c.PatchTool(c.String("more", ""), `{"description":"patched"}`)))
	c.Log.Info(formatFate(c.AddTool(virtual)))
	return controller.Pass
}

func tools(c *controller.Ctx) error {
	for t := range c.Tools() {
		about, err := t.Field("/description")
		if err != nil {
			about = "-"
		}
		if err := reply(c, t.Name, t.Wire, string(t.Kind), formatBool(t.Own), formatBool(t.Hidden), formatBool(t.Stale), about); err != nil {
			return err
		}
	}
	return nil
}

func servers(c *controller.Ctx) error {
	for s := range c.Servers() {
		if err := reply(c, s.Name, s.State, formatInt(s.Tools), s.Error); err != nil {
			return err
		}
	}
	return nil
}

func prompts(c *controller.Ctx) error {
	for p := range c.Prompts() {
		fields := []string{p.Name, p.Project, formatInt(p.Priority), p.Summary, strings.Join(p.Chapters, ","), formatInt(p.Bytes), p.Hash, p.Link, p.LinkStatus, p.Ref}
		if err := reply(c, strings.Join(fields, "|")); err != nil {
			return err
		}
	}
	return nil
}

func prompt(c *controller.Ctx) error {
	body, err := c.PromptBody(c.String("text", ""))
	if err != nil {
		if err := reply(c, formatFate(err)); err != nil {
			return err
		}
	} else if err := reply(c, body.String()); err != nil {
		return err
	}
	stored, err := c.PromptStored(c.String("text", ""))
	if err != nil {
		return reply(c, formatFate(err))
	}
	return reply(c, stored.String())
}

func propose(c *controller.Ctx) error {
	id, err := c.ProposePrompt(c.String("text", ""))
	if err != nil {
		return reply(c, formatFate(err))
	}
	return reply(c, id)
}

func content(c *controller.Ctx) error {
	for _, part := range c.Result().Contents {
		b, err := c.OpenContent(part.Ref)
		if err != nil {
			return err
		}
		if err := c.Answer.Span(b, 0, -1); err != nil {
			return err
		}
		facts, err := c.ContentMeta(part.Ref)
		if err != nil {
			return err
		}
		n, err := facts.JSON().Int("/bytes")
		if err != nil {
			return err
		}
		section, err := c.Section(part.Ref, "?two")
		if err != nil {
			return err
		}
		if err := reply(c, "\n"+formatInt(int(n))+"\n"+section.String()); err != nil {
			return err
		}
	}
	const nobody = "aaaaaaaaaaaaaaaa"
	_, open := c.OpenContent(nobody)
	_, facts := c.ContentMeta(nobody)
	_, section := c.Section(nobody, "?two")
	return reply(c, formatFate(open)+"\n"+formatFate(facts)+"\n"+formatFate(section))
}
