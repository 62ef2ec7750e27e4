package prompt

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
)

// projectCache is the cached Index of one project and the texts that its subjects have read.
type projectCache struct {
	snapshot *store.Snapshot
	version  uint64
	epoch    uint64
	index    *Index
	plain    lists                    // of subjects without refs
	listed   []json.RawMessage        // as resources
	links    []string                 // its links, as Links names them
	subjects map[string]*subjectCache // by subject
}

// subjectCache caches the prompts of a project that one subject has read.
type subjectCache struct {
	bodies map[string]body // by name
	lists  lists
}

// lists are the prompts as controllers read them; nil until needed.
type lists struct{ json, records []byte }

// body is the text of a prompt as a subject has read it. A briefing consists of dozens of
// them, equal for every session, so a final text is cached.
type body struct {
	bodyRef
	text  []byte // output of the stages; nil if it may be different next time
	epoch uint64 // of the text
	run   flow.RunReport
}

// maxCachedBody limits the size of a cached text, in bytes.
const maxCachedBody = 64 << 10

// bodyRef is the ref of a prompt, valid as long as the hash of its content is the same.
type bodyRef struct{ hash, ref string }

// Index returns the prompts of a project; it does not block. The system prompts are a
// project of their own.
func (l *Library) Index(project string) *Index {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cacheOf(project).index
}

// indexAndLinks returns the prompts of a project, and its links as Links names them.
func (l *Library) indexAndLinks(project string) (*Index, []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.cacheOf(project)
	return b.index, b.links
}

// cacheOf returns the cache of a project and rebuilds it if the configuration changed or
// version rose. The caller holds the lock.
func (l *Library) cacheOf(project string) *projectCache {
	now := l.home.State()
	b := l.caches[project]
	if b == nil {
		b = &projectCache{subjects: make(map[string]*subjectCache)}
		l.caches[project] = b
	}
	if b.snapshot == now.Snapshot && b.version == l.version && b.epoch == now.Epoch {
		return b
	}
	b.index = NewIndex(b.index, now.Snapshot.Prompts(object.Name(project)), Sources{
		Made:   func(_ *object.Prompt, hash string) (Outline, bool) { return l.summaries.Get(project, hash) },
		Link:   func(o *object.Prompt) Body { return l.links.Body(linkOf(now, o)) },
		Screen: func(o *object.Prompt, hash string) (*Screen, bool) { return l.cachedScreen(now, project, o, hash) },
	})
	b.snapshot, b.version, b.epoch, b.plain, b.listed = now.Snapshot, l.version, now.Epoch, lists{}, nil
	b.links = nil
	for _, p := range b.index.Links() {
		b.links = append(b.links, linkOf(now, p))
	}
	for _, r := range b.subjects {
		r.lists = lists{}
	}
	return b
}

// Prompts returns the visible prompts of a session's project as the JSON array that
// controllers read (docs/abi.md), and starts to read the links among them. The array is
// printed once for equal content; callers must not modify it.
func (l *Library) Prompts(scope flow.Scope) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.cacheOf(scope.Project)
	l.fetchLinks(b)
	known, refs := b.listsFor(scope.Subject)
	if known.json == nil {
		known.json = b.index.JSON(refs)
	}
	return known.json
}

// PromptRecords returns the same prompts as the records of abi.FuncPromptRecords.
func (l *Library) PromptRecords(scope flow.Scope) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.cacheOf(scope.Project)
	l.fetchLinks(b)
	known, refs := b.listsFor(scope.Subject)
	if known.records == nil {
		known.records = b.index.Records(refs)
	}
	return known.records
}

// fetchLinks starts to read the links of a project, because a client that lists prompts
// reads them next.
func (l *Library) fetchLinks(b *projectCache) {
	if l.opts.Offline || len(b.links) == 0 {
		return
	}
	l.links.Fetch(b.links)
}

// listsFor returns the lists of a subject, and a function that returns the ref of an
// entry for that subject.
func (b *projectCache) listsFor(subject string) (*lists, func(Entry) string) {
	r := b.subjects[subject]
	if r == nil || len(r.bodies) == 0 {
		return &b.plain, func(Entry) string { return "" }
	}
	return &r.lists, func(e Entry) string {
		if known := r.bodies[e.Name]; known.hash == e.Hash {
			return known.ref
		}
		return ""
	}
}

// addBody caches the text of a prompt and the ref of its sections for a subject.
func (l *Library) addBody(scope flow.Scope, name string, got body) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.cacheOf(scope.Project)
	r := b.subjects[scope.Subject]
	if r == nil {
		r = &subjectCache{bodies: make(map[string]body)}
		b.subjects[scope.Subject] = r
	}
	if r.bodies[name].bodyRef != got.bodyRef {
		r.lists = lists{}
	}
	r.bodies[name] = got
}

// cachedBody returns the text of a prompt if it was transformed before with the same
// content and configuration, and if its original can still be read.
func (l *Library) cachedBody(scope flow.Scope, name, hash string) (text []byte, ok bool) {
	l.mu.Lock()
	var known body
	if r := l.cacheOf(scope.Project).subjects[scope.Subject]; r != nil {
		known = r.bodies[name]
	}
	l.mu.Unlock()
	if known.text == nil || known.hash != hash || known.epoch != l.home.Epoch() {
		return nil, false
	}
	return known.text, l.home.Repeat(scope, []string{known.ref}, []flow.RunReport{known.run})
}
