// Package summarize replaces content with a summary by an LLM.
//
// Lines that state a duty and are missing in the summary are appended word for word,
// because an LLM is not trusted with rules. Without an answer in time the content passes
// unchanged, and the next read gets the summary.
package summarize

import (
	"errors"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/rewrite"
	sectionsplit "github.com/mcpctl/mcpctl/plugins/src/section-split"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("summarize", run) }

// maxQuote is the number of bytes of the content that the LLM gets; longer content is
// quoted in excerpts.
const maxQuote = 60_000

func run(c *stage.Ctx) error {
	tokens := c.Int("maxTokens", 500)
	before := c.Input.Tokens(0, -1)
	if before <= 2*tokens {
		return stage.Pass
	}
	text, ok := rewrite.Ask(c, rewrite.Request{System: instructions(tokens), MaxTokens: tokens, MaxBytes: maxQuote, CutIsFine: true})
	if !ok {
		return stage.Pass
	}
	text = rewrite.AddMarks(formatHead(c), text) + rewrite.MissingDuties(c, text, 4*tokens)
	if _, err := c.Out.WriteString(text); err != nil {
		return err
	}
	if !c.Bool("includeSectionLinks", true) {
		return nil
	}
	return writeIndex(c)
}

// formatHead returns the title of the summary. It states whether the LLM saw only excerpts.
func formatHead(c *stage.Ctx) string {
	size := strconv.Itoa(c.Original.Len()) + " bytes"
	if c.Input.Len() > maxQuote {
		size = "excerpts, " + strconv.Itoa(maxQuote) + " of " + size
	}
	return "Summary by a language model of " + size
}

func instructions(tokens int) string {
	return "You summarize what a tool or a document told, for a reader who acts on it and can open every part of the original. " +
		"Say first what it is, then what matters: names, numbers, states, what stands out. Keep identifiers, paths and commands as they are. " +
		"Repeat each statement with MUST, REQUIRED or NEVER word for word. Invent nothing. Use the language of the content. " +
		"Answer with the summary only, in at most " + strconv.Itoa(tokens*2/3) + " words."
}

// writeIndex adds the index of the original: the sections of an earlier stage, or the first
// two levels.
func writeIndex(c *stage.Ctx) error {
	head := ""
	if c.Sections.Len() == 0 {
		var err error
		if head, err = sectionsplit.Outline(c, 2); errors.Is(err, stage.Pass) {
			return nil // too few sections for an index
		} else if err != nil {
			return err
		}
	}
	if _, err := c.Out.WriteString("\n\n" + head); err != nil {
		return err
	}
	return c.Out.Index(stage.Top, 0, 0)
}
