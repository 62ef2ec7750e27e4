package main

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() {
	controller.Register("kit-steer", controller.Hooks{Initialize: steer, ToolsList: steer, ToolCall: steer, ToolResult: steer, Close: steer})
}

// steers are the cases of a controller by name.
var steers = map[string]func(c *controller.Ctx) error{
	"pass":    func(c *controller.Ctx) error { return endWithPass(c, answer(c, "dropped")) },
	"done":    func(c *controller.Ctx) error { return answer(c, c.Hook()) },
	"fail":    failHook,
	"context": hookContext,
	"buffers": buffers,
	"base":    base,
	"count":   count,
	"state":   state,
	"refuse":  func(c *controller.Ctx) error { return c.Refuse(c.String("text", "")) },
	"whole":   func(c *controller.Ctx) error { return answerAs(c, controller.WholeResult) },
	"stages":  func(c *controller.Ctx) error { return answerAs(c, controller.IsError|controller.Stages) },
	"blocks":  blocks,
	"rewrite": rewrite,
	"notify":  notify,
	"early":   early,
	"think":   func(c *controller.Ctx) error { return answer(c, complete(&c.Base)) },
	"close":   closing,
}

func steer(c *controller.Ctx) error {
	name := c.String("case", "")
	if f, ok := steers[name]; ok {
		return f(c)
	}
	return stage.Fail("case %q unknown", name)
}

func answer(c *controller.Ctx, text string) error {
	_, err := c.Answer.WriteString(text)
	return err
}

func reply(c *controller.Ctx, words ...string) error {
	return answer(c, strings.Join(words, " ")+"\n")
}

// endWithPass ends a hook without an answer.
func endWithPass(_ *controller.Ctx, err error) error {
	if err != nil {
		return err
	}
	return controller.Pass
}

func answerAs(c *controller.Ctx, kind controller.Kind) error {
	if err := c.AnswerIs(kind); err != nil {
		return err
	}
	return answer(c, c.String("text", ""))
}

func failHook(c *controller.Ctx) error {
	if err := c.State.Set("k", "v"); err != nil {
		return err
	}
	return stage.Fail("no at %s", c.Hook())
}

func base(c *controller.Ctx) error {
	kept := "miss"
	if value, ok := c.Cache.Get(c.String("text", "")); ok {
		kept = string(value)
	}
	if err := c.Meta("type", "markdown"); err != nil {
		return err
	}
	c.Log.Info("here")
	return reply(c, describeConfig(&c.Base)+kept+"\n"+formatFate(c.Cache.Set(c.String("text", ""), []byte(c.String("more", "")))))
}

func count(c *controller.Ctx) error {
	kept, _ := c.State.Get("n")
	n, _ := strconv.Atoi(kept) // 0 if there is none
	if err := c.State.Set("n", formatInt(n+1)); err != nil {
		return err
	}
	c.Log.Info(formatFate(c.State.Delete("old")))
	return answer(c, formatInt(n+1))
}

func state(c *controller.Ctx) error {
	fates := []error{c.State.Delete("nobody"), c.State.Set("", "v"), c.State.Set("k", "v")}
	for _, err := range fates {
		if err := reply(c, formatFate(err)); err != nil {
			return err
		}
	}
	for _, key := range []string{"k", "nobody"} {
		value, ok := c.State.Get(key)
		if !ok {
			value = "missing"
		}
		if err := reply(c, value); err != nil {
			return err
		}
	}
	return nil
}

func blocks(c *controller.Ctx) error {
	first, err := c.Before()
	if err != nil {
		return err
	}
	if _, err := first.WriteString("one"); err != nil {
		return err
	}
	second, err := c.Before()
	if err != nil {
		return err
	}
	if _, err := second.WriteString("two"); err != nil {
		return err
	}
	if err := second.Span(c.Input, 0, -1); err != nil {
		return err
	}
	after, err := c.After()
	if err != nil {
		return err
	}
	if _, err := after.WriteString("three"); err != nil {
		return err
	}
	_, err = first.WriteString("more")
	c.Log.Info(formatFate(err))
	return controller.Pass
}

func rewrite(c *controller.Ctx) error {
	at, _, err := c.Input.JSON().Span("/arguments")
	if err != nil {
		return err
	}
	c.Log.Info(formatFate(c.Rewrite(c.String("text", ""), c.Input, at.Start, at.Len())))
	return controller.Pass
}

func notify(c *controller.Ctx) error {
	c.Log.Info(formatFate(c.ToolsChanged()))
	c.Log.Info(formatFate(c.Notify("notifications/message", `{"level":"info","data":"kit"}`)))
	c.Log.Info(formatFate(c.Notify(c.String("text", ""), "")))
	return controller.Pass
}

func early(c *controller.Ctx) error {
	_, err := c.Before()
	tool := c.String("text", "")
	for _, err := range []error{err, c.AnswerIs(controller.IsError), c.Rewrite(tool, c.Input, 0, -1), c.HideTool(tool), c.AddTool(virtual)} {
		c.Log.Info(formatFate(err))
	}
	return controller.Pass
}

func closing(c *controller.Ctx) error {
	reason, err := c.Input.JSON().String("/reason")
	c.Log.Info(reason)
	return endWithPass(c, err)
}
