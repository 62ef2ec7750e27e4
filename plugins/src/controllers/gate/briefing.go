package gate

import (
	"errors"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/match"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Limits of one answer. Together they stay below 50,000 characters, because
// clients save longer results to a file that no model reads.
const (
	maxFull   = 34_000 // bytes of prompts in full, including their frames
	maxFrame  = 300    // bytes of the frame of a prompt, usually
	maxTexts  = 200    // prompts in full
	maxMisses = 16     // prompts that are read and do not fit
	maxDue    = 3_000  // bytes of the list of critical prompts that do not fit
	maxAgain  = 40     // names of prompts that were sent before
	maxIndex  = 7_000  // bytes of the list of other prompts
	maxTools  = 300    // bytes of names of tools; the list of tools that follows is complete
)

// choice is the selected prompts, best first.
type choice struct {
	list []int          // positions
	why  map[int]string // reasons, if an LLM chose
}

// briefing is one answer about the prompts of a project.
type briefing struct {
	c        *controller.Ctx
	prompts  *match.List
	budget   int
	listSent bool // list the critical prompts that were sent before

	critical    []rope       // always sent in full
	matched     []rope       // sent in full up to the budget
	due         []int        // critical prompts that are too long
	missing     []int        // critical prompts that cannot be read now
	later       []int        // chosen prompts that did not fit
	sentEarlier []int        // chosen prompts that were sent before
	mention     []byte       // by prompt: one of the constants below
	size        map[int]int  // bytes of prompts that were read and did not fit
	sent        map[int]bool // prompts sent by earlier answers and unchanged since
	first       int          // number of critical prompts
	used        int          // bytes of prompts in full
	total       int          // used and the frames
	misses      int
	fresh       map[string]string // hashes by name of prompts sent in this answer
	sentLines   strings.Builder   // fresh in the format of the state
}

// Mentions of a prompt in an answer.
const (
	notMentioned = iota
	mentioned    // sent in full, now or before
	notFitting   // listed because it did not fit
	unreadable   // listed because it cannot be read now
	ungranted    // listed because its link has no grant
)

func newBriefing(c *controller.Ctx, prompts *match.List) *briefing {
	return &briefing{
		c: c, prompts: prompts, sent: findSent(c, prompts), fresh: make(map[string]string), budget: c.Int("byteBudget", 8192),
		first: prompts.CountCritical(), mention: make([]byte, prompts.Len()), size: make(map[int]int),
	}
}

// findSent returns the prompts whose current text was sent in this session.
func findSent(c *controller.Ctx, prompts *match.List) map[int]bool {
	hashes, sent := readSent(c), make(map[int]bool)
	for name, i := range match.Places(prompts, hashes) {
		if hashes[name] == shortHash(prompts.At(i).Hash) {
			sent[i] = true
		}
	}
	return sent
}

// addPrompts adds all critical prompts, chosen or not and regardless of the budget, and
// then chosen prompts until the budget is used up. The size of a prompt is that of
// the text sent, which stages may have shortened. If a prompt does not fit, smaller
// ones after it may.
func (b *briefing) addPrompts(chosen *choice) {
	for i := range b.first {
		switch b.deliver(&b.critical, i, "", maxFull) {
		case tooLong:
			b.due = append(b.due, i)
		case gone:
			b.missing = append(b.missing, i)
		case known:
			b.mention[i] = mentioned
			if b.listSent {
				b.sentEarlier = append(b.sentEarlier, i)
			}
		}
	}
	b.misses = 0
	for _, i := range chosen.list {
		critical := i < b.first
		switch {
		case critical && b.sent[i] && !b.listSent:
			b.sentEarlier = append(b.sentEarlier, i)
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
		b.sentEarlier = append(b.sentEarlier, i)
		b.mention[i] = mentioned
	}
}

// Results of deliver.
const (
	delivered = iota
	known     // sent before in this session and unchanged since
	tooLong   // does not fit
	gone      // cannot be read now, e.g. a dead link
)

// deliver appends the framed text of prompt i to to if it fits into limit.
func (b *briefing) deliver(to *[]rope, i int, why string, limit int) int {
	switch {
	case b.sent[i]:
		return known
	case b.misses == maxMisses || len(b.critical)+len(b.matched) == maxTexts:
		b.mention[i] = notFitting
		return tooLong
	}
	p := b.prompts.At(i)
	if b.used >= limit && p.Bytes > 0 {
		b.misses++ // avoids reading each of thousands of chosen prompts
		b.mention[i] = notFitting
		return tooLong
	}
	body, err := b.readText(p)
	if err != nil {
		b.c.Log.Info("prompt cannot be read", "prompt", p.Name, "because", err.Error())
		b.mention[i] = unreadable
		if errors.Is(err, stage.Denied) {
			b.mention[i] = ungranted
		}
		return gone
	}
	text := frame(p, body, why)
	if b.used+body.Len() > limit || b.total+text.len() > maxFull {
		b.misses++
		b.mention[i], b.size[i] = notFitting, body.Len()
		body.Free()
		return tooLong
	}
	b.used += body.Len()
	b.total += text.len()
	b.mention[i] = mentioned
	b.fresh[p.Name] = shortHash(p.Hash)
	b.sentLines.WriteString(p.Name + " " + shortHash(p.Hash) + "\n")
	*to = append(*to, text)
	return delivered
}

// readText returns a prompt after the stages of the project. If they cut a critical
// prompt to an index or a page, it returns the stored text where that fits, because
// a model might not read on.
func (b *briefing) readText(p *controller.Prompt) (stage.Buf, error) {
	body, err := b.c.PromptBody(p.Name)
	if err != nil || p.Priority < match.Critical || body.Len() >= p.Bytes || b.total+p.Bytes+maxFrame > maxFull {
		return body, err
	}
	body.Free()
	return b.c.PromptStored(p.Name)
}

// shortHash returns a prefix of a hash that is long enough to tell texts of a prompt apart.
func shortHash(hash string) string { return hash[:min(len(hash), 12)] }

// frame returns a prompt between two lines that do not occur in it, so that its
// text cannot imitate other parts of the answer.
func frame(p *controller.Prompt, body stage.Buf, why string) rope {
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

// commit saves the prompts sent and the keywords, and opens the session if opening is set.
func (b *briefing) commit(keywords []string, opening bool) error {
	if err := addSent(b.c, b.fresh, b.sentLines.String()); err != nil {
		return err
	}
	if err := addTags(b.c, keywords); err != nil {
		return err
	}
	if !opening {
		return nil
	}
	return openSession(b.c)
}
