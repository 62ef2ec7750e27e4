package view

import (
	"container/list"
	"crypto/sha256"
	"sync"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

// Limits of a memo.
const (
	memoEntries  = 512
	memoBytes    = 8 << 20
	memoMaxShown = 64 << 10 // results with a larger stored reply are not cached; an unchanged reply is not stored
	memoMaxParts = 64       // results with more reports, one for each part, are not cached
)

// memo caches shown results. Equal bytes of one tool, for one project and subject and with
// the same configuration, are shown equally. A nil memo caches nothing. It is safe for
// concurrent use.
type memo struct {
	repeater Repeater

	mu      sync.Mutex
	entries map[memoKey]*list.Element
	used    *list.List // of *memoEntry, the most recently used first
	bytes   int
}

type memoKey struct {
	epoch            uint64
	project, subject string
	src              result.Source
	maxTokens        int
	result           [sha256.Size]byte
}

type memoEntry struct {
	key memoKey
	res Result
}

// newMemo returns a memo, or nil if t does not implement Repeater.
func newMemo(t Transformer) *memo {
	r, ok := t.(Repeater)
	if !ok {
		return nil
	}
	return &memo{repeater: r, entries: make(map[memoKey]*list.Element), used: list.New()}
}

// key returns the key of a raw result. It is computed before the pipeline runs, so that it
// contains the epoch of the configuration that is used.
func (m *memo) key(scope flow.Scope, src result.Source, maxTokens int, raw []byte) memoKey {
	if m == nil {
		return memoKey{}
	}
	if src.Arguments != "" {
		sum := sha256.Sum256([]byte(src.Arguments))
		src.Arguments = string(sum[:])
	}
	return memoKey{m.repeater.Epoch(), scope.Project, scope.Subject, src, maxTokens, sha256.Sum256(raw)}
}

// find returns the shown form of an earlier equal result if the Repeater accepts it, and
// otherwise drops the entry. An empty reply means that the result was shown unchanged.
func (m *memo) find(scope flow.Scope, k memoKey) (Result, bool) {
	if m == nil {
		return Result{}, false
	}
	m.mu.Lock()
	e := m.entries[k]
	if e == nil {
		m.mu.Unlock()
		return Result{}, false
	}
	m.used.MoveToFront(e)
	res := e.Value.(*memoEntry).res
	m.mu.Unlock()
	if !m.repeater.Repeat(scope, res.Refs, res.Reports) {
		m.drop(k)
		return Result{}, false
	}
	return res, true
}

// keep caches a shown result if it is final.
func (m *memo) keep(k memoKey, res Result) {
	if m == nil || !res.final {
		return
	}
	if !res.Changed && sha256.Sum256(res.Reply.Result) == k.result {
		res.Reply = flow.Reply{} // the caller of find has the same bytes
	}
	if len(res.Reply.Result) > memoMaxShown || len(res.Reports) > memoMaxParts {
		return
	}
	res.Reports = asCached(res.Reports)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries[k] != nil {
		return
	}
	m.entries[k] = m.used.PushFront(&memoEntry{k, res})
	m.bytes += len(res.Reply.Result)
	for m.bytes > memoBytes || m.used.Len() > memoEntries {
		m.remove(m.used.Back())
	}
}

// asCached returns a copy of reports in which every stage has the outcome "cached", no
// time and no log.
func asCached(reports []flow.RunReport) []flow.RunReport {
	again := make([]flow.RunReport, len(reports))
	for i, r := range reports {
		again[i] = r
		again[i].Stages = make([]flow.StageReport, len(r.Stages))
		for j, s := range r.Stages {
			s.Outcome, s.Micros, s.Log = "cached", 0, nil
			again[i].Stages[j] = s
		}
	}
	return again
}

func (m *memo) drop(k memoKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.entries[k]; e != nil {
		m.remove(e)
	}
}

// remove removes an entry. The caller holds mu.
func (m *memo) remove(e *list.Element) {
	entry := m.used.Remove(e).(*memoEntry)
	delete(m.entries, entry.key)
	m.bytes -= len(entry.res.Reply.Result)
}
