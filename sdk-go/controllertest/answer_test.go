package controllertest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// answer runs f in a call.
func answer(f func(c *controller.Ctx) error) controllertest.Effects {
	return run(controller.OnToolCall, register(new(controllertest.Session), controller.Hooks{ToolCall: f}))
}

// Blocks are before and after the result in the order they were opened. Writes to the
// answer go to the answer, regardless of open blocks.
func TestBlocks(t *testing.T) {
	e := answer(func(c *controller.Ctx) error {
		first, _ := c.Before()
		first.WriteString("on")
		first.WriteString("e")
		second, _ := c.Before()
		if _, err := first.WriteString("late"); !errors.Is(err, stage.Unsupported) {
			t.Errorf("a block after which another one was opened: %v", err)
		}
		second.WriteString("two")
		c.Answer.WriteString("ans")
		if _, err := second.WriteString("late"); !errors.Is(err, stage.Unsupported) {
			t.Errorf("a block after the answer: %v", err)
		}
		after, _ := c.After()
		after.Span(c.Client, 2, 4)
		empty, _ := c.After()
		empty.WriteString("")
		_, err := c.Answer.WriteString("wer")
		return err
	})
	want(t, "answer", e.Answer, "answer")
	want(t, "before", fmt.Sprint(e.Before), "[one two]")
	want(t, "after", fmt.Sprint(e.After), "[name]")
}

// A hook that writes beyond a limit fails.
func TestOutputLimits(t *testing.T) {
	tests := []struct {
		name   string
		do     func(c *controller.Ctx) error
		reason string
	}{
		{"17 blocks", func(c *controller.Ctx) error {
			for range 17 {
				c.Before()
			}
			return controller.Pass
		}, "17 blocks, limit 16"},
		{"64 KiB of blocks", func(c *controller.Ctx) error {
			for range 2 {
				b, _ := c.Before()
				b.WriteString(strings.Repeat("x", 40_000))
			}
			return controller.Pass
		}, "blocks over 65,536 bytes"},
		{"a block that is not UTF-8", func(c *controller.Ctx) error {
			b, _ := c.Before()
			b.WriteString("a\xff")
			return controller.Pass
		}, "block 1 is not UTF-8 at byte 1"},
		{"an answer over its limit", func(c *controller.Ctx) error {
			c.Answer.WriteString(strings.Repeat("x", c.Limits().OutputBytes+1))
			return nil
		}, "output over 1,048,584 bytes (set limits.output)"},
		{"an answer over its limit that is dropped", func(c *controller.Ctx) error {
			c.Answer.WriteString(strings.Repeat("x", c.Limits().OutputBytes+1))
			return controller.Pass
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { want(t, "reason", answer(tt.do).Reason, tt.reason) })
	}
}

// An invalid whole result is refused.
func TestWholeResult(t *testing.T) {
	tests := []struct{ name, result, reason string }{
		{"text", `{"content":[{"type":"text","text":"a"}]}`, ""},
		{"structured content", `{"content":[],"structuredContent":{"a":1}}`, ""},
		{"a type that MCP may have later", `{"content":[{"type":"later"}]}`, ""},
		{"no JSON", `{"content":`, "it is no JSON"},
		{"an array", `[]`, "it is an array, want an object"},
		{"no content", `{}`, "content missing"},
		{"a block without a type", `{"content":[{"text":"a"}]}`, "content[0].type missing"},
		{"a text without a text", `{"content":[{"type":"text","text":7}]}`, "content[0].text is a number, want a string"},
		{"isError is no bool", `{"content":[],"isError":"no"}`, "isError is a string, want a bool"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := answer(func(c *controller.Ctx) error {
				c.Answer.WriteString(tt.result)
				return c.AnswerIs(controller.WholeResult | controller.Stages)
			})
			if tt.reason == "" {
				want(t, "answer", e.Answer, tt.result)
				want(t, "kind", e.Kind, controller.WholeResult|controller.Stages)
				return
			}
			want(t, "reason", e.Reason, "answer is not a tool result: "+tt.reason)
		})
	}
}

// Prompts have their order, texts, links and refs.
func TestPrompts(t *testing.T) {
	s := &controllertest.Session{
		Project: "home",
		Prompts: []controllertest.Prompt{
			{Name: "b", Body: "bee", Summary: "about \"b\"", Chapters: []string{"One", "Two"}},
			{Name: "a", Body: "made", Stored: "raw", Link: "p/s:u"}, {Name: "z", Priority: 10, Link: "p/s:v", LinkStatus: "dead"},
		},
		System: map[string]string{"mcpctl-system/gate-instructions": "begin"},
	}
	in(t, controller.OnToolCall, s, func(c *controller.Ctx) {
		got := ""
		for p := range c.Prompts() {
			got += fmt.Sprintln(p.Name, p.Project, p.Priority, p.Summary, p.Chapters, p.Bytes, len(p.Hash), p.Link, p.LinkStatus, p.Ref)
		}
		want(t, "prompts", got, "z home 10  [] 0 64 p/s:v dead \na home 5  [] 3 64 p/s:u alive \nb home 5 about \"b\" [One Two] 3 64   \n")
		for name, text := range map[string]string{"a": "made", "mcpctl-system/gate-instructions": "begin"} {
			b, err := c.PromptBody(name)
			want(t, "error", err, nil)
			want(t, name, b.String(), text)
		}
		b, _ := c.PromptStored("a")
		want(t, "as stored", b.String(), "raw")
		for p := range c.Prompts() {
			if p.Name == "a" {
				b, err := c.OpenContent(p.Ref)
				want(t, "error", err, nil)
				want(t, "by its ref", b.String(), "made")
			}
		}
		for name, code := range map[string]stage.Code{"nobody": stage.NotFound, "z": stage.Unavailable} {
			if _, err := c.PromptBody(name); !errors.Is(err, code) {
				t.Errorf("%s: %v, want %v", name, err, code)
			}
		}
	})
}

func TestProposals(t *testing.T) {
	s := &controllertest.Session{}
	in(t, controller.OnToolCall, s, func(c *controller.Ctx) {
		id, err := c.ProposePrompt(`{"name":"new","content":"text","priority":3}`)
		want(t, "error", err, nil)
		want(t, "id", id, "request-1")
		for proposal, code := range map[string]stage.Code{
			`{"name":"new","content":"other"}`: stage.Conflict, `{"name":"x"}`: stage.BadArg, `[]`: stage.BadArg, `{"name":"x","content":"y","priority":11}`: stage.BadArg,
		} {
			if _, err := c.ProposePrompt(proposal); !errors.Is(err, code) {
				t.Errorf("%s: %v, want %v", proposal, err, code)
			}
		}
	})
	want(t, "proposals", fmt.Sprint(s.Proposals), "[{request-1 new text 3}]")
}

func TestContents(t *testing.T) {
	s := &controllertest.Session{
		Contents: []controllertest.Content{{Text: "one\ntwo", Source: "files/read"}},
		Section:  func(ref, section string) string { return section + " of " + ref },
	}
	ref := controllertest.Ref("one\ntwo")
	in(t, controller.OnToolCall, s, func(c *controller.Ctx) {
		b, _ := c.OpenContent(ref)
		want(t, "content", b.String(), "one\ntwo")
		m, _ := c.ContentMeta(ref)
		lines, _ := m.JSON().Int("/lines")
		source, _ := m.JSON().String("/source")
		want(t, "lines", lines, 2)
		want(t, "source", source, "files/read")
		b, _ = c.Section(ref, "setup")
		want(t, "section", b.String(), "setup of "+ref)
		for _, err := range []error{second(c.OpenContent("0")), second(c.ContentMeta("0")), second(c.Section("0", ""))} {
			if !errors.Is(err, stage.NotFound) {
				t.Errorf("a ref of nothing: %v", err)
			}
		}
	})
}

func second(_ stage.Buf, err error) error { return err }

// A hook can read the context of the session, the call and the result.
func TestContext(t *testing.T) {
	s := &controllertest.Session{
		Config: `{"n":3}`, Project: "home", NotGated: true, Name: "s1", TimeMillis: 1234567890123, Protocol: "2025-06-18",
		Client: controller.ClientInfo{Name: "claude-code", Version: "2.1", ListChanged: true, StructuredOnly: true, InstructionsChars: 99},
		Tools:  []controllertest.Tool{{Name: "files/read", Definition: `{"name":"r","inputSchema":{},"annotations":{"readOnlyHint":true}}`, Stale: true}},
	}
	in(t, controller.OnToolResult, s, func(c *controller.Ctx) {
		want(t, "config", c.Int("n", 0), 3)
		want(t, "project", c.Project(), "home")
		want(t, "gated", c.Gated(), false)
		want(t, "session", c.Session(), "s1")
		want(t, "time", c.TimeMillis(), 1234567890123)
		want(t, "protocol", c.Protocol(), "2025-06-18")
		want(t, "hook", c.Hook(), controller.OnToolResult)
		want(t, "client", c.ClientInfo(), s.Client)
		want(t, "position", c.Position(), stage.Position{Index: 0, Count: 1})
		want(t, "called", c.Called(), controller.Called{ID: "c1", Tool: "files/read", Wire: "files__read", ReadOnly: true})
		r := c.Result()
		want(t, "result", fmt.Sprint(r), fmt.Sprint(controller.Result{AnsweredBy: "files", Bytes: 5, Contents: []controller.Content{{Ref: controllertest.Ref("hello"), Kind: "text", Bytes: 5}}}))
		for v := range c.Servers() {
			want(t, "server", v, controller.Server{Name: "files", State: "ready", Tools: 1})
		}
		for tool := range c.Tools() {
			want(t, "stale", tool.Stale, tool.Kind == controller.UpstreamTool)
		}
	})
}

// A controller can use the LLM like a stage.
func TestLLM(t *testing.T) {
	s := &controllertest.Session{LLM: func(q stagetest.Question) stagetest.Reply {
		return stagetest.Reply{Text: `["a"]`, Later: q.Tier == stage.Fast}
	}}
	e := in(t, controller.OnToolCall, s, func(c *controller.Ctx) {
		b, err := c.LLM.Complete(stage.Request{Tier: stage.Heavy, JSON: true, Parts: []stage.Text{stage.Words("which?"), stage.Quote(c.Input, 0, -1)}})
		want(t, "error", err, nil)
		want(t, "answer", b.String(), `["a"]`)
		if _, err := c.LLM.Complete(stage.Request{Parts: []stage.Text{stage.Words("which?")}}); !errors.Is(err, stage.Timeout) {
			t.Errorf("no answer: %v", err)
		}
	})
	want(t, "provisional", e.Provisional, true)
}
