package telemetry

import (
	"encoding/hex"
	"strconv"
	"time"
)

// The types below are the messages of OTLP in its JSON form: ids are hexadecimal, 64-bit
// numbers are strings, enumerations are numbers. Only the used fields are declared.

type tracesMessage struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   resource     `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type resource struct {
	Attributes []attribute `json:"attributes"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type scopeSpans struct {
	Scope scope  `json:"scope"`
	Spans []span `json:"spans"`
}

// Kinds of spans and their status, as OTLP numbers them.
const (
	kindInternal = 1
	kindServer   = 2
	kindClient   = 3
	statusError  = 2
)

type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	ParentID   string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      nanos       `json:"startTimeUnixNano"`
	End        nanos       `json:"endTimeUnixNano"`
	Attributes []attribute `json:"attributes,omitempty"`
	Status     *status     `json:"status,omitempty"`
}

type status struct {
	Code int `json:"code"`
}

type metricsMessage struct {
	ResourceMetrics []resourceMetrics `json:"resourceMetrics"`
}

type resourceMetrics struct {
	Resource     resource       `json:"resource"`
	ScopeMetrics []scopeMetrics `json:"scopeMetrics"`
}

type scopeMetrics struct {
	Scope   scope    `json:"scope"`
	Metrics []metric `json:"metrics"`
}

// cumulative is the number of the aggregation temporality: values count from the start.
const cumulative = 2

type metric struct {
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Unit        string     `json:"unit"`
	Sum         *sum       `json:"sum,omitempty"`
	Histogram   *histogram `json:"histogram,omitempty"`
}

type sum struct {
	Points      []sumPoint `json:"dataPoints"`
	Temporality int        `json:"aggregationTemporality"`
	Monotonic   bool       `json:"isMonotonic"`
}

type sumPoint struct {
	Attributes []attribute `json:"attributes,omitempty"`
	Start      nanos       `json:"startTimeUnixNano"`
	Time       nanos       `json:"timeUnixNano"`
	Value      int64       `json:"asInt,string"`
}

type histogram struct {
	Points      []histogramPoint `json:"dataPoints"`
	Temporality int              `json:"aggregationTemporality"`
}

type histogramPoint struct {
	Attributes []attribute `json:"attributes,omitempty"`
	Start      nanos       `json:"startTimeUnixNano"`
	Time       nanos       `json:"timeUnixNano"`
	Count      int64       `json:"count,string"`
	Sum        float64     `json:"sum"`
	Counts     []count     `json:"bucketCounts"`
	Bounds     []float64   `json:"explicitBounds"`
}

// count is a 64-bit number, which OTLP writes as a string.
type count int64

func (c count) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(c), 10), nil }

// nanos is a time in nanoseconds since 1970.
type nanos time.Time

func (t nanos) MarshalText() ([]byte, error) {
	return strconv.AppendInt(nil, time.Time(t).UnixNano(), 10), nil
}

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value has one of its fields.
type value struct {
	String *string `json:"stringValue,omitempty"`
	Int    *count  `json:"intValue,omitempty"`
	Bool   *bool   `json:"boolValue,omitempty"`
}

// maxAttribute is the size limit of a text, in bytes. Names that a client sends, such as
// that of a tool that does not exist, may be long.
const maxAttribute = 256

func text(key, s string) attribute {
	s = shorten(s)
	return attribute{key, value{String: &s}}
}

func number[N int | int64](key string, n N) attribute {
	c := count(n)
	return attribute{key, value{Int: &c}}
}

func flag(key string, b bool) attribute { return attribute{key, value{Bool: &b}} }

// shorten cuts a text at a character boundary.
func shorten(s string) string {
	if len(s) <= maxAttribute {
		return s
	}
	end := maxAttribute
	for end > 0 && s[end]&0xC0 == 0x80 {
		end--
	}
	return s[:end]
}

// newID returns n random bytes, hexadecimal and not all zero, which OTLP does not allow.
func (x *Exporter) newID(n int) string {
	b := make([]byte, n)
	_, _ = x.opts.Rand.Read(b) // crypto/rand never fails
	b[n-1] |= 1
	return hex.EncodeToString(b)
}

// resource describes the daemon.
func (x *Exporter) resource() resource {
	return resource{[]attribute{text("service.name", x.opts.Service), text("service.version", x.opts.Version)}}
}

func (x *Exporter) scope() scope {
	return scope{Name: "github.com/mcpctl/mcpctl/host/telemetry", Version: x.opts.Version}
}
