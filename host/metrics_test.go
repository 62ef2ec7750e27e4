package host

import (
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
)

var (
	sampleLine = regexp.MustCompile(`^(mcpctl_[a-z_]+)(\{[a-z]+="(?:[^"\\]|\\.)*"(?:,[a-z]+="(?:[^"\\]|\\.)*")*\})? (\S+)$`)
	typeLine   = regexp.MustCompile(`^# TYPE (mcpctl_[a-z_]+) (counter|gauge|histogram)$`)
	helpLine   = regexp.MustCompile(`^# HELP (mcpctl_[a-z_]+) \S`)
)

// scraped parses /metrics as strictly as Prometheus: the header of each metric
// precedes its samples, and no sample is repeated.
func (h *Host) scraped(t *testing.T) map[string]float64 {
	t.Helper()
	rec := httptest.NewRecorder()
	h.Metrics().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	if got := rec.Header().Get("Content-Type"); !strings.HasPrefix(got, "text/plain; version=0.0.4") {
		t.Errorf("Content-Type %q", got)
	}
	values, name, kind := make(map[string]float64), "", ""
	for line := range strings.Lines(rec.Body.String()) {
		line = strings.TrimSuffix(line, "\n")
		if m := helpLine.FindStringSubmatch(line); m != nil {
			name, kind = m[1], ""
			continue
		}
		if m := typeLine.FindStringSubmatch(line); m != nil && m[1] == name {
			kind = m[2]
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil || kind == "" {
			t.Fatalf("invalid line, or a sample before its header: %q", line)
		}
		if base := strings.TrimPrefix(m[1], name); base != "" && kind != "histogram" {
			t.Errorf("%q is listed under %s", line, name)
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if _, twice := values[m[1]+m[2]]; err != nil || twice {
			t.Errorf("%q: %v, twice %v", line, err, twice)
		}
		values[m[1]+m[2]] = v
	}
	return values
}

// Calls of a client change tokens, timing, cache hit rate and active model. The
// tokens of drill-downs are subtracted from the saved ones.
func TestMetricsCountCostOfResults(t *testing.T) {
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("ungated-subindex")})
	c := r.dial(t)
	long := strings.Repeat("# A heading\n\nsome words below it, enough of them to be worth an index\n\n", 500)
	first := c.tool(t, "up__echo", `{"text":`+marshal(t, long)+`}`)
	before := r.scraped(t)
	drill := c.section(t, first.Meta.Ref, "!0-2000")
	c.tool(t, "up__fail", `{}`)
	got := r.scraped(t)

	in, out, cost := abi.EstimateTokens([]byte(long)), abi.EstimateTokens([]byte(first.text())), abi.EstimateTokens([]byte(drill.text()))
	const calls = `{project="home",type="tool_call"}`
	for name, want := range map[string]int{
		`mcpctl_tokens_in_total` + calls:                                           in,
		`mcpctl_tokens_out_total` + calls:                                          out,
		`mcpctl_tokens_saved{project="home"}`:                                      in - out,
		`mcpctl_request_seconds_count` + calls:                                     1,
		`mcpctl_request_seconds_bucket{project="home",type="tool_call",le="+Inf"}`: 1,
		`mcpctl_model_active{project="home",model="ungated-subindex"}`:             1,
		`mcpctl_model_results_total{project="home",model="ungated-subindex"}`:      1,
		`mcpctl_stage_runs_total{stage="section-split",outcome="done"}`:            1,
		`mcpctl_sessions`:  1,
		`mcpctl_originals`: 2, // the text of the server, and the one that the client received
	} {
		if v, ok := before[name]; !ok || v != float64(want) {
			t.Errorf("first answer: %s is %v, want %d", name, v, want)
		}
	}
	if v := got[`mcpctl_tokens_saved{project="home"}`]; v > float64(in-out-cost) || cost == 0 {
		t.Errorf("saved %v, want %d less %d for the drill-down", v, in-out, cost)
	}
	if v := got[`mcpctl_tokens_out_total{project="home",type="section_read"}`]; v != float64(cost) {
		t.Errorf("the drill-down counts %v tokens, want %d", v, cost)
	}
	if got[`mcpctl_requests_total`+calls] != 2 || got[`mcpctl_request_errors_total`+calls] != 1 {
		t.Errorf("requests %v, errors %v", got[`mcpctl_requests_total`+calls], got[`mcpctl_request_errors_total`+calls])
	}
	sum, upstream := got[`mcpctl_request_seconds_sum`+calls], got[`mcpctl_upstream_seconds_total`+calls]
	if upstream <= 0 || upstream >= sum || got[`mcpctl_stage_seconds_total{stage="section-split",outcome="done"}`] <= 0 {
		t.Errorf("%v s, of them %v s for the server", sum, upstream)
	}
	hits, misses := got["mcpctl_cache_hits_total"], got["mcpctl_cache_misses_total"]
	if misses == 0 || got["mcpctl_cache_hit_ratio"] != hits/(hits+misses) {
		t.Errorf("%v hits, %v misses, rate %v", hits, misses, got["mcpctl_cache_hit_ratio"])
	}
}

// An event contains the size and a digest of arguments, never the arguments.
func TestEventsContainDigestsOfArguments(t *testing.T) {
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("default")})
	c := r.dial(t)
	for _, args := range []string{`{"text":"one secret"}`, `{"text":"one secret"}`, `{"text":"another"}`} {
		c.tool(t, "up__echo", args)
	}
	list := r.Events(0, event.Query{Types: []event.Type{event.ToolCall}})
	if len(list) != 3 || list[0].Args == nil || list[2].Args == nil {
		t.Fatalf("events: %+v", list)
	}
	if *list[0].Args != *list[1].Args || list[0].Args.Hash == list[2].Args.Hash || list[0].Args.Bytes != len(`{"text":"one secret"}`) {
		t.Errorf("digests %v, %v, %v", list[0].Args, list[1].Args, list[2].Args)
	}
	if text := marshal(t, list); strings.Contains(text, "secret") {
		t.Errorf("an event contains arguments: %s", text)
	}
}
