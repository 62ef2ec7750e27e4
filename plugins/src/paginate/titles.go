package paginate

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/rewrite"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Of a page the LLM gets the start, and it answers with a few words.
const (
	quoted      = 2000 // characters
	titleTokens = 24
	titleBytes  = 80
)

const instructions = "Name the topic of this part of a longer text in at most eight words, in the language of the text. Answer with the name only."

// titles are what an LLM calls the pages, each with a colon before it; empty where
// it was not asked or has not answered yet. It is asked in the background, the
// next read has them.
func titles(c *stage.Ctx, pages []page) []string {
	names := make([]string, len(pages))
	if c.String("pageTitles", "number") != "llm" || c.LLM.Available(stage.Fast) == 0 {
		return names
	}
	of := make(map[stage.Answer]int)
	for i, p := range pages {
		end := p.end
		if end-p.start > 2*quoted {
			end = border(c.Input.Bytes(), p.start, after(c.Input.Bytes(), p.start, quoted))
		}
		answer, err := c.LLM.Send(stage.Request{Tier: stage.Fast, MaxTokens: titleTokens, System: instructions + rewrite.Data,
			Parts: []stage.Text{stage.Quote(c.Input, p.start, end-p.start)}, Background: true})
		if err != nil {
			c.Log.Info("titles left out", "asked", i, "of", len(pages), "because", err.Error())
			break // those that are stored cost nothing: the next run goes on
		}
		of[answer] = i
	}
	for answer := range c.LLM.Ready() {
		b, err := answer.Result()
		if i, ok := of[answer]; ok && err == nil {
			names[i] = named(b.String())
		}
	}
	return names
}

// named is an answer as a title shows it.
func named(answer string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	if line = strings.Trim(line, ` "'.#*`); line == "" {
		return ""
	}
	return ": " + caption.Of([]byte(line), titleBytes)
}
