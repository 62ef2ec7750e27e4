// Package enhance lets an LLM rewrite prose as bullets or action items.
//
// The whole text is rewritten, so neither the question nor the answer is truncated: a
// text that is too long passes. Lines that state a duty and are missing in the new text
// are appended word for word.
package enhance

import (
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/rewrite"
	"github.com/mcpctl/mcpctl/plugins/src/scan/detect"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("enhance", run) }

// A text of fewer than minTokens gains nothing from rewriting. With more than maxTokens
// an answer would be truncated.
const (
	minTokens = 100
	maxTokens = 6000
)

func run(c *stage.Ctx) error {
	tokens := c.Input.Tokens(0, -1)
	if tokens < minTokens || tokens > maxTokens || !isProse(c) {
		return stage.Pass
	}
	text, ok := rewrite.Ask(c, rewrite.Request{System: instructions(c.String("format", "bullets")), MaxTokens: tokens + 200, MaxBytes: c.Input.Len()})
	if !ok {
		return stage.Pass
	}
	text = rewrite.AddMarks("Rewritten by a language model from "+strconv.Itoa(c.Original.Len())+" bytes", text) + rewrite.MissingDuties(c, text, c.Input.Len())
	if len(text) >= c.Input.Len() {
		c.Log.Info("the text of the LLM is longer, content passed on", "bytes", len(text))
		return stage.Pass
	}
	_, err := c.Out.WriteString(text)
	return err
}

// isProse reports whether the content is natural language.
func isProse(c *stage.Ctx) bool {
	switch detect.Detect(c.Input.Bytes(), detect.Options{Hint: c.Hint(), MIME: c.MIME()}).Type {
	case detect.Markdown, detect.Mixed, detect.Prose:
		return true
	}
	return false
}

func instructions(format string) string {
	form := "Write bullets, the most important first, one fact or rule each."
	if format == "action-items" {
		form = "Write first a list of action items, each beginning with a verb, in the order in which they are done; below it, as bullets, the facts and rules that they need."
	}
	return "You rewrite a text for a reader who acts on it. " + form +
		" Leave out greetings, repetitions and filler, and nothing else. Keep names, numbers, links, code and commands as they are. " +
		"Repeat each statement with MUST, REQUIRED or NEVER word for word. Invent nothing. Use the language of the text. Answer with the text only."
}
