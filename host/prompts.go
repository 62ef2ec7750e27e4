package host

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/cache"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/prompt"
)

// lookRound is how often links are looked at that are due for it.
const lookRound = 30 * time.Second

// prompts is what is known of the prompts of all projects beyond their files. Safe
// for concurrent use.
type prompts struct {
	summaries *prompt.Summaries
	links     *prompt.Links
	stir      chan struct{} // something changed
	proposing sync.Mutex

	mu      sync.Mutex
	version uint64 // rises when something was learnt
	books   map[string]*book
	screens map[string]screens // by project
}

func (h *Host) openPrompts() {
	p := &prompts{stir: make(chan struct{}, 1), books: make(map[string]*book), screens: make(map[string]screens)}
	opts := prompt.SummaryOptions{Log: h.log, Changed: func(string) { p.learnt() }}
	if h.opts.LLM != nil && !h.opts.Offline {
		opts.LLM = h.opts.LLM
	}
	if h.cache != nil {
		opts.Store = outlines{h}
	}
	p.summaries = prompt.NewSummaries(opts)
	p.links = prompt.NewLinks(prompt.LinkOptions{Read: h.readLink, Log: h.log, Changed: p.learnt})
	h.prompts = p
}

// outlines keeps summaries that an LLM made in the cache, each by the hash of what
// it sums up.
type outlines struct{ h *Host }

func (o outlines) by(project string) flow.Producer {
	return flow.Producer{Project: project, Role: "prompt-summary", ModuleHash: "host/prompt"}
}

// Get implements prompt.Store.
func (o outlines) Get(project, hash string) ([]byte, bool) {
	return o.h.cache.KV(o.by(project), nil).Get([]byte(hash))
}

// Set implements prompt.Store.
func (o outlines) Set(project, hash string, value []byte) error {
	return o.h.cache.KV(o.by(project), nil).Set([]byte(hash), value)
}

// learnt makes the next index another one.
func (p *prompts) learnt() {
	p.mu.Lock()
	p.version++
	p.mu.Unlock()
	p.nudge()
}

func (p *prompts) nudge() {
	select {
	case p.stir <- struct{}{}:
	default:
	}
}

// keepPrompts makes in the background what sessions would otherwise wait for:
// indexes, summaries, the health of links. It ends with the Host.
func (h *Host) keepPrompts() {
	round := time.NewTicker(lookRound)
	defer round.Stop()
	for {
		h.lookAtPrompts()
		select {
		case <-h.prompts.stir:
		case <-round.C:
		case <-h.life.Done():
			return
		}
	}
}

func (h *Host) lookAtPrompts() {
	var targets []string
	for _, o := range h.Snapshot().List(object.KindProject) {
		project := string(o.Key().Name)
		h.screenPrompts(project)
		index := h.PromptIndex(project)
		targets = append(targets, index.Links()...)
		index.EachWanting(func(p *object.Prompt, hash string) {
			if text, ok := h.promptKept(p); ok && len(text) > 0 {
				h.wantSummary(project, p, hash, text)
			}
		})
	}
	h.prompts.links.Check(targets)
}

// wantSummary has an LLM sum up a prompt, of which it reads what filters leave.
func (h *Host) wantSummary(project string, p *object.Prompt, hash string, text []byte) {
	if hashOf(text) != hash {
		left, err := h.filtered(h.life, project, p, text)
		if err != nil || hashOf(left) != hash { // it changes at this moment: the next round
			return
		}
		text = left
	}
	h.prompts.summaries.Want(project, hash, string(text))
}

// RegenerateSummary has the summary of a prompt made anew in the background; offline
// it drops what was made, and the next daemon makes it anew.
//
// Errors: abi.ErrNotFound; abi.ErrUnavailable if the project has no LLM or a link
// cannot be read; abi.ErrConflict if the author wrote summary and chapters.
func (h *Host) RegenerateSummary(ctx context.Context, project, name string) error {
	p, ok := h.Snapshot().Prompt(object.Name(project), object.Name(name))
	if !ok {
		return fmt.Errorf("%w: prompt %.80q", abi.ErrNotFound, name)
	}
	if p.Spec.Summary != "" && len(p.Spec.Chapters) > 0 {
		return fmt.Errorf("%w: prompt %q says its summary and chapters itself, take them out of its file first", abi.ErrConflict, name)
	}
	text, _, err := h.promptText(ctx, p)
	if err != nil {
		return err
	}
	if text, err = h.filtered(ctx, project, p, text); err != nil {
		return err
	}
	hash := hashOf(text)
	if !h.opts.Offline {
		return h.prompts.summaries.Again(project, hash, string(text))
	}
	if r, err := h.llm.Resolve(project); err != nil || len(r.Fast) == 0 {
		return cmp.Or(err, fmt.Errorf("%w: project %q has no LLM that could make a summary, the rules' one stays", abi.ErrUnavailable, project))
	}
	return h.withCache(func(c *cache.Cache) error {
		return c.KV(outlines{h}.by(project), nil).Set([]byte(hash), prompt.Anew(time.Now()))
	})
}
