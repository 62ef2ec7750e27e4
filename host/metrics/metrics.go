// Package metrics counts requests and writes the figures of a daemon in the text
// format of Prometheus.
//
// A Meter counts; Handler serves its figures and those of Sources at /metrics.
package metrics

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/host/cache"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/llm"
	"github.com/mcpctl/mcpctl/host/sharedcache"
)

// metric is one metric of /metrics.
type metric struct {
	name   string
	kind   string // counter, gauge or histogram
	labels []string
	help   string

	samples func(*scrape) []sample
}

// sample is one line of a metric: a value, or one part of a histogram.
type sample struct {
	suffix string // _bucket, _sum, _count of a histogram
	labels []string
	value  float64
}

// single returns the sample of a metric without labels.
func single[N int | int64 | uint64 | float64](v N) []sample { return []sample{{value: float64(v)}} }

var (
	byTraffic = []string{"project", "type"}
	byModel   = []string{"project", "model"}
	byStage   = []string{"stage", "outcome"}
	byLLM     = []string{"provider"}
)

// metrics lists all metrics in the order of /metrics.
var metrics = []metric{
	{"mcpctl_sessions", "gauge", nil, "open sessions", func(s *scrape) []sample { return single(s.Sessions) }},
	{"mcpctl_events_total", "counter", nil, "traffic events", func(s *scrape) []sample { return single(s.Events) }},
	{"mcpctl_model_active", "gauge", byModel, "1 for the proxymodel that a project uses", (*scrape).listActive},
	{"mcpctl_model_results_total", "counter", byModel, "parts of results that a proxymodel processed", (*scrape).listResults},
	{"mcpctl_requests_total", "counter", byTraffic, "answered requests; type is the event type",
		func(s *scrape) []sample { return s.perType(func(t *traffic) float64 { return float64(t.requests) }) }},
	{"mcpctl_request_errors_total", "counter", byTraffic, "requests answered with an error or an error result",
		func(s *scrape) []sample { return s.perType(func(t *traffic) float64 { return float64(t.errors) }) }},
	{"mcpctl_tokens_in_total", "counter", byTraffic, "estimated tokens of the content that servers sent",
		func(s *scrape) []sample { return s.perType(func(t *traffic) float64 { return float64(t.tokensIn) }) }},
	{"mcpctl_tokens_out_total", "counter", byTraffic, "estimated tokens of the content sent to clients, drill-downs (type section_read) included",
		func(s *scrape) []sample { return s.perType(func(t *traffic) float64 { return float64(t.tokensOut) }) }},
	{"mcpctl_tokens_saved", "gauge", []string{"project"}, "estimated tokens in minus tokens out; drill-downs reduce it", (*scrape).listSaved},
	{"mcpctl_request_seconds", "histogram", byTraffic, "time from request to response", (*scrape).listBuckets},
	{"mcpctl_upstream_seconds_total", "counter", byTraffic, "the part of mcpctl_request_seconds spent waiting for servers",
		func(s *scrape) []sample { return s.perType(func(t *traffic) float64 { return t.upstream.Seconds() }) }},
	{"mcpctl_stage_runs_total", "counter", byStage, "stage runs by outcome: done, pass, cached, failed, blocked",
		func(s *scrape) []sample { return s.perStage(func(r *stageRuns) float64 { return float64(r.count) }) }},
	{"mcpctl_stage_seconds_total", "counter", byStage, "duration of stage runs",
		func(s *scrape) []sample { return s.perStage(func(r *stageRuns) float64 { return r.took.Seconds() }) }},
	{"mcpctl_llm_requests_total", "counter", byLLM, "requests to an LLM, retries not counted, since its provider was configured",
		func(s *scrape) []sample { return s.perLLM(func(f llm.Figures) float64 { return float64(f.Requests) }) }},
	{"mcpctl_llm_errors_total", "counter", byLLM, "requests to an LLM without an answer",
		func(s *scrape) []sample { return s.perLLM(func(f llm.Figures) float64 { return float64(f.Errors) }) }},
	{"mcpctl_llm_tokens_total", "counter", byLLM, "tokens of requests and answers, as counted by the provider",
		func(s *scrape) []sample {
			return s.perLLM(func(f llm.Figures) float64 { return float64(f.TokensIn + f.TokensOut) })
		}},
	{"mcpctl_llm_seconds_total", "counter", byLLM, "duration of requests to an LLM",
		func(s *scrape) []sample { return s.perLLM(func(f llm.Figures) float64 { return f.Time.Seconds() }) }},
	{"mcpctl_cache_hits_total", "counter", nil, "stage results found in the cache", func(s *scrape) []sample { return single(s.Cache.Hits) }},
	{"mcpctl_cache_misses_total", "counter", nil, "stage results not found in the cache", func(s *scrape) []sample { return single(s.Cache.Misses) }},
	{"mcpctl_cache_hit_ratio", "gauge", nil, "hits divided by look-ups, 0 to 1, since the cache was created", func(s *scrape) []sample { return single(s.Cache.HitRate) }},
	{"mcpctl_cache_bytes", "gauge", nil, "bytes of cached values", func(s *scrape) []sample { return single(s.Cache.Bytes) }},
	{"mcpctl_shared_cache_results_total", "counter", []string{"outcome"}, "results of the team's cache: hit, miss, unanswered, refused (also a miss), pushed, withheld, dropped", (*scrape).listShared},
	{"mcpctl_originals", "gauge", nil, "stored originals, and texts that clients received instead", func(s *scrape) []sample { return single(s.Originals.Originals) }},
	{"mcpctl_originals_bytes", "gauge", nil, "bytes of stored originals", func(s *scrape) []sample { return single(s.Originals.Bytes) }},
	{"mcpctl_module_processes", "gauge", nil, "processes of local modules", func(s *scrape) []sample { return single(s.Processes) }},
	{"mcpctl_panics_total", "counter", nil, "requests and other work that failed because of a bug: the program panicked, and its log has the stack", func(s *scrape) []sample { return single(s.Panics) }},
	{"mcpctl_goroutines", "gauge", nil, "goroutines of the daemon", func(s *scrape) []sample { return single(s.Goroutines) }},
}

// Sources are the figures of /metrics that a Meter does not count.
type Sources struct {
	Sessions  int     // open sessions
	Events    uint64  // events since the daemon started
	Models    []Model // the proxymodel of each project
	Cache     cache.Stats
	Shared    sharedcache.Figures
	Originals content.Stats
	LLMs      []llm.Status

	Processes  int // of local modules
	Goroutines int
	Panics     int64 // of proxy.Endpoint
}

// Model is the proxymodel that a project uses.
type Model struct{ Project, Name string }

// Handler serves the figures of m and of read in the text format of Prometheus.
func Handler(m *Meter, read func() (Sources, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		sources, err := read()
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(m.format(sources)) // an error means that the scraper is gone
	})
}

// format returns all metrics as text.
func (m *Meter) format(sources Sources) (b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &scrape{m, sources}
	for i := range metrics {
		b = metrics[i].append(b, s)
	}
	return b
}

// scrape holds the figures of one response. The Meter is locked.
type scrape struct {
	*Meter
	Sources
}

// append appends the metric: its head and its samples, sorted by their labels.
func (m *metric) append(b []byte, s *scrape) []byte {
	b = fmt.Appendf(b, "# HELP %s %s\n# TYPE %s %s\n", m.name, m.help, m.name, m.kind)
	list := m.samples(s)
	slices.SortStableFunc(list, func(x, y sample) int {
		n := min(len(m.labels), len(x.labels)) // keeps the parts of a histogram in order
		return slices.Compare(x.labels[:n], y.labels[:n])
	})
	for _, one := range list {
		b = append(append(b, m.name...), one.suffix...)
		b = appendLabels(b, m.labels, one.labels)
		b = append(strconv.AppendFloat(append(b, ' '), one.value, 'g', -1, 64), '\n')
	}
	return b
}

// appendLabels appends labels. A value without a name belongs to the label "le".
func appendLabels(b []byte, names, values []string) []byte {
	for i, v := range values {
		name, before := "le", byte('{')
		if i < len(names) {
			name = names[i]
		}
		if i > 0 {
			before = ','
		}
		b = fmt.Appendf(append(b, before), `%s="%s"`, name, escapeLabel.Replace(v))
	}
	if len(values) > 0 {
		b = append(b, '}')
	}
	return b
}

var escapeLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func (s *scrape) listActive() (list []sample) {
	for _, m := range s.Models {
		list = append(list, sample{labels: []string{m.Project, m.Name}, value: 1})
	}
	return list
}

func (s *scrape) listResults() (list []sample) {
	for m, n := range s.Meter.models {
		list = append(list, sample{labels: []string{m.project, m.model}, value: float64(n)})
	}
	return list
}

func (s *scrape) perType(value func(*traffic) float64) (list []sample) {
	for key, t := range s.traffic {
		list = append(list, sample{labels: []string{key.project, string(key.kind)}, value: value(t)})
	}
	return list
}

func (s *scrape) perStage(value func(*stageRuns) float64) (list []sample) {
	for key, r := range s.stages {
		list = append(list, sample{labels: []string{key.role, key.outcome}, value: value(r)})
	}
	return list
}

func (s *scrape) perLLM(value func(llm.Figures) float64) (list []sample) {
	for _, p := range s.LLMs {
		list = append(list, sample{labels: []string{p.Name}, value: value(p.Figures)})
	}
	return list
}

func (s *scrape) listShared() (list []sample) {
	f := s.Shared
	for outcome, n := range map[string]int64{"hit": f.Hits, "miss": f.Misses, "unanswered": f.Unanswered, "refused": f.Refused, "pushed": f.Pushed, "withheld": f.Withheld, "dropped": f.Dropped} {
		list = append(list, sample{labels: []string{outcome}, value: float64(n)})
	}
	return list
}

func (s *scrape) listSaved() (list []sample) {
	for project, n := range s.savedTokens() {
		list = append(list, sample{labels: []string{project}, value: float64(n)})
	}
	return list
}

func (s *scrape) listBuckets() (list []sample) {
	for key, t := range s.traffic {
		labels := []string{key.project, string(key.kind)}
		for i, bound := range tookBounds {
			le := strconv.FormatFloat(bound.Seconds(), 'g', -1, 64)
			list = append(list, sample{"_bucket", append(slices.Clone(labels), le), float64(t.within[i])})
		}
		list = append(list,
			sample{"_bucket", append(slices.Clone(labels), "+Inf"), float64(t.requests)},
			sample{"_sum", labels, t.took.Seconds()},
			sample{"_count", labels, float64(t.requests)})
	}
	return list
}

// Reference returns docs/metrics.md, the reference of all metrics.
func Reference() string {
	var b strings.Builder
	b.WriteString(metricsIntro)
	for _, m := range metrics {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.name, m.kind, cmp.Or(strings.Join(m.labels, ", "), "-"), m.help)
	}
	return b.String()
}

const metricsIntro = `# Metrics

<!-- Written by go test ./host/metrics -run TestMetricsPage -update from the table of metrics. -->

The daemon serves these figures at ` + "`/metrics`" + `, in the text format of Prometheus, on its socket and, with the token, on its
port: ` + "`curl --unix-socket ~/.mcpctl/run/mcplocal.sock http://localhost/metrics`" + `.
Clients and models cannot add labels: label values are names from your files and event types. Each metric has at most
1,000 series; further ones are counted as ` + "`other`" + `. Tokens are estimates. Counters start at zero with the daemon,
those of the cache with its file.

` + "```" + `
mcpctl_tokens_saved                                        # negative: drill-downs cost more tokens than were saved
rate(mcpctl_cache_hits_total[1h]) / (rate(mcpctl_cache_hits_total[1h]) + rate(mcpctl_cache_misses_total[1h]))
(mcpctl_request_seconds_sum - mcpctl_upstream_seconds_total) / mcpctl_request_seconds_count   # the latency that mcpctl adds
` + "```" + `

| metric | type | labels | meaning |
|---|---|---|---|
`
