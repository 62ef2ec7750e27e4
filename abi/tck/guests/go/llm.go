package main

import (
	"errors"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() {
	cases["llm"] = func(c *stage.Ctx) error { return write(c, complete(&c.Base)) }
	cases["each"] = each
	cases["late"] = late
}

// complete sends a request and returns the lines of the case.
func complete(c *stage.Base) string {
	text := "available " + formatInt(c.LLM.Available(stage.Heavy)) + "\n"
	answer, err := c.LLM.Complete(stage.Request{
		Tier: stage.Heavy, MaxTokens: c.Int("number", 0), JSON: c.Bool("flag", false), System: "Be brief.",
		Parts: []stage.Text{stage.Words("Name it: "), stage.Quote(c.Input, 0, 5)},
	})
	switch {
	case errors.Is(err, stage.ErrCut):
		return text + "cut " + answer.String() + "\n"
	case err != nil:
		return text + formatFate(err) + "\n"
	}
	return text + answer.String() + "\n"
}

// newRequest returns a request that quotes a line of the input without its newline.
func newRequest(c *stage.Ctx, s stage.Span, background bool) stage.Request {
	return stage.Request{MaxTokens: 100, Background: background, Parts: []stage.Text{stage.Quote(c.Input, s.Start, s.Len()-1)}}
}

func each(c *stage.Ctx) error {
	order := map[stage.Answer]int{}
	var texts []string
	for s := range c.Input.Lines(0) {
		a, err := c.LLM.Send(newRequest(c, s, false))
		if err != nil {
			texts = append(texts, formatFate(err))
			continue
		}
		order[a] = len(texts)
		texts = append(texts, "")
	}
	for range order {
		a, err := c.LLM.Next(10_000)
		if err != nil {
			return err
		}
		text, err := a.Result()
		if texts[order[a]] = text.String(); err != nil {
			texts[order[a]] = formatFate(err)
		}
	}
	_, err := c.LLM.Next(10_000)
	return writeLine(c, strings.Join(append(texts, formatFate(err)), "\n"))
}

func late(c *stage.Ctx) error {
	of := map[stage.Answer]int{}
	for s := range c.Input.Lines(0) {
		i, err := c.Sections.Add(stage.Top, c.Input, s.Start, s.End, "")
		if err != nil {
			return err
		}
		if err := c.Sections.SetTitleSpan(i, c.Input, s.Start, s.Len()-1); err != nil {
			return err
		}
		a, err := c.LLM.Send(newRequest(c, s, true))
		if err != nil {
			return err
		}
		of[a] = i
	}
	for a := range c.LLM.Ready() {
		if text, err := a.Result(); err == nil {
			if err := c.Sections.SetSummary(of[a], text, 0, -1); err != nil {
				return err
			}
		}
	}
	return stage.Pass
}
