// Package summarize answers content by a summary that an LLM makes.
//
// Lines that state a duty and that the summary lacks stand below it word for word:
// an LLM is not trusted with rules. Without an answer in time the content passes
// unchanged, and the summary is there at the next read.
package summarize

import (
	"errors"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/rewrite"
	sectionsplit "github.com/mcpctl/mcpctl/plugins/src/section-split"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("summarize", run) }

// maxQuote is how much of the content the LLM gets, in bytes: of a longer one,
// excerpts.
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
	text = rewrite.Marked(head(c), text) + rewrite.Rest(c, text, 4*tokens)
	if _, err := c.Out.WriteString(text); err != nil {
		return err
	}
	if !c.Bool("includeSectionLinks", true) {
		return nil
	}
	return links(c)
}

// head says who speaks, and of what: of a long content the LLM saw excerpts alone.
func head(c *stage.Ctx) string {
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

// links adds the index of the original: the tree of a stage before, or the first
// two levels.
func links(c *stage.Ctx) error {
	head := ""
	if c.Sections.Len() == 0 {
		var err error
		if head, err = sectionsplit.Outline(c, 2); errors.Is(err, stage.Pass) {
			return nil // too little to choose from
		} else if err != nil {
			return err
		}
	}
	if _, err := c.Out.WriteString("\n\n" + head); err != nil {
		return err
	}
	return c.Out.Index(stage.Top, 0, 0)
}
