package telemetry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
)

var began = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// call is a tool call with every step.
var call = event.Event{
	Type: event.ToolCall, Time: began, Project: "home", Session: "SECRETSESSION", Client: "claude-code 2.1", Method: "tools/call", Server: "demo", Source: "demo/get_flows",
	InBytes: 900, InTokens: 300, OutBytes: 90, OutTokens: 30, Micros: 100_000, UpstreamMicros: 50_000, Changed: true,
	Refs: []string{"SECRETREF"}, Args: &event.Digest{Bytes: 9, Hash: "SECRETHASH"}, Error: "SECRETTEXT",
	Hooks: []flow.HookReport{{Role: "gate", Hook: abi.OnToolResult, Outcome: "done", Micros: 2000}, {Role: "gate", Hook: abi.OnToolCall, Outcome: "pass", Micros: 1000}},
	Runs: []flow.RunReport{{Model: "subindex", Stages: []flow.StageReport{
		{Role: "section-split", Outcome: "done", Micros: 10_000, InBytes: 900, OutBytes: 90, Meta: map[string]string{"x": "SECRETMETA"}},
		{Role: "summarize-tree", Outcome: "failed", Micros: 4000, Error: "SECRETERROR"},
	}}},
	Hold: &event.Hold{ID: 1, Micros: 20_000, Outcome: "edited"},
}

// collector records the messages that it accepts. reply returns a status, and a header.
type collector struct {
	mu       sync.Mutex
	requests []*http.Request
	bodies   map[string][][]byte // by path
	reply    func(n int, r *http.Request) (int, http.Header)
}

func (c *collector) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.requests = append(c.requests, r)
	n := len(c.requests)
	c.mu.Unlock()
	status, header := http.StatusOK, http.Header{}
	if c.reply != nil {
		if status, header = c.reply(n, r); status == 0 {
			return nil, errors.New("connection refused")
		}
	}
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	if status == http.StatusOK {
		c.mu.Lock()
		if c.bodies == nil {
			c.bodies = map[string][][]byte{}
		}
		c.bodies[r.URL.Path] = append(c.bodies[r.URL.Path], body)
		c.mu.Unlock()
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
}

func (c *collector) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.requests)
}

// traces returns the numbers of requests with traces, and of those that were accepted.
func (c *collector) traces() (requests, accepted int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.requests {
		if r.URL.Path == "/v1/traces" {
			requests++
		}
	}
	return requests, len(c.bodies["/v1/traces"])
}

// logText is a log that can be read while it is written.
type logText struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start starts an exporter to a collector; the log is returned.
func start(t *testing.T, c *collector, ring *event.Ring) (*Exporter, *logText) {
	t.Helper()
	var log logText
	x := Start(Options{
		Endpoint: "http://collector:4318/", Version: "1.2", Transport: c, Rand: chacha(), Timeout: 10 * time.Second, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Headers: func() (http.Header, error) { return http.Header{"Authorization": {"Bearer TOKEN"}}, nil },
	}, ring)
	return x, &log
}

func chacha() io.Reader { return rand.NewChaCha8([32]byte{1}) }

// decoded returns the attributes of a span or point as text.
func attributesOf(raw any) map[string]string {
	list := map[string]string{}
	items, _ := raw.([]any)
	for _, item := range items {
		a := item.(map[string]any)
		for kind, v := range a["value"].(map[string]any) {
			list[a["key"].(string)] = fmt.Sprintf("%s %v", kind, v)
		}
	}
	return list
}

// scopeOf returns the first scope of a message and checks the resource.
func scopeOf(t *testing.T, message []byte, resources, scopes string) map[string]any {
	t.Helper()
	var m map[string][]map[string]any
	if err := json.Unmarshal(message, &m); err != nil {
		t.Fatal(err)
	}
	first := m[resources][0]
	if got := attributesOf(first["resource"].(map[string]any)["attributes"]); got["service.name"] != "stringValue mcpctl" || got["service.version"] != "stringValue 1.2" {
		t.Errorf("resource %v", got)
	}
	return first[scopes].([]any)[0].(map[string]any)
}

func TestTraceOfARequest(t *testing.T) {
	// over real HTTP, as a collector sees it
	var mu sync.Mutex
	messages, header := map[string][]byte{}, http.Header{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		messages[r.Method+" "+r.URL.Path], header = body, r.Header
	}))
	defer server.Close()
	ring := event.New(event.Options{})
	ring.Add(call) // before the start: not exported
	x := Start(Options{Endpoint: server.URL + "/base", Version: "1.2", Rand: chacha(), Log: slog.New(slog.DiscardHandler),
		Headers: func() (http.Header, error) { return http.Header{"X-Scope": {"a"}}, nil }}, ring)
	ring.Add(event.Event{Type: event.ServerState, Server: "demo"}) // no request
	ring.Add(call)
	x.Close()
	if header.Get("X-Scope") != "a" || header.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", header)
	}
	traces := messages["POST /base/v1/traces"]
	if strings.Contains(string(traces), "SECRET") || strings.Contains(string(messages["POST /base/v1/metrics"]), "SECRET") {
		t.Errorf("exported what must stay here:\n%s", traces)
	}
	spans := scopeOf(t, traces, "resourceSpans", "scopeSpans")["spans"].([]any)
	want := []struct {
		name       string
		kind       float64
		start, end int64 // micros after the beginning
		failed     bool
		attributes map[string]string
	}{
		{"tools/call demo/get_flows", kindServer, 0, 100_000, false, map[string]string{
			"mcp.method.name": "stringValue tools/call", "gen_ai.operation.name": "stringValue execute_tool", "gen_ai.tool.name": "stringValue demo/get_flows",
			"mcpctl.project": "stringValue home", "mcpctl.server": "stringValue demo", "mcpctl.proxymodel": "stringValue subindex",
			"mcpctl.in.tokens": "intValue 300", "mcpctl.out.tokens": "intValue 30", "mcpctl.changed": "boolValue true"}},
		{"hook tool_call gate", kindInternal, 0, 1000, false, map[string]string{"mcpctl.controller": "stringValue gate"}},
		{"tools/call get_flows", kindClient, 1000, 51_000, false, map[string]string{"gen_ai.tool.name": "stringValue get_flows"}},
		{"hook tool_result gate", kindInternal, 51_000, 53_000, false, nil},
		{"stage section-split", kindInternal, 53_000, 63_000, false, map[string]string{"mcpctl.outcome": "stringValue done", "mcpctl.out.bytes": "intValue 90"}},
		{"stage summarize-tree", kindInternal, 63_000, 67_000, true, map[string]string{"error.type": "stringValue stage_failed"}},
		{"hold", kindInternal, 67_000, 87_000, false, map[string]string{"mcpctl.hold.outcome": "stringValue edited"}},
		{"answer", kindInternal, 87_000, 100_000, false, nil},
	}
	if len(spans) != len(want) {
		t.Fatalf("%d spans, want %d: %s", len(spans), len(want), traces)
	}
	root, ids := spans[0].(map[string]any), map[string]bool{}
	for i, w := range want {
		s := spans[i].(map[string]any)
		at := func(micros int64) string { return strconv.FormatInt(began.UnixNano()+micros*1000, 10) }
		if s["name"] != w.name || s["kind"] != w.kind || s["startTimeUnixNano"] != at(w.start) || s["endTimeUnixNano"] != at(w.end) || (s["status"] != nil) != w.failed {
			t.Errorf("span %d: %v\nwant %+v", i, s, w)
		}
		got := attributesOf(s["attributes"])
		for k, v := range w.attributes {
			if got[k] != v {
				t.Errorf("%s: %s is %q, want %q", w.name, k, got[k], v)
			}
		}
		id := s["spanId"].(string)
		if ids[id] || len(id) != 16 || s["traceId"] != root["traceId"] || len(s["traceId"].(string)) != 32 || i > 0 && s["parentSpanId"] != root["spanId"] || i == 0 && s["parentSpanId"] != nil {
			t.Errorf("ids of %s: %v", w.name, s)
		}
		ids[id] = true
	}
}

func TestSpansOfOtherRequests(t *testing.T) {
	for _, c := range []struct {
		name  string
		e     event.Event
		spans []string
		root  map[string]string // attributes; "" is absent
	}{
		{"the address of a resource is an argument", event.Event{Type: event.ResourceRead, Method: "resources/read", Source: "file:///SECRET", Micros: 9, UpstreamMicros: 4},
			[]string{"resources/read", "resources/read", "answer"}, map[string]string{"mcp.resource.uri": "", "gen_ai.tool.name": "", "gen_ai.operation.name": ""}},
		{"a prompt", event.Event{Type: event.PromptGet, Method: "prompts/get", Source: "demo/task-1", Server: "demo", Micros: 9, UpstreamMicros: 4},
			[]string{"prompts/get demo/task-1", "prompts/get task-1", "answer"}, map[string]string{"gen_ai.prompt.name": "stringValue demo/task-1", "gen_ai.operation.name": ""}},
		{"a request without steps", event.Event{Type: event.Request, Method: "tools/list", Source: "SECRET", Micros: 9}, []string{"tools/list", "answer"}, nil},
		{"a tool that failed", event.Event{Type: event.ToolCall, Method: "tools/call", Source: "a/b", IsError: true}, []string{"tools/call a/b"}, map[string]string{"error.type": "stringValue tool_error", "rpc.response.status_code": ""}},
		{"a request that was refused", event.Event{Type: event.ToolCall, Method: "tools/call", Source: "a/b", IsError: true, Code: -32602}, []string{"tools/call a/b"},
			map[string]string{"error.type": "stringValue -32602", "rpc.response.status_code": "stringValue -32602"}},
		{"steps longer than the request", event.Event{Type: event.ToolCall, Method: "tools/call", Source: "a/b", Micros: 5,
			Runs: []flow.RunReport{{Stages: []flow.StageReport{{Role: "x", Micros: 4}, {Role: "y", Micros: 4}, {}}}}}, []string{"tools/call a/b", "stage x", "stage y"}, nil},
		{"a long name of a tool", event.Event{Type: event.ToolCall, Method: "tools/call", Source: strings.Repeat("é", 200)}, []string{"tools/call " + strings.Repeat("é", 122)}, nil},
	} {
		c.e.Time = began
		x := &Exporter{opts: Options{Rand: chacha()}}
		spans := x.request(c.e)
		var names []string
		for _, s := range spans {
			names = append(names, s.Name)
			if time.Time(s.End).After(began.Add(micros(c.e.Micros))) || time.Time(s.End).Before(time.Time(s.Start)) {
				t.Errorf("%s: %s ends after the request", c.name, s.Name)
			}
		}
		if !slices.Equal(names, c.spans) {
			t.Errorf("%s: %q, want %q", c.name, names, c.spans)
		}
		b, err := json.Marshal(spans)
		if err != nil || bytes.Contains(b, []byte("SECRET")) {
			t.Errorf("%s: %s, %v", c.name, b, err)
		}
		var decoded []map[string]any
		if err := json.Unmarshal(b, &decoded); err != nil {
			t.Fatal(err)
		}
		got := attributesOf(decoded[0]["attributes"])
		for k, v := range c.root {
			if got[k] != v {
				t.Errorf("%s: %s is %q, want %q", c.name, k, got[k], v)
			}
		}
	}
}

func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, ring := &collector{}, event.New(event.Options{})
		x, _ := start(t, c, ring)
		ring.Add(call)
		failed := call
		failed.IsError = true
		ring.Add(failed)
		ring.Add(call)
		time.Sleep(metricEvery)
		synctest.Wait()
		x.Close()
		sent := c.bodies["/v1/metrics"]
		if len(sent) != 2 { // after the interval, and at the end
			t.Fatalf("%d messages", len(sent))
		}
		got := map[string]string{} // asInt, count, sum, isMonotonic
		for _, raw := range scopeOf(t, sent[0], "resourceMetrics", "scopeMetrics")["metrics"].([]any) {
			m := raw.(map[string]any)
			kind := m["sum"]
			if kind == nil {
				kind = m["histogram"]
			}
			if temporality := kind.(map[string]any)["aggregationTemporality"]; temporality != 2.0 {
				t.Errorf("%v: temporality %v", m["name"], temporality)
			}
			for _, raw := range kind.(map[string]any)["dataPoints"].([]any) {
				p := raw.(map[string]any)
				a := attributesOf(p["attributes"])
				key := m["name"].(string) + " " + a["gen_ai.tool.name"] + a["error.type"]
				got[key] = fmt.Sprintf("%v %v %v %v", p["asInt"], p["count"], p["sum"], kind.(map[string]any)["isMonotonic"])
			}
		}
		const ok, bad = " stringValue demo/get_flows", " stringValue demo/get_flowsstringValue tool_error"
		want := map[string]string{
			"mcpctl.calls" + ok: "2 <nil> <nil> true", "mcpctl.calls" + bad: "1 <nil> <nil> true",
			"mcpctl.errors" + ok: "0 <nil> <nil> true", "mcpctl.errors" + bad: "1 <nil> <nil> true",
			"mcpctl.tokens.in" + ok: "600 <nil> <nil> true", "mcpctl.tokens.in" + bad: "300 <nil> <nil> true",
			"mcpctl.tokens.out" + ok: "60 <nil> <nil> true", "mcpctl.tokens.out" + bad: "30 <nil> <nil> true",
			"mcpctl.tokens.saved" + ok: "540 <nil> <nil> false", "mcpctl.tokens.saved" + bad: "270 <nil> <nil> false",
			"mcp.server.operation.duration" + ok: "<nil> 2 0.2 <nil>", "mcp.server.operation.duration" + bad: "<nil> 1 0.1 <nil>",
			"mcpctl.added.duration" + ok: "<nil> 2 0.06 <nil>", "mcpctl.added.duration" + bad: "<nil> 1 0.03 <nil>", // 100 ms, minus 50 of the server and 20 of the hold
			"mcpctl.telemetry.dropped ": "0 <nil> <nil> true",
		}
		for k, v := range want {
			if got[k] != v {
				t.Errorf("%q is %q, want %q", k, got[k], v)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d series, want %d: %v", len(got), len(want), got)
		}
	})
}

func TestBuckets(t *testing.T) {
	var b buckets
	for _, d := range []time.Duration{-time.Second, 0, time.Millisecond, 1500 * time.Microsecond, time.Hour} {
		b.add(d)
	}
	if b.counts[0] != 3 || b.counts[1] != 1 || b.counts[len(bounds)] != 1 || b.count != 5 || len(b.counts) != len(bounds)+1 {
		t.Errorf("%+v", b)
	}
}

func TestSeriesAreBounded(t *testing.T) {
	m := newMeter(began)
	for i := range 3 * maxSeries {
		e := call
		e.Source = "demo/" + strconv.Itoa(i)
		m.add(e)
	}
	if len(m.series) != maxSeries+1 || m.series[""].calls != 2*maxSeries || m.series[""].attributes[0].Key != "otel.metric.overflow" {
		t.Errorf("%d series, %+v", len(m.series), m.series[""])
	}
}

func TestEndpointFails(t *testing.T) {
	const ok = http.StatusOK
	answers := func(list ...int) func(int, *http.Request) (int, http.Header) {
		return func(n int, _ *http.Request) (int, http.Header) { return list[min(n, len(list))-1], http.Header{} }
	}
	for _, c := range []struct {
		name     string
		reply    func(n int, r *http.Request) (int, http.Header)
		after    time.Duration // after one call and this time,
		requests int           // the endpoint got these requests
		accepted int           // and these traces
		dropped  int64
		log      []string // lines
	}{
		{"up", answers(ok), 6 * time.Second, 1, 1, 0, nil},
		{"down, then up", answers(0, 0, ok), 12 * time.Second, 3, 1, 0, []string{"level=WARN msg=\"telemetry cannot be sent", "level=INFO msg=\"telemetry is sent again\" endpoint=http://collector:4318/v1/traces dropped=0"}},
		{"down: the message is dropped, one line is logged", answers(0), 70 * time.Second, maxAttempts, 0, 1, []string{"cause=\"connection refused\""}},
		{"unavailable, then up", answers(503, ok), 12 * time.Second, 2, 1, 0, []string{"cause=\"status 503\"", "sent again"}},
		{"refused: not repeated", answers(400), 29 * time.Second, 1, 0, 1, []string{"cause=\"status 400\""}},
		{"a redirect is not followed, it would carry the headers elsewhere", func(int, *http.Request) (int, http.Header) {
			return http.StatusTemporaryRedirect, http.Header{"Location": {"http://elsewhere/"}}
		}, 29 * time.Second, 1, 0, 1, []string{"cause=\"status 307\""}},
		{"too many requests: waits as long as it asks for", func(n int, _ *http.Request) (int, http.Header) {
			if n == 1 {
				return http.StatusTooManyRequests, http.Header{"Retry-After": {"20"}}
			}
			return ok, nil
		}, 24 * time.Second, 1, 0, 0, []string{"status 429"}},
		{"too many requests: sends then", func(n int, _ *http.Request) (int, http.Header) {
			if n == 1 {
				return http.StatusTooManyRequests, http.Header{"Retry-After": {"20"}}
			}
			return ok, nil
		}, 26 * time.Second, 2, 1, 0, []string{"status 429", "sent again"}},
		{"slow: given up after the time limit, then repeated", func(n int, r *http.Request) (int, http.Header) {
			if n == 1 {
				<-r.Context().Done()
			}
			return ok, nil
		}, 18 * time.Second, 2, 1, 0, []string{"context deadline exceeded", "sent again"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, ring := &collector{reply: c.reply}, event.New(event.Options{})
				x, log := start(t, got, ring)
				ring.Add(call)
				time.Sleep(c.after)
				synctest.Wait()
				lines := slices.Collect(strings.Lines(log.String()))
				requests, accepted := got.traces()
				if requests != c.requests || accepted != c.accepted || x.meter.lost() != c.dropped || len(lines) != len(c.log) {
					t.Errorf("%d requests, %d accepted, %d dropped, log %q", requests, accepted, x.meter.lost(), lines)
				}
				for i, want := range c.log {
					if i < len(lines) && !strings.Contains(lines[i], want) {
						t.Errorf("line %d is %q, want %q", i, lines[i], want)
					}
				}
				if strings.Contains(log.String(), "TOKEN") {
					t.Errorf("the log shows the header: %s", log)
				}
				x.Close()
			})
		})
	}
}

// TestEndpointNeverDelaysRequests adds more requests than the queue holds while the endpoint
// hangs: adding never waits, and what is not sent is counted.
func TestEndpointNeverDelaysRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{reply: func(_ int, r *http.Request) (int, http.Header) { <-r.Context().Done(); return 0, nil }}
		ring := event.New(event.Options{})
		x, log := start(t, c, ring)
		before := time.Now()
		const n = 2 * maxQueue
		for range n {
			ring.Add(call)
			synctest.Wait() // the reader has it
		}
		if took := time.Since(before); took != 0 { // of the fake clock: nothing waited
			t.Errorf("adding took %v", took)
		}
		if queued := len(x.queue); queued > maxQueue || x.meter.lost() != n-maxBatch-maxQueue {
			t.Errorf("%d queued, %d dropped", queued, x.meter.lost())
		}
		x.Close()
		if took := time.Since(before); took > closeTime {
			t.Errorf("closing took %v", took)
		}
		if x.meter.lost() != n || strings.Count(log.String(), "\n") > 1 {
			t.Errorf("%d dropped, log %s", x.meter.lost(), log)
		}
	})
}

func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, ring := &collector{}, event.New(event.Options{})
		x, _ := start(t, c, ring)
		for range maxBatch + 1 {
			ring.Add(call)
		}
		synctest.Wait()
		if c.count() != 1 {
			t.Errorf("%d messages for a full batch", c.count())
		}
		time.Sleep(traceEvery)
		synctest.Wait()
		if c.count() != 2 {
			t.Errorf("%d messages after the interval", c.count())
		}
		time.Sleep(2 * traceEvery)
		synctest.Wait()
		if c.count() != 2 {
			t.Errorf("%d messages without traffic", c.count())
		}
		x.Close()
		x.Close()
	})
}

func TestRetryAfter(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-1": 0, "x": 0, "99999999999999999999": 0, "999999": maxRetryAfter,
		began.Add(9 * time.Second).Format(http.TimeFormat): 9 * time.Second, began.Add(-time.Hour).Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(s, began); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}

func TestMissingVariable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, ring := &collector{}, event.New(event.Options{})
		var log logText
		var set atomic.Bool
		x := Start(Options{Endpoint: "http://collector", Transport: c, Log: slog.New(slog.NewTextHandler(&log, nil)), Headers: func() (http.Header, error) {
			if !set.Load() {
				return nil, errors.New("OTEL_TOKEN is not set")
			}
			return http.Header{}, nil
		}}, ring)
		ring.Add(call)
		time.Sleep(traceEvery + time.Millisecond)
		synctest.Wait()
		if c.count() != 0 || !strings.Contains(log.String(), "OTEL_TOKEN is not set") {
			t.Errorf("%d requests, log %s", c.count(), log.String())
		}
		set.Store(true)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if c.count() != 1 {
			t.Errorf("%d requests after it was set", c.count())
		}
		x.Close()
	})
}
