package stagetest_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

func TestComplete(t *testing.T) {
	var asked stagetest.Question
	call := stagetest.Call{Input: "the content", LLM: func(q stagetest.Question) stagetest.Reply {
		asked = q
		return stagetest.Reply{Text: "short"}
	}}
	got := pass(t, call, func(c *stage.Ctx) {
		want(t, "available", c.LLM.Available(stage.Heavy) > 0, true)
		text, err := c.LLM.Complete(stage.Request{
			Tier: stage.Heavy, MaxTokens: 50, System: "Be brief.",
			Parts: []stage.Text{stage.Words("Summarise: "), stage.Quote(c.Input, 4, -1)},
		})
		want(t, "answer", text.String(), "short")
		want(t, "error", err, nil)
	})
	want(t, "asked", asked, stagetest.Question{Tier: stage.Heavy, MaxTokens: 50, System: "Be brief.", Prompt: "Summarise: <quote>content</quote>"})
	want(t, "provisional", got.Provisional, false)
}

// A stage gets a distinct error for each reason of a missing answer.
func TestCompleteWithoutAnAnswer(t *testing.T) {
	tests := []struct {
		name        string
		llm         func(stagetest.Question) stagetest.Reply
		request     stage.Request
		code        error
		provisional bool
	}{
		{"none configured", nil, stage.Request{}, stage.Unavailable, false},
		{"error", func(stagetest.Question) stagetest.Reply { return stagetest.Reply{Err: stage.Upstream} }, stage.Request{}, stage.Upstream, true},
		{"slow", func(stagetest.Question) stagetest.Reply { return stagetest.Reply{Later: true} }, stage.Request{}, stage.Timeout, true},
		{"no JSON", func(stagetest.Question) stagetest.Reply { return stagetest.Reply{Text: "{"} }, stage.Request{JSON: true}, stage.Upstream, true},
		{"cut", func(stagetest.Question) stagetest.Reply { return stagetest.Reply{Text: "half", Cut: true} }, stage.Request{}, stage.ErrCut, false},
		{"too many tokens", func(stagetest.Question) stagetest.Reply { return stagetest.Reply{} }, stage.Request{MaxTokens: 99_999, System: "three more words"}, stage.Limit, true},
		{"no such number of tokens", func(stagetest.Question) stagetest.Reply { return stagetest.Reply{} }, stage.Request{MaxTokens: 100_001}, stage.BadArg, false},
		{"words that are not UTF-8", func(stagetest.Question) stagetest.Reply { return stagetest.Reply{} }, stage.Request{System: "\xff"}, stage.BadArg, false},
		{"negative tokens", func(stagetest.Question) stagetest.Reply { return stagetest.Reply{} }, stage.Request{MaxTokens: -1}, stage.BadArg, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := pass(t, stagetest.Call{LLM: tt.llm}, func(c *stage.Ctx) {
				if _, err := c.LLM.Complete(tt.request); !errors.Is(err, tt.code) {
					t.Errorf("error %v, want %v", err, tt.code)
				}
			})
			want(t, "provisional", got.Provisional, tt.provisional)
		})
	}
}

// The pattern of the LLM's documentation: stored answers are used now; the others make the
// run provisional and are used in the next one.
func TestReadyNowAndLater(t *testing.T) {
	stored := map[string]bool{"<quote>a\n</quote>": true}
	llm := func(q stagetest.Question) stagetest.Reply {
		want(t, "background", q.Background, true)
		if stored[q.Prompt] {
			return stagetest.Reply{Text: "about " + q.Prompt[7:8], Stored: true}
		}
		stored[q.Prompt] = true
		return stagetest.Reply{Later: true}
	}
	summarise := func(c *stage.Ctx) {
		of := map[stage.Answer]int{}
		for s := range c.Input.Lines(0) {
			i, _ := c.Sections.Add(stage.Top, c.Input, s.Start, s.End, "")
			a, err := c.LLM.Send(stage.Request{Background: true, Parts: []stage.Text{stage.Quote(c.Input, s.Start, s.Len())}})
			want(t, "send", err, nil)
			of[a] = i
		}
		for a := range c.LLM.Ready() {
			want(t, "settled", a.Settled(), true)
			text, err := a.Result()
			want(t, "result", err, nil)
			c.Sections.SetSummary(of[a], text, 0, -1)
		}
	}
	summaries := func(r stagetest.Result) string {
		var list []string
		for _, s := range r.Sections {
			list = append(list, s.Summary)
		}
		return strings.Join(list, "|")
	}
	first := pass(t, stagetest.Call{Input: "a\nb\nc\n", LLM: llm}, summarise)
	want(t, "first", summaries(first), "about a||")
	want(t, "first is provisional", first.Provisional, true)
	second := pass(t, stagetest.Call{Input: "a\nb\nc\n", LLM: llm}, summarise)
	want(t, "second", summaries(second), "about a|about b|about c")
	want(t, "second is provisional", second.Provisional, false)
}

func TestNext(t *testing.T) {
	llm := func(q stagetest.Question) stagetest.Reply {
		return stagetest.Reply{Text: q.Prompt, Later: q.Prompt == "late"}
	}
	pass(t, stagetest.Call{LLM: llm}, func(c *stage.Ctx) {
		var sent []stage.Answer
		for _, words := range []string{"one", "late", "two"} {
			a, _ := c.LLM.Send(stage.Request{Parts: []stage.Text{stage.Words(words)}})
			sent = append(sent, a)
		}
		for _, wanted := range []int{0, 2} {
			a, err := c.LLM.Next(100)
			want(t, "next", a, sent[wanted])
			want(t, "error", err, nil)
		}
		if _, err := c.LLM.Next(100); !errors.Is(err, stage.Timeout) {
			t.Errorf("with one under way: %v, want timeout", err)
		}
		want(t, "late has settled", sent[1].Settled(), false)
		if _, err := sent[1].Result(); !errors.Is(err, stage.Timeout) {
			t.Errorf("result under way: %v, want timeout", err)
		}
		if err := sent[1].Wait(5); !errors.Is(err, stage.Timeout) {
			t.Errorf("wait: %v, want timeout", err)
		}
	})
	pass(t, stagetest.Call{LLM: llm}, func(c *stage.Ctx) {
		if _, err := c.LLM.Next(100); !errors.Is(err, stage.NotFound) {
			t.Errorf("nothing sent: %v, want not found", err)
		}
	})
}

func TestStoredAnswersCostNoQuota(t *testing.T) {
	llm := func(q stagetest.Question) stagetest.Reply {
		return stagetest.Reply{Stored: strings.HasPrefix(q.Prompt, "stored")}
	}
	pass(t, stagetest.Call{LLM: llm}, func(c *stage.Ctx) {
		for i := range 64 {
			words := "new " + strconv.Itoa(i)
			if i%2 == 0 {
				words = "stored " + words
			}
			if _, err := c.LLM.Send(stage.Request{Parts: []stage.Text{stage.Words(words)}}); err != nil {
				t.Fatalf("request %d: %v", i, err)
			}
		}
		if _, err := c.LLM.Send(stage.Request{}); !errors.Is(err, stage.Limit) {
			t.Errorf("new request 33: %v, want limit", err)
		}
	})
}
