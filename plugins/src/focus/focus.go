// Package focus keeps the parts of a content that match what was asked.
//
// What was asked is the question of the model, or else the words of the arguments of the
// call. The parts are the sections that section-split finds; those that match best are
// shown in their order, with their own bytes, up to a budget. An index below them leads to
// the rest. Without a question the content passes to the next stage, and so it does if no
// word of the question is in it. If all parts match equally, only the index is shown.
package focus

import (
	sectionsplit "github.com/mcpctl/mcpctl/plugins/src/section-split"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("focus", run) }

// maxContent is the size up to which the content is searched, so that a guest reads all of it
// in half of its time: 2 MB take about 0.4 s.
const maxContent = 5 << 20

func run(c *stage.Ctx) error {
	size := c.Input.Len()
	if size < c.Int("minSize", 5000) || size > maxContent || c.Sections.Len() > 0 {
		return stage.Pass
	}
	if c.ContentType() == stage.Prompt {
		return stage.Pass // its arguments are values for its text, and its text is an instruction
	}
	if c.Input.Hash(0, -1) != c.Original.Hash(0, -1) {
		return stage.Pass // sections are spans of the original
	}
	terms := readTerms(c)
	if len(terms) == 0 {
		return stage.Pass
	}
	if !occurs(c.Original.Bytes(), terms) {
		return stage.Pass
	}
	b := newBudget(c)
	head, err := sectionsplit.OutlineUnits(c, b.leaf)
	if err != nil {
		return err
	}
	d := readUnits(c, 2*b.leaf)
	hits := rank(d, terms)
	kept := b.choose(d, hits)
	if len(kept) == 0 { // the sections are added, so this stage shows them
		return writeIndex(c, head)
	}
	return write(c, d, answer{head: head, terms: terms, kept: kept, matches: len(hits), index: b.index})
}
