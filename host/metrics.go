package host

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
)

// metric is one metric of /metrics: its samples differ in the labels.
type metric struct {
	name   string
	kind   string // counter, gauge or histogram, as Prometheus has them
	labels []string
	help   string

	samples func(*scrape) []sample
}

// sample is one line: a value, or that of a histogram's part.
type sample struct {
	suffix string // _bucket, _sum, _count of a histogram
	labels []string
	value  float64
}

// one is the sample of a metric without labels.
func one[N int | int64 | uint64 | float64](v N) []sample { return []sample{{value: float64(v)}} }

var (
	byTraffic = []string{"project", "type"}
	byModel   = []string{"project", "model"}
	byStage   = []string{"stage", "outcome"}
	byLLM     = []string{"provider"}
)

// metrics are all of them in the order of /metrics.
var metrics = []metric{
	{"mcpctl_sessions", "gauge", nil, "open sessions", func(s *scrape) []sample { return one(s.sessions) }},
	{"mcpctl_events_total", "counter", nil, "traffic events", func(s *scrape) []sample { return one(s.events) }},
	{"mcpctl_model_active", "gauge", byModel, "1 for the proxymodel a project serves by", (*scrape).active},
	{"mcpctl_model_results_total", "counter", byModel, "parts of results that went through a proxymodel", (*scrape).results},
	{"mcpctl_requests_total", "counter", byTraffic, "answered requests; type as in events",
		func(s *scrape) []sample { return s.each(func(t *traffic) float64 { return float64(t.requests) }) }},
	{"mcpctl_request_errors_total", "counter", byTraffic, "requests answered by an error or by a result that is one",
		func(s *scrape) []sample { return s.each(func(t *traffic) float64 { return float64(t.errors) }) }},
	{"mcpctl_tokens_in_total", "counter", byTraffic, "estimated tokens that servers sent for a model to read",
		func(s *scrape) []sample { return s.each(func(t *traffic) float64 { return float64(t.tokensIn) }) }},
	{"mcpctl_tokens_out_total", "counter", byTraffic, "estimated tokens that clients got, drill-downs (type section_read) included",
		func(s *scrape) []sample { return s.each(func(t *traffic) float64 { return float64(t.tokensOut) }) }},
	{"mcpctl_tokens_saved", "gauge", []string{"project"}, "estimated tokens in less those out: what drill-downs cost is netted off", (*scrape).saved},
	{"mcpctl_request_seconds", "histogram", byTraffic, "time from request to answer", (*scrape).histogram},
	{"mcpctl_upstream_seconds_total", "counter", byTraffic, "of that, time spent waiting for servers",
		func(s *scrape) []sample { return s.each(func(t *traffic) float64 { return t.upstream.Seconds() }) }},
	{"mcpctl_stage_runs_total", "counter", byStage, "turns of stages: done, pass, cached, failed, blocked",
		func(s *scrape) []sample { return s.eachStage(func(r *stageRuns) float64 { return float64(r.count) }) }},
	{"mcpctl_stage_seconds_total", "counter", byStage, "time those turns took",
		func(s *scrape) []sample { return s.eachStage(func(r *stageRuns) float64 { return r.took.Seconds() }) }},
	{"mcpctl_llm_requests_total", "counter", byLLM, "requests to an LLM, however often each was tried; since its provider was configured",
		func(s *scrape) []sample { return s.eachLLM(func(f llm.Figures) float64 { return float64(f.Requests) }) }},
	{"mcpctl_llm_errors_total", "counter", byLLM, "of those, unanswered ones",
		func(s *scrape) []sample { return s.eachLLM(func(f llm.Figures) float64 { return float64(f.Errors) }) }},
	{"mcpctl_llm_tokens_total", "counter", byLLM, "tokens of requests and answers, as the provider counts them",
		func(s *scrape) []sample {
			return s.eachLLM(func(f llm.Figures) float64 { return float64(f.TokensIn + f.TokensOut) })
		}},
	{"mcpctl_llm_seconds_total", "counter", byLLM, "time those requests took",
		func(s *scrape) []sample { return s.eachLLM(func(f llm.Figures) float64 { return f.Time.Seconds() }) }},
	{"mcpctl_cache_hits_total", "counter", nil, "stage results found in the cache", func(s *scrape) []sample { return one(s.cache.Hits) }},
	{"mcpctl_cache_misses_total", "counter", nil, "stage results not found in the cache", func(s *scrape) []sample { return one(s.cache.Misses) }},
	{"mcpctl_cache_hit_ratio", "gauge", nil, "hits by look-ups, 0 to 1, since the cache was made", func(s *scrape) []sample { return one(s.cache.HitRate) }},
	{"mcpctl_cache_bytes", "gauge", nil, "bytes of cached values", func(s *scrape) []sample { return one(s.cache.Bytes) }},
	{"mcpctl_originals", "gauge", nil, "stored originals", func(s *scrape) []sample { return one(s.originals.Originals) }},
	{"mcpctl_originals_bytes", "gauge", nil, "bytes of stored originals", func(s *scrape) []sample { return one(s.originals.Bytes) }},
}

// Metrics are the figures in the text format of Prometheus.
func (h *Host) Metrics() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s, err := h.scrape()
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		h.meter.mu.Lock()
		var b []byte
		for i := range metrics {
			b = metrics[i].append(b, s)
		}
		h.meter.mu.Unlock()
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(b) // the scraper may be gone
	})
}

// scrape is what the metrics are read from.
type scrape struct {
	*meter    // its lock is held while metrics are written
	sessions  int
	events    uint64
	models    []modelKey // of each project
	cache     cache.Stats
	originals content.Stats
	llms      []llm.Status
}

func (h *Host) scrape() (*scrape, error) {
	s := &scrape{meter: &h.meter, sessions: h.Sessions(), events: h.events.Last(), llms: h.LLMProviders()}
	state := h.state.Load()
	for name := range state.projects {
		if p, err := state.plan.Project(name); err == nil {
			if m, err := p.Model(); err == nil {
				s.models = append(s.models, modelKey{name, m.Name})
			}
		}
	}
	var err error
	s.cache, s.originals, err = h.CacheStats()
	return s, err
}

// append writes a metric: head and samples, sorted by their labels.
func (m *metric) append(b []byte, s *scrape) []byte {
	b = fmt.Appendf(b, "# HELP %s %s\n# TYPE %s %s\n", m.name, m.help, m.name, m.kind)
	list := m.samples(s)
	slices.SortStableFunc(list, func(x, y sample) int {
		n := min(len(m.labels), len(x.labels)) // the parts of a histogram stay in order
		return slices.Compare(x.labels[:n], y.labels[:n])
	})
	for _, one := range list {
		b = append(append(b, m.name...), one.suffix...)
		b = appendLabels(b, m.labels, one.labels)
		b = append(strconv.AppendFloat(append(b, ' '), one.value, 'g', -1, 64), '\n')
	}
	return b
}

// appendLabels writes labels; a value beyond the names is that of "le".
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

func (s *scrape) active() (list []sample) {
	for _, m := range s.models {
		list = append(list, sample{labels: []string{m.project, m.model}, value: 1})
	}
	return list
}

func (s *scrape) results() (list []sample) {
	for m, n := range s.meter.models {
		list = append(list, sample{labels: []string{m.project, m.model}, value: float64(n)})
	}
	return list
}

func (s *scrape) each(value func(*traffic) float64) (list []sample) {
	for key, t := range s.traffic {
		list = append(list, sample{labels: []string{key.project, string(key.kind)}, value: value(t)})
	}
	return list
}

func (s *scrape) eachStage(value func(*stageRuns) float64) (list []sample) {
	for key, r := range s.stages {
		list = append(list, sample{labels: []string{key.role, key.outcome}, value: value(r)})
	}
	return list
}

func (s *scrape) eachLLM(value func(llm.Figures) float64) (list []sample) {
	for _, p := range s.llms {
		list = append(list, sample{labels: []string{p.Name}, value: value(p.Figures)})
	}
	return list
}

func (s *scrape) saved() (list []sample) {
	for project, n := range s.savedTokens() {
		list = append(list, sample{labels: []string{project}, value: float64(n)})
	}
	return list
}

func (s *scrape) histogram() (list []sample) {
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

// metricsReference is the page about /metrics, in Markdown.
func metricsReference() string {
	var b strings.Builder
	b.WriteString(metricsIntro)
	for _, m := range metrics {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.name, m.kind, cmp.Or(strings.Join(m.labels, ", "), "-"), m.help)
	}
	return b.String()
}

const metricsIntro = `# Metrics

<!-- Written by go test ./host -run TestMetricsPage -update from the table of metrics. -->

The daemon serves these figures at ` + "`/metrics`" + `, in the text format of Prometheus, on its socket and, with the token, on its
port. Nothing in them comes from a client or a model: labels are names from your files and types of events, at most
1,000 series a metric; what is beyond counts as ` + "`other`" + `. Tokens are estimates. Counters begin with the daemon, those of
the cache with its file.

` + "```" + `
mcpctl_tokens_saved                                        # drill-downs netted off; below 0: they cost more than was saved
rate(mcpctl_cache_hits_total[1h]) / (rate(mcpctl_cache_hits_total[1h]) + rate(mcpctl_cache_misses_total[1h]))
(mcpctl_request_seconds_sum - mcpctl_upstream_seconds_total) / mcpctl_request_seconds_count   # what mcpctl adds
` + "```" + `

| metric | type | labels | what it counts |
|---|---|---|---|
`
