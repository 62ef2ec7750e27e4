package telemetry

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/event"
)

// bounds are those that the conventions advise for durations of MCP requests, in seconds,
// with smaller ones: the proxy itself takes milliseconds.
var bounds = []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}

// maxSeries bounds the series, since a client chooses the names of tools that do not exist.
// Further ones are counted in one series with the attribute otel.metric.overflow.
const maxSeries = 1000

// meter sums up requests since the start. It is safe for concurrent use.
type meter struct {
	start time.Time

	mu      sync.Mutex
	series  map[string]*series
	order   []string // keys of series, in order of appearance
	dropped int64
}

// series sums up the requests with the same attributes.
type series struct {
	attributes              []attribute
	calls, errors           int64
	tokensIn, tokensOut     int64
	duration, addedDuration buckets
}

// buckets is a histogram of seconds.
type buckets struct {
	counts [18]count // one more than bounds
	sum    float64
	count  int64
}

func (b *buckets) add(d time.Duration) {
	s := max(d.Seconds(), 0)
	i, _ := slices.BinarySearch(bounds, s)
	b.counts[i]++
	b.sum += s
	b.count++
}

func newMeter(start time.Time) *meter { return &meter{start: start, series: map[string]*series{}} }

// add counts a request.
func (m *meter) add(e event.Event) {
	attributes := identity(e)
	key, err := json.Marshal(attributes)
	if err != nil {
		return // strings and numbers always encode
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.series[string(key)]
	if s == nil {
		if len(m.series) >= maxSeries {
			attributes, key = []attribute{flag("otel.metric.overflow", true)}, nil
			s = m.series[""]
		}
		if s == nil {
			s = &series{attributes: attributes}
			m.series[string(key)] = s
			m.order = append(m.order, string(key))
		}
	}
	s.calls++
	if e.IsError {
		s.errors++
	}
	s.tokensIn += int64(e.InTokens)
	s.tokensOut += int64(e.OutTokens)
	s.duration.add(micros(e.Micros))
	added := e.Micros - e.UpstreamMicros
	if e.Hold != nil {
		added -= e.Hold.Micros // the time of a person
	}
	s.addedDuration.add(micros(added))
}

// drop counts requests without a trace.
func (m *meter) drop(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropped += n
}

// lost returns the number of requests without a trace.
func (m *meter) lost() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dropped
}

// metrics returns the message with all sums since the start.
func (x *Exporter) metrics() metricsMessage {
	m, now := x.meter, x.opts.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []metric{
		m.sum("mcpctl.calls", "requests of clients", "{request}", now, true, func(s *series) int64 { return s.calls }),
		m.sum("mcpctl.errors", "requests that ended with an error", "{request}", now, true, func(s *series) int64 { return s.errors }),
		m.sum("mcpctl.tokens.in", "estimated tokens that servers sent", "{token}", now, true, func(s *series) int64 { return s.tokensIn }),
		m.sum("mcpctl.tokens.out", "estimated tokens that clients received", "{token}", now, true, func(s *series) int64 { return s.tokensOut }),
		m.sum("mcpctl.tokens.saved", "estimated tokens in minus tokens out; drill-downs reduce it", "{token}", now, false, func(s *series) int64 { return s.tokensIn - s.tokensOut }),
		m.histogram("mcp.server.operation.duration", "from a request to its answer", now, func(s *series) *buckets { return &s.duration }),
		m.histogram("mcpctl.added.duration", "the part of a request that is not spent waiting for a server or held", now, func(s *series) *buckets { return &s.addedDuration }),
		{Name: "mcpctl.telemetry.dropped", Description: "requests whose trace was not sent", Unit: "{request}",
			Sum: &sum{[]sumPoint{{Start: nanos(m.start), Time: nanos(now), Value: m.dropped}}, cumulative, true}},
	}
	return metricsMessage{[]resourceMetrics{{x.resource(), []scopeMetrics{{x.scope(), list}}}}}
}

func (m *meter) sum(name, description, unit string, now time.Time, monotonic bool, of func(*series) int64) metric {
	points := []sumPoint{}
	for _, key := range m.order {
		s := m.series[key]
		points = append(points, sumPoint{s.attributes, nanos(m.start), nanos(now), of(s)})
	}
	return metric{Name: name, Description: description, Unit: unit, Sum: &sum{points, cumulative, monotonic}}
}

func (m *meter) histogram(name, description string, now time.Time, of func(*series) *buckets) metric {
	points := []histogramPoint{}
	for _, key := range m.order {
		s := m.series[key]
		b := of(s)
		points = append(points, histogramPoint{s.attributes, nanos(m.start), nanos(now), b.count, b.sum, slices.Clone(b.counts[:]), bounds})
	}
	return metric{Name: name, Description: description, Unit: "s", Histogram: &histogram{points, cumulative}}
}
