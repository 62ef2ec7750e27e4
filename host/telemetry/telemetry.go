// Package telemetry exports traces and metrics of finished requests by OTLP over HTTP, in
// JSON.
//
// Exporter reads the events of a Ring: each request becomes a trace with one span for each
// of its steps, and is counted in the metrics. Names follow the semantic conventions for MCP
// and GenAI where they exist. Arguments, contents, error texts, addresses of resources and
// ids of sessions are never exported.
//
// Nothing here can slow down or fail a request: the Ring does not wait for readers, and what
// the endpoint does not accept in time is dropped and counted.
package telemetry

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/host/event"
)

// Options configure Start.
type Options struct {
	Endpoint string                      // base URL; /v1/traces and /v1/metrics are appended
	Headers  func() (http.Header, error) // of each request; may be nil
	Timeout  time.Duration               // of one request; default 10 s
	Service  string                      // service.name; default mcpctl
	Version  string                      // service.version

	Log       *slog.Logger
	Transport http.RoundTripper // default http.DefaultTransport
	Rand      io.Reader         // ids of traces; default crypto/rand
	Now       func() time.Time  // default time.Now
}

// Intervals and bounds.
const (
	traceEvery  = 5 * time.Second  // traces are sent at the latest after this time
	metricEvery = 30 * time.Second // the metrics are sent
	maxBatch    = 256              // requests in one message
	maxQueue    = 2048             // requests that wait; further ones are dropped
	closeTime   = 3 * time.Second  // for the rest when the daemon stops
)

// Exporter sends telemetry until it is closed.
type Exporter struct {
	opts   Options
	http   *http.Client
	meter  *meter
	queue  chan event.Event
	cancel context.CancelFunc // ends reading
	abort  context.CancelFunc // ends the requests
	ended  chan struct{}
	state  state

	reading context.Context // ends when Close is called
}

// Start begins to export the events that a Ring gets from now on.
func Start(opts Options, events *event.Ring) *Exporter {
	if opts.Timeout <= 0 {
		opts.Timeout = 10 * time.Second
	}
	if opts.Service == "" {
		opts.Service = "mcpctl"
	}
	if opts.Rand == nil {
		opts.Rand = rand.Reader
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Headers == nil {
		opts.Headers = func() (http.Header, error) { return http.Header{}, nil }
	}
	opts.Endpoint = strings.TrimSuffix(opts.Endpoint, "/")
	reading, cancel := context.WithCancel(context.Background())
	sending, abort := context.WithCancel(context.Background())
	x := &Exporter{
		opts: opts, reading: reading, cancel: cancel, abort: abort, ended: make(chan struct{}),
		// A redirect could carry the headers, which are credentials, to another host.
		http:  &http.Client{Transport: opts.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		meter: newMeter(opts.Now()), queue: make(chan event.Event, maxQueue), state: state{failing: map[string]bool{}},
	}
	go x.read(events, events.Last())
	go func() {
		defer close(x.ended)
		x.send(sending)
	}()
	return x
}

// requests are the types of events that are requests of clients.
var requests = []event.Type{event.ToolCall, event.ResourceRead, event.PromptGet, event.SectionRead, event.Request}

// read takes the requests after an id until Close is called, and those that were added
// before that.
func (x *Exporter) read(events *event.Ring, after uint64) {
	defer close(x.queue)
	q := event.Query{Types: requests}
	source, stop := events.Subscribe(x.reading, after, q)
	defer stop()
	for e := range source {
		x.take(e)
		after = e.ID
	}
	for _, e := range events.Since(after, q) {
		x.take(e)
	}
}

// take counts a request and queues it. It never waits for the endpoint.
func (x *Exporter) take(e event.Event) {
	x.meter.add(e)
	x.meter.drop(int64(e.Dropped))
	select {
	case x.queue <- e:
	default:
		x.meter.drop(1)
	}
}

// send sends traces and metrics until the queue is closed.
func (x *Exporter) send(ctx context.Context) {
	traces, metrics := time.NewTicker(traceEvery), time.NewTicker(metricEvery)
	defer traces.Stop()
	defer metrics.Stop()
	var batch []event.Event
	flush := func() {
		if len(batch) > 0 && !x.post(ctx, "/v1/traces", x.traces(batch)) {
			x.meter.drop(int64(len(batch)))
		}
		batch = nil
	}
	for {
		select {
		case e, open := <-x.queue:
			if !open {
				flush()
				x.post(ctx, "/v1/metrics", x.metrics())
				return
			}
			if batch = append(batch, e); len(batch) == maxBatch {
				flush()
			}
		case <-traces.C:
			flush()
		case <-metrics.C:
			x.post(ctx, "/v1/metrics", x.metrics()) // sums: what is not sent is part of the next message
		}
	}
}

// Close sends the rest, once and for at most a few seconds, and returns when nothing is
// running. It may be called again.
func (x *Exporter) Close() {
	limit := time.AfterFunc(closeTime, x.abort)
	defer limit.Stop()
	x.cancel()
	<-x.ended
	x.abort()
}
