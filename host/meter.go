package host

import (
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy"
)

// meter adds up what requests cost since the start. It keeps figures by names
// that people chose in files (projects, proxymodels, roles), never by what a
// client or a model sends, and by a bounded number of them. The zero value has
// counted nothing. Safe for concurrent use.
type meter struct {
	mu      sync.Mutex
	traffic map[trafficKey]*traffic
	models  map[modelKey]int64
	stages  map[stageKey]*stageRuns
}

// maxSeries bounds each of the maps: what comes later counts as otherName.
const maxSeries = 1000

const otherName = "other"

type trafficKey struct {
	project string
	kind    event.Type
}

// traffic is the requests of one kind in one project.
type traffic struct {
	requests, errors    int64
	tokensIn, tokensOut int64
	took, upstream      time.Duration
	within              [len(tookBounds)]int64 // requests that took no longer than the bound
}

// tookBounds are the bounds of the histogram.
var tookBounds = [...]time.Duration{
	time.Millisecond, 5 * time.Millisecond, 25 * time.Millisecond, 100 * time.Millisecond,
	500 * time.Millisecond, 2 * time.Second, 10 * time.Second, time.Minute,
}

type modelKey struct{ project, model string }

type stageKey struct{ role, outcome string }

// stageRuns are the turns of one role that ended in one way.
type stageRuns struct {
	count int64
	took  time.Duration
}

// add counts a request.
func (m *meter) add(kind event.Type, e proxy.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.traffic == nil {
		m.traffic = make(map[trafficKey]*traffic)
		m.models = make(map[modelKey]int64)
		m.stages = make(map[stageKey]*stageRuns)
	}
	bounded(m.traffic, trafficKey{e.Scope.Project, kind}, trafficKey{otherName, kind}).add(e)
	for _, run := range e.Run {
		key := modelKey{e.Scope.Project, run.Model}
		if _, ok := m.models[key]; !ok && len(m.models) >= maxSeries {
			key = modelKey{otherName, otherName}
		}
		m.models[key]++
		for _, s := range run.Stages {
			m.addStage(s)
		}
	}
}

func (m *meter) addStage(s flow.StageReport) {
	if s.Role == "" {
		return // no stage: the original could not be stored
	}
	runs := bounded(m.stages, stageKey{s.Role, s.Outcome}, stageKey{otherName, s.Outcome})
	runs.count++
	runs.took += time.Duration(s.Micros) * time.Microsecond
}

// bounded is the entry of a key, or of the other one if there are too many.
func bounded[K comparable, V any](m map[K]*V, key, other K) *V {
	if m[key] == nil && len(m) >= maxSeries {
		key = other
	}
	if m[key] == nil {
		m[key] = new(V)
	}
	return m[key]
}

func (t *traffic) add(e proxy.Event) {
	t.requests++
	if e.Failed || e.Code != 0 {
		t.errors++
	}
	t.tokensIn += int64(e.InTokens)
	t.tokensOut += int64(e.OutTokens)
	t.took += e.Duration
	t.upstream += e.Upstream
	for i, bound := range tookBounds {
		if e.Duration <= bound {
			t.within[i]++
		}
	}
}

// savedTokens are the tokens that answers were shorter by, by project; the lock is held.
func (m *meter) savedTokens() map[string]int64 {
	sums := make(map[string]int64)
	for key, t := range m.traffic {
		sums[key.project] += t.tokensIn - t.tokensOut
	}
	return sums
}

// SavedTokens estimates the tokens that clients have been spared since the Host was
// opened, less those of drill-downs.
func (h *Host) SavedTokens() (sum int64) {
	h.meter.mu.Lock()
	defer h.meter.mu.Unlock()
	for _, n := range h.meter.savedTokens() {
		sum += n
	}
	return sum
}
