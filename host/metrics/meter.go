package metrics

import (
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy"
)

// Meter sums up the cost of requests since the daemon started. Its figures are
// grouped by names from files (projects, proxymodels, roles), never by values that
// a client or a model sends, and the number of groups is bounded. The zero value is
// ready to use. It is safe for concurrent use.
type Meter struct {
	mu      sync.Mutex
	traffic map[trafficKey]*traffic
	models  map[modelKey]int64
	stages  map[stageKey]*stageRuns
}

// maxSeries bounds each of the maps. Later keys are counted as otherName.
const maxSeries = 1000

const otherName = "other"

type trafficKey struct {
	project string
	kind    event.Type
}

// traffic sums up the requests of one kind in one project.
type traffic struct {
	requests, errors    int64
	tokensIn, tokensOut int64
	took, upstream      time.Duration
	within              [len(tookBounds)]int64 // by bound: requests that took no longer
}

// tookBounds are the bounds of the histogram.
var tookBounds = [...]time.Duration{
	time.Millisecond, 5 * time.Millisecond, 25 * time.Millisecond, 100 * time.Millisecond,
	500 * time.Millisecond, 2 * time.Second, 10 * time.Second, time.Minute,
}

type modelKey struct{ project, model string }

type stageKey struct{ role, outcome string }

// stageRuns sums up the runs of one role with the same outcome.
type stageRuns struct {
	count int64
	took  time.Duration
}

// Add counts a request.
func (m *Meter) Add(kind event.Type, e proxy.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.traffic == nil {
		m.traffic = make(map[trafficKey]*traffic)
		m.models = make(map[modelKey]int64)
		m.stages = make(map[stageKey]*stageRuns)
	}
	boundedEntry(m.traffic, trafficKey{e.Scope.Project, kind}, trafficKey{otherName, kind}).add(e)
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

func (m *Meter) addStage(s flow.StageReport) {
	if s.Role == "" {
		return // no stage: the original could not be stored
	}
	runs := boundedEntry(m.stages, stageKey{s.Role, s.Outcome}, stageKey{otherName, s.Outcome})
	runs.count++
	runs.took += time.Duration(s.Micros) * time.Microsecond
}

// boundedEntry returns the entry of key, or of other if the map is full.
func boundedEntry[K comparable, V any](m map[K]*V, key, other K) *V {
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

// SavedTokens returns the estimated tokens that clients did not have to read, minus
// those of drill-downs, over all projects.
func (m *Meter) SavedTokens() (sum int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range m.savedTokens() {
		sum += n
	}
	return sum
}

// savedTokens returns the tokens in minus the tokens out, by project. The caller
// holds the lock.
func (m *Meter) savedTokens() map[string]int64 {
	sums := make(map[string]int64)
	for key, t := range m.traffic {
		sums[key.project] += t.tokensIn - t.tokensOut
	}
	return sums
}
