package proxy

import (
	"container/list"
	"crypto/sha256"
	"sync"

	"github.com/mcpctl/mcpctl/host/flow"
)

// Repeater is a Transformer that can tell whether a result may be shown again
// as it was shown before, so that it need not even be decoded: of a 120 KB
// result that comes again most of the cost is finding and unescaping its text.
//
// Implementations are safe for concurrent use.
type Repeater interface {
	// Epoch changes whenever equal Contents may be shown differently from then
	// on: a module, a proxymodel, a setting is another.
	Epoch() uint64
	// Repeat tells that a result with these Originals is shown again. It reports
	// false if one of them cannot be read any more.
	Repeat(scope flow.Scope, refs []string, reports []flow.RunReport) bool
}

// Limits of a memo.
const (
	memoEntries  = 512
	memoBytes    = 8 << 20
	memoMaxShown = 64 << 10 // a result larger than this is not remembered
	memoMaxParts = 64       // nor is one of more parts: each has a report
)

// memo remembers how results were shown. The same bytes of the same tool, for
// the same project and subject under the same configuration, are shown the
// same. Safe for concurrent use.
type memo struct {
	with Repeater

	mu      sync.Mutex
	entries map[memoKey]*list.Element
	used    *list.List // of *memoEntry, the last used in front
	bytes   int
}

type memoKey struct {
	epoch            uint64
	project, subject string
	src              source
	result           [sha256.Size]byte
}

type memoEntry struct {
	key memoKey
	res shownResult
}

// newMemo returns a memo, nil if t cannot tell when a result may be repeated.
func newMemo(t Transformer) *memo {
	r, ok := t.(Repeater)
	if !ok {
		return nil
	}
	return &memo{with: r, entries: make(map[memoKey]*list.Element), used: list.New()}
}

// key names a result on its way to the pipeline.
func (m *memo) key(scope flow.Scope, src source, result []byte) memoKey {
	if m == nil {
		return memoKey{}
	}
	return memoKey{m.with.Epoch(), scope.Project, scope.Subject, src, sha256.Sum256(result)}
}

// find returns how the result was shown before. An empty reply stands for the
// result as it came.
func (m *memo) find(scope flow.Scope, k memoKey) (shownResult, bool) {
	if m == nil {
		return shownResult{}, false
	}
	m.mu.Lock()
	e := m.entries[k]
	if e == nil {
		m.mu.Unlock()
		return shownResult{}, false
	}
	m.used.MoveToFront(e)
	res := e.Value.(*memoEntry).res
	m.mu.Unlock()
	if !m.with.Repeat(scope, res.refs, res.reports) {
		m.drop(k)
		return shownResult{}, false
	}
	return res, true
}

// keep remembers how a result was shown, if that is final.
func (m *memo) keep(k memoKey, res shownResult) {
	if m == nil || !res.final {
		return
	}
	if !res.changed && sha256.Sum256(res.reply.Result) == k.result {
		res.reply = flow.Reply{} // what came is what is shown: find's caller has it
	}
	if len(res.reply.Result) > memoMaxShown || len(res.reports) > memoMaxParts {
		return
	}
	res.reports = repeated(res.reports)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries[k] != nil {
		return
	}
	m.entries[k] = m.used.PushFront(&memoEntry{k, res})
	m.bytes += len(res.reply.Result)
	for m.bytes > memoBytes || m.used.Len() > memoEntries {
		m.remove(m.used.Back())
	}
}

// repeated is the report of a result that is shown again.
func repeated(reports []flow.RunReport) []flow.RunReport {
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

func (m *memo) remove(e *list.Element) {
	entry := m.used.Remove(e).(*memoEntry)
	delete(m.entries, entry.key)
	m.bytes -= len(entry.res.reply.Result)
}
