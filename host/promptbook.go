package host

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/prompt"
)

// book is the prompts of one project at one moment.
type book struct {
	snapshot *object.Snapshot
	version  uint64
	epoch    uint64
	index    *prompt.Index
	plain    lists               // of all who have no refs
	listed   []json.RawMessage   // as resources
	links    []string            // targets
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
	run   flow.RunReport
}

// maxKeptBody is the size of a text that is kept, in bytes.
const maxKeptBody = 64 << 10

// bodyRef is where sections of a prompt can be read, as long as its content is
// the same.
type bodyRef struct{ hash, ref string }

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
	b.links = b.index.Links()
	for _, r := range b.readers {
		r.lists = lists{}
	}
	return b
}

// Prompts returns the visible prompts of a session's project as the JSON array that
// controllers read (docs/abi.md), and starts to read the links among them. The array is
// printed once for equal content; callers must not modify it.
func (h *Host) Prompts(scope flow.Scope) []byte {
	p := h.prompts
	p.mu.Lock()
	defer p.mu.Unlock()
	b := h.book(scope.Project)
	h.fetchLinks(b)
	known, refs := b.listsFor(scope.Subject)
	if known.json == nil {
		known.json = b.index.JSON(refs)
	}
	return known.json
}

// PromptRecords gives the same as the records of abi.FuncPromptRecords.
func (h *Host) PromptRecords(scope flow.Scope) []byte {
	p := h.prompts
	p.mu.Lock()
	defer p.mu.Unlock()
	b := h.book(scope.Project)
	h.fetchLinks(b)
	known, refs := b.listsFor(scope.Subject)
	if known.records == nil {
		known.records = b.index.Records(refs)
	}
	return known.records
}

// fetchLinks starts to read the links of a project: who lists prompts reads them next,
// one after the other.
func (h *Host) fetchLinks(b *book) {
	if h.opts.Offline || len(b.links) == 0 {
		return
	}
	h.prompts.links.Fetch(b.links)
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
func (h *Host) learnBody(scope flow.Scope, name string, got body) {
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
func (h *Host) knownBody(scope flow.Scope, name, hash string) (text []byte, ok bool) {
	p := h.prompts
	p.mu.Lock()
	var known body
	if r := h.book(scope.Project).readers[scope.Subject]; r != nil {
		known = r.bodies[name]
	}
	p.mu.Unlock()
	if known.text == nil || known.hash != hash || known.epoch != h.transformer.Epoch() {
		return nil, false
	}
	return known.text, h.transformer.Repeat(scope, []string{known.ref}, []flow.RunReport{known.run})
}
