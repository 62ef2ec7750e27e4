package focus

import (
	"slices"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// budget limits the answer.
type budget struct {
	tokens int // for the units
	leaf   int // size in bytes up to which a section is not split
	index  int // bytes of the index below the units
}

// Limits of a budget, and the shares of the parts of an answer.
const (
	minLeaf, maxLeaf   = 300, 1500
	minIndex, maxIndex = 200, 1200
	headTokens         = 60 // of the text around the units and the index
	bytesPerToken      = 3
	slack              = 92 // per cent of the budget that is planned, because ids have fewer bytes a token
)

// newBudget returns the budget for the content.
func newBudget(c *stage.Ctx) budget {
	whole := c.Original.Tokens(0, -1)
	all := max(whole*c.Int("budget", 20)/100, min(c.Int("floor", 500), whole/2))
	all = min(all, c.Int("ceiling", 4000))
	b := budget{index: min(max(all*bytesPerToken/5, minIndex), maxIndex)}
	b.tokens = all*slack/100 - headTokens - b.index/bytesPerToken
	b.leaf = min(max(b.tokens*bytesPerToken/8, minLeaf), maxLeaf)
	return b
}

// choose returns the units that match best and fit into the budget, in the order of the
// content. hits are the best first. A unit that does not fit is skipped, because a shorter
// one may fit.
func (b *budget) choose(d *document, hits []hit) (kept []int) {
	left, labels := b.tokens, make(map[string]bool)
	for _, h := range hits {
		u := &d.units[h.unit]
		n, label := d.tokens(u)+lineTokens, d.label(u)
		if !labels[label] {
			n += len(label) / bytesPerToken
		}
		if n > left {
			continue
		}
		left -= n
		labels[label] = true
		kept = append(kept, h.unit)
		if left < lineTokens {
			break
		}
	}
	slices.Sort(kept)
	return kept
}

// lineTokens is the estimated cost of the line ends and the words around a unit.
const lineTokens = 2
