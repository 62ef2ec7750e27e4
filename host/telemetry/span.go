package telemetry

import (
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
)

// traces returns the message about finished requests.
func (x *Exporter) traces(batch []event.Event) tracesMessage {
	var spans []span
	for _, e := range batch {
		spans = append(spans, x.request(e)...)
	}
	return tracesMessage{[]resourceSpans{{x.resource(), []scopeSpans{{x.scope(), spans}}}}}
}

// request returns the spans of one request: the request itself, then its steps in order.
//
// An event has the duration of each step, but the start of the request only. Steps are laid
// out one after the other, and what is left is the span "answer": decoding, routing, storing
// and encoding.
func (x *Exporter) request(e event.Event) []span {
	l := layout{x: x, trace: x.newID(16), root: x.newID(8), now: e.Time, end: e.Time.Add(micros(e.Micros))}
	l.spans = append(l.spans, span{
		TraceID: l.trace, SpanID: l.root, Name: requestName(e.Method, target(e)), Kind: kindServer, Start: nanos(e.Time), End: nanos(l.end),
		Attributes: append(identity(e), costs(e)...), Status: statusOf(e.IsError),
	})
	for _, h := range e.Hooks {
		if h.Hook != abi.OnToolResult {
			l.hook(h)
		}
	}
	if e.UpstreamMicros > 0 {
		l.upstream(e)
	}
	for _, h := range e.Hooks {
		if h.Hook == abi.OnToolResult {
			l.hook(h)
		}
	}
	for _, run := range e.Runs {
		for _, s := range run.Stages {
			l.stage(run, s)
		}
	}
	if e.Hold != nil {
		l.step("hold", kindInternal, e.Hold.Micros, false, text("mcpctl.hold.outcome", e.Hold.Outcome))
	}
	if l.now.Before(l.end) {
		l.step("answer", kindInternal, l.end.Sub(l.now).Microseconds(), false)
	}
	return l.spans
}

// layout places the steps of a request.
type layout struct {
	x           *Exporter
	trace, root string
	now, end    time.Time
	spans       []span
}

// step adds a step after the one before. No step ends after the request: parts of a result
// may be transformed at the same time.
func (l *layout) step(name string, kind int, took int64, failed bool, attributes ...attribute) {
	start := l.now
	l.now = l.now.Add(micros(took))
	if l.now.After(l.end) {
		l.now = l.end
	}
	l.spans = append(l.spans, span{
		TraceID: l.trace, SpanID: l.x.newID(8), ParentID: l.root, Name: shorten(name), Kind: kind, Start: nanos(start), End: nanos(l.now),
		Attributes: attributes, Status: statusOf(failed),
	})
}

func (l *layout) hook(h flow.HookReport) {
	list := []attribute{text("mcpctl.controller", h.Role), text("mcpctl.hook", string(h.Hook)), text("mcpctl.outcome", h.Outcome)}
	failed := h.Outcome == "failed"
	if failed {
		list = append(list, text("error.type", "controller_failed"))
	}
	l.step("hook "+strings.TrimPrefix(string(h.Hook), "on_")+" "+h.Role, kindInternal, h.Micros, failed, list...)
}

func (l *layout) upstream(e event.Event) {
	list := []attribute{text("mcp.method.name", e.Method)}
	name := ""
	if e.Server != "" {
		list = append(list, text("mcpctl.server", e.Server))
		name = strings.TrimPrefix(target(e), e.Server+"/")
	}
	if e.Type == event.ToolCall && name != "" {
		list = append(list, text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", name))
	}
	l.step(requestName(e.Method, name), kindClient, e.UpstreamMicros, false, list...)
}

func (l *layout) stage(run flow.RunReport, s flow.StageReport) {
	if s.Role == "" {
		return // the original could not be stored, no stage ran
	}
	list := []attribute{
		text("mcpctl.stage", s.Role), text("mcpctl.outcome", s.Outcome), text("mcpctl.proxymodel", run.Model),
		number("mcpctl.in.bytes", s.InBytes), number("mcpctl.out.bytes", s.OutBytes),
	}
	failed := s.Outcome == "failed" || s.Outcome == "blocked"
	if failed {
		list = append(list, text("error.type", "stage_"+s.Outcome))
	}
	l.step("stage "+s.Role, kindInternal, s.Micros, failed, list...)
}

// target returns the tool or the prompt of a request, if it has one. The address of a
// resource is an argument, and the name of any other request too.
func target(e event.Event) string {
	switch e.Type {
	case event.ToolCall, event.SectionRead, event.PromptGet:
		return e.Source
	}
	return ""
}

// requestName returns the name of a span by the conventions: the method and the target.
func requestName(method, target string) string {
	if target == "" {
		return shorten(method)
	}
	return shorten(method + " " + target)
}

// identity returns the attributes that spans and metrics have in common.
func identity(e event.Event) []attribute {
	list := []attribute{text("mcp.method.name", e.Method)}
	if e.Project != "" {
		list = append(list, text("mcpctl.project", e.Project))
	}
	if e.Server != "" {
		list = append(list, text("mcpctl.server", e.Server))
	}
	if name := target(e); name != "" && e.Type == event.PromptGet {
		list = append(list, text("gen_ai.prompt.name", name))
	} else if name != "" {
		list = append(list, text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", name))
	}
	if kind := errorType(e); kind != "" {
		list = append(list, text("error.type", kind))
	}
	return list
}

// errorType returns the class of an error by the conventions: the code of a JSON-RPC error,
// or tool_error.
func errorType(e event.Event) string {
	switch {
	case e.Code != 0:
		return strconv.Itoa(e.Code)
	case e.IsError:
		return "tool_error"
	}
	return ""
}

// costs returns the attributes of a request that metrics have as values.
func costs(e event.Event) (list []attribute) {
	if e.Code != 0 {
		list = append(list, text("rpc.response.status_code", strconv.Itoa(e.Code)))
	}
	if e.Client != "" {
		list = append(list, text("mcpctl.client", e.Client))
	}
	if len(e.Runs) > 0 {
		list = append(list, text("mcpctl.proxymodel", e.Runs[0].Model))
	}
	if e.InTokens+e.OutTokens > 0 {
		list = append(list, number("mcpctl.in.tokens", e.InTokens), number("mcpctl.out.tokens", e.OutTokens))
	}
	if e.InBytes+e.OutBytes > 0 {
		list = append(list, number("mcpctl.in.bytes", e.InBytes), number("mcpctl.out.bytes", e.OutBytes))
	}
	return append(list, flag("mcpctl.changed", e.Changed), number("mcpctl.event.id", int64(e.ID)))
}

func statusOf(failed bool) *status {
	if failed {
		return &status{statusError}
	}
	return nil
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
