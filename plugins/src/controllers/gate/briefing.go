package gate

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/match"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Limits of one answer. All of them together stay below 50,000 characters: clients
// put longer ones where no model reads them.
const (
	maxFull   = 34_000 // bytes of prompts in full with the lines round them
	maxFrame  = 300    // bytes of the lines round a prompt, as a rule
	maxTexts  = 200    // prompts in full
	maxMisses = 16     // prompts that are read and do not fit
	maxDue    = 3_000  // bytes of the list of critical ones that do not fit
	maxAgain  = 40     // names of prompts that were sent before
	maxIndex  = 7_000  // bytes of the list of all others
	maxTools  = 300    // bytes of names of tools: the list of tools that follows has all of them
)

// choice is the prompts that were chosen, best first.
type choice struct {
	list []int          // positions
	why  map[int]string // reasons, if an LLM chose
}

// briefing is what one answer tells of the prompts.
type briefing struct {
	c       *controller.Ctx
	prompts *match.List
	budget  int
	recall  bool // critical ones that were sent before are named

	critical []rope       // in full, whatever was asked
	matched  []rope       // in full, as far as the budget goes
	due      []int        // critical ones that are too long
	missing  []int        // critical ones that cannot be read now
	later    []int        // chosen ones that did not fit
	again    []int        // chosen ones that were sent before
	told     []byte       // by prompt: untold, told, left or lost
	size     map[int]int  // bytes of those that were read and did not fit
	sent     map[int]bool // what answers before have sent, and did not change since
	first    int          // prompts that are critical
	used     int          // bytes of prompts in full
	total    int          // with the lines round them
	misses   int
	fresh    map[string]string // hashes by name, of this answer
	news     strings.Builder   // the same as the state keeps it
}

// What an answer says of a prompt.
const (
	untold = iota
	told   // in full, or before
	left   // that it did not fit
	lost   // that it cannot be read now
)

func newBriefing(c *controller.Ctx, prompts *match.List) *briefing {
	return &briefing{
		c: c, prompts: prompts, sent: sentBefore(c, prompts), fresh: make(map[string]string), budget: c.Int("byteBudget", 8192),
		first: prompts.Criticals(), told: make([]byte, prompts.Len()), size: make(map[int]int),
	}
}

// sentBefore tells which prompts this session has been sent as they are now.
func sentBefore(c *controller.Ctx, prompts *match.List) map[int]bool {
	hashes, sent := sentPrompts(c), make(map[int]bool)
	for name, i := range match.Places(prompts, hashes) {
		if hashes[name] == mark(prompts.At(i).Hash) {
			sent[i] = true
		}
	}
	return sent
}

// fill takes all critical prompts, whatever was chosen and however large the
// budget, and then those that were chosen until it is used up. What is sent of a
// prompt counts, which stages may have made shorter. One that does not fit leaves its room to smaller ones
// that come after it.
func (b *briefing) fill(chosen *choice) {
	for i := range b.first {
		switch b.deliver(&b.critical, i, "", maxFull) {
		case tooLong:
			b.due = append(b.due, i)
		case gone:
			b.missing = append(b.missing, i)
		case known:
			b.told[i] = told
			if b.recall {
				b.again = append(b.again, i)
			}
		}
	}
	b.misses = 0
	for _, i := range chosen.list {
		critical := i < b.first
		switch {
		case critical && b.sent[i] && !b.recall:
			b.again = append(b.again, i)
		case critical:
		default:
			b.choose(i, chosen.why[i])
		}
	}
}

func (b *briefing) choose(i int, why string) {
	switch b.deliver(&b.matched, i, why, b.budget) {
	case tooLong:
		b.later = append(b.later, i)
	case gone:
		b.later = append(b.later, i)
	case known:
		b.again = append(b.again, i)
		b.told[i] = told
	}
}

// How the delivery of a prompt ends.
const (
	delivered = iota
	known     // sent before in this session, and not changed since
	tooLong   // for what is left
	gone      // its text cannot be read now: a dead link
)

// deliver puts a prompt's text into to, if there is room for it.
func (b *briefing) deliver(to *[]rope, i int, why string, limit int) int {
	switch {
	case b.sent[i]:
		return known
	case b.misses == maxMisses || len(b.critical)+len(b.matched) == maxTexts:
		b.told[i] = left
		return tooLong
	}
	p := b.prompts.At(i)
	if b.used >= limit && p.Bytes > 0 {
		b.misses++ // of thousands that were chosen not each is looked at
		b.told[i] = left
		return tooLong
	}
	body, err := b.textOf(p)
	if err != nil {
		b.c.Log.Info("prompt cannot be read", "prompt", p.Name, "because", err.Error())
		b.told[i] = lost
		return gone
	}
	text := framed(p, body, why)
	if b.used+body.Len() > limit || b.total+text.len() > maxFull {
		b.misses++
		b.told[i], b.size[i] = left, body.Len()
		body.Free()
		return tooLong
	}
	b.used += body.Len()
	b.total += text.len()
	b.told[i] = told
	b.fresh[p.Name] = mark(p.Hash)
	b.news.WriteString(p.Name + " " + mark(p.Hash) + "\n")
	*to = append(*to, text)
	return delivered
}

// textOf is a prompt as the project's stages leave it. Of a critical one that they
// cut, to an index or a page, it is the text as written, as long as that fits: it is
// not left to the model whether it reads on.
func (b *briefing) textOf(p *controller.Prompt) (stage.Buf, error) {
	body, err := b.c.PromptBody(p.Name)
	if err != nil || p.Priority < match.Critical || body.Len() >= p.Bytes || b.total+p.Bytes+maxFrame > maxFull {
		return body, err
	}
	body.Free()
	return b.c.PromptStored(p.Name)
}

// mark is as much of a hash as tells one text of a prompt from another.
func mark(hash string) string { return hash[:min(len(hash), 12)] }

// framed is a prompt between two lines that do not occur in it, so that it cannot
// pass for more than itself.
func framed(p *controller.Prompt, body stage.Buf, why string) rope {
	bar := "===="
	for len(bar) < 2048 && body.Find(bar+" end of ") >= 0 {
		bar += bar
	}
	title := bar + " " + p.Name + ", priority " + strconv.Itoa(p.Priority)
	if why != "" {
		title += " (" + why + ")"
	}
	end := "\n" + bar + " end of " + p.Name
	if last := body.Len() - 1; last >= 0 {
		var c [1]byte
		if _, _ = body.ReadAt(c[:], int64(last)); c[0] == '\n' {
			end = end[1:]
		}
	}
	return rope{{words: title + "\n"}, {body: body, whole: true}, {words: end}}
}

// commit keeps what the answer changes.
func (b *briefing) commit(keywords []string, opening bool) error {
	if err := addSent(b.c, b.fresh, b.news.String()); err != nil {
		return err
	}
	if err := addTags(b.c, keywords); err != nil {
		return err
	}
	if !opening {
		return nil
	}
	return openUp(b.c)
}
