package paginate

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/rewrite"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// The LLM reads the start of a page and answers with a few words.
const (
	maxQuoted   = 2000 // characters
	titleTokens = 24
	titleBytes  = 80
)

const instructions = "Name the topic of this part of a longer text in at most eight words, in the language of the text. Answer with the name only."

// askTitles returns the titles of pages by an LLM, each with a leading colon, or "" without
// an answer. The LLM is asked in the background, so the next read has its answers.
func askTitles(c *stage.Ctx, pages []page) []string {
	names := make([]string, len(pages))
	if c.String("pageTitles", "number") != "llm" || c.LLM.Available(stage.Fast) == 0 {
		return names
	}
	of := make(map[stage.Answer]int)
	for i, p := range pages {
		end := p.end
		if end-p.start > 2*maxQuoted {
			end = findPageEnd(c.Input.Bytes(), p.start, skipChars(c.Input.Bytes(), p.start, maxQuoted))
		}
		answer, err := c.LLM.Send(stage.Request{Tier: stage.Fast, MaxTokens: titleTokens, System: instructions + rewrite.Data,
			Parts: []stage.Text{stage.Quote(c.Input, p.start, end-p.start)}, Background: true})
		if err != nil {
			c.Log.Info("titles left out", "asked", i, "of", len(pages), "because", err.Error())
			break // stored answers cost nothing, so the next run continues
		}
		of[answer] = i
	}
	for answer := range c.LLM.Ready() {
		b, err := answer.Result()
		if i, ok := of[answer]; ok && err == nil {
			names[i] = formatTitle(b.String())
		}
	}
	return names
}

// formatTitle formats an answer as a title.
func formatTitle(answer string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	if line = strings.Trim(line, ` "'.#*`); line == "" {
		return ""
	}
	return ": " + caption.Of([]byte(line), titleBytes)
}
