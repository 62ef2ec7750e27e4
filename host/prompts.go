package host

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/cache"
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

// book is the prompts of one project at one moment.
type book struct {
	snapshot *object.Snapshot
	version  uint64
	epoch    uint64
	index    *prompt.Index
	plain    lists               // of all who have no refs
	listed   []json.RawMessage   // as resources
	readers  map[string]*reading // by subject
}

// PromptEntry is one prompt of a PromptIndex.
type PromptEntry = prompt.Entry

// reading is what one subject has read of a project's prompts.
type reading struct {
	bodies map[string]body // by name
	lists  lists
}

// lists are the prompts as controllers read them; nil: to be made.
type lists struct{ json, records []byte }

// body is what a subject was given of a prompt. A briefing is made of dozens of them,
// the same for every session, so what will not change is not made again.
type body struct {
	bodyRef
	text  []byte // as the stages left it; nil if it may be another one next time
	epoch uint64 // of the text
	run   abi.RunReport
}

// maxKeptBody is the size of a text that is kept, in bytes.
const maxKeptBody = 64 << 10

// bodyRef is where sections of a prompt can be read, as long as its content is
// the same.
type bodyRef struct{ hash, ref string }

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

func (o outlines) by(project string) abi.Producer {
	return abi.Producer{Project: project, Role: "prompt-summary", ModuleHash: "host/prompt"}
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
		for _, e := range index.Entries() {
			if e.Link != "" {
				targets = append(targets, e.Link)
			}
		}
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

// PromptIndex is the prompts of a project as they are now; nothing is waited for.
// The system prompts are a project of their own.
func (h *Host) PromptIndex(project string) *prompt.Index {
	p := h.prompts
	p.mu.Lock()
	defer p.mu.Unlock()
	return h.book(project).index
}

// book is made anew when files changed or something was learnt. It is called with
// the lock held.
func (h *Host) book(project string) *book {
	p, now := h.prompts, h.state.Load()
	snapshot := now.snapshot
	b := p.books[project]
	if b == nil {
		b = &book{readers: make(map[string]*reading)}
		p.books[project] = b
	}
	if b.snapshot == snapshot && b.version == p.version && b.epoch == now.epoch {
		return b
	}
	b.index = prompt.NewIndex(b.index, snapshot.Prompts(object.Name(project)), prompt.Sources{
		Made:   func(_ *object.Prompt, hash string) (prompt.Outline, bool) { return p.summaries.Get(project, hash) },
		Link:   func(o *object.Prompt) prompt.Body { return p.links.Body(o.Spec.LinkTarget) },
		Screen: func(o *object.Prompt, hash string) (*prompt.Screen, bool) { return h.screenOf(project, o, hash) },
	})
	b.snapshot, b.version, b.epoch, b.plain, b.listed = snapshot, p.version, now.epoch, lists{}, nil
	for _, r := range b.readers {
		r.lists = lists{}
	}
	return b
}

// Prompts gives the visible prompts of a session's project as the JSON array of ABI
// 8.2. It is printed once for what is the same; nobody modifies it.
func (h *Host) Prompts(scope abi.Scope) []byte {
	p := h.prompts
	p.mu.Lock()
	defer p.mu.Unlock()
	b := h.book(scope.Project)
	known, refs := b.listsFor(scope.Subject)
	if known.json == nil {
		known.json = b.index.JSON(refs)
	}
	return known.json
}

// PromptRecords gives the same as the records of abi.FuncPromptRecords.
func (h *Host) PromptRecords(scope abi.Scope) []byte {
	p := h.prompts
	p.mu.Lock()
	defer p.mu.Unlock()
	b := h.book(scope.Project)
	known, refs := b.listsFor(scope.Subject)
	if known.records == nil {
		known.records = b.index.Records(refs)
	}
	return known.records
}

// listsFor gives the lists of a subject, and what refs stand in them.
func (b *book) listsFor(subject string) (*lists, func(prompt.Entry) string) {
	r := b.readers[subject]
	if r == nil || len(r.bodies) == 0 {
		return &b.plain, func(prompt.Entry) string { return "" }
	}
	return &r.lists, func(e prompt.Entry) string {
		if known := r.bodies[e.Name]; known.hash == e.Hash {
			return known.ref
		}
		return ""
	}
}

// learnBody notes what a subject was given of a prompt, and where its sections can
// be read from now on.
func (h *Host) learnBody(scope abi.Scope, name string, got body) {
	p := h.prompts
	p.mu.Lock()
	defer p.mu.Unlock()
	b := h.book(scope.Project)
	r := b.readers[scope.Subject]
	if r == nil {
		r = &reading{bodies: make(map[string]body)}
		b.readers[scope.Subject] = r
	}
	if r.bodies[name].bodyRef != got.bodyRef {
		r.lists = lists{}
	}
	r.bodies[name] = got
}

// knownBody is the text of a prompt as it was made before of the same content under
// the same configuration, if its original can still be read.
func (h *Host) knownBody(scope abi.Scope, name, hash string) (text []byte, ok bool) {
	p := h.prompts
	p.mu.Lock()
	var known body
	if r := h.book(scope.Project).readers[scope.Subject]; r != nil {
		known = r.bodies[name]
	}
	p.mu.Unlock()
	if known.text == nil || known.hash != hash || known.epoch != h.Epoch() {
		return nil, false
	}
	return known.text, h.Repeat(scope, []string{known.ref}, []abi.RunReport{known.run})
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
