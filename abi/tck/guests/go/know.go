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
		"hook=" + c.Hook(), "role=" + c.Role(), "project=" + c.Project(), "gated=" + yes(c.Gated()),
		"timeMs=" + strconv.FormatInt(c.TimeMillis(), 10), "protocol=" + c.Protocol(),
		"controller=" + decimal(pos.Index) + " " + decimal(pos.Count),
		"client=" + strings.Join([]string{client.Name, client.Version, yes(client.ListChanged), yes(client.StructuredOnly), decimal(client.InstructionsChars)}, " "),
		"tool=" + c.Tool(), "session=" + c.Session(),
	}
	if c.Hook() == controller.OnToolCall || c.Hook() == controller.OnToolResult {
		call := c.Called()
		lines = append(lines, "call="+strings.Join([]string{call.ID, call.Tool, call.Wire, yes(call.Virtual), yes(call.Rewritten), yes(call.Listed), yes(call.ReadOnly)}, " "))
	}
	if c.Hook() == controller.OnToolResult {
		result := c.Result()
		lines = append(lines, "result="+strings.Join([]string{yes(result.IsError), yes(result.ProtocolError), result.AnsweredBy, decimal(result.Bytes)}, " "))
		for _, part := range result.Contents {
			lines = append(lines, "content="+strings.Join([]string{part.Ref, part.Kind, decimal(part.Index), decimal(part.Bytes), part.MIME}, " "))
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
	c.Log.Info(fate(c.HideTool(c.String("text", ""))))
	c.Log.Info(fate(c.PatchTool(c.String("more", ""), `{"description":"patched"}`)))
	c.Log.Info(fate(c.AddTool(virtual)))
	return controller.Pass
}

func tools(c *controller.Ctx) error {
	for t := range c.Tools() {
		about, err := t.Field("/description")
		if err != nil {
			about = "-"
		}
		if err := reply(c, t.Name, t.Wire, string(t.Kind), yes(t.Own), yes(t.Hidden), yes(t.Stale), about); err != nil {
			return err
		}
	}
	return nil
}

func servers(c *controller.Ctx) error {
	for s := range c.Servers() {
		if err := reply(c, s.Name, s.State, decimal(s.Tools), s.Error); err != nil {
			return err
		}
	}
	return nil
}

func prompts(c *controller.Ctx) error {
	for p := range c.Prompts() {
		fields := []string{p.Name, p.Project, decimal(p.Priority), p.Summary, strings.Join(p.Chapters, ","), decimal(p.Bytes), p.Hash, p.Link, p.LinkStatus, p.Ref}
		if err := reply(c, strings.Join(fields, "|")); err != nil {
			return err
		}
	}
	return nil
}

func prompt(c *controller.Ctx) error {
	body, err := c.PromptBody(c.String("text", ""))
	if err != nil {
		if err := reply(c, fate(err)); err != nil {
			return err
		}
	} else if err := reply(c, body.String()); err != nil {
		return err
	}
	stored, err := c.PromptStored(c.String("text", ""))
	if err != nil {
		return reply(c, fate(err))
	}
	return reply(c, stored.String())
}

func propose(c *controller.Ctx) error {
	id, err := c.ProposePrompt(c.String("text", ""))
	if err != nil {
		return reply(c, fate(err))
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
		if err := reply(c, "\n"+decimal(int(n))+"\n"+section.String()); err != nil {
			return err
		}
	}
	const nobody = "aaaaaaaaaaaaaaaa"
	_, open := c.OpenContent(nobody)
	_, facts := c.ContentMeta(nobody)
	_, section := c.Section(nobody, "?two")
	return reply(c, fate(open)+"\n"+fate(facts)+"\n"+fate(section))
}
