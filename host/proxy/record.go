package proxy

import (
	"bytes"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// event starts the record of a request.
func (s *Session) event(msg jsonrpc.Message) Event {
	return Event{
		Start:  s.e.now(),
		Scope:  s.scope,
		Client: s.label,
		Method: msg.Method,
	}
}

// received notes what a server answered to a question that was asked at begin.
func (s *Session) received(e *Event, reply flow.Reply, begin time.Time) {
	e.Upstream += s.e.now().Sub(begin)
	e.InBytes += len(reply.Result) + len(reply.Error)
}

// read notes a drill-down: what it shows costs the model as well.
func (e *Event) read(answer flow.Reply) {
	e.OutTokens = abi.EstimateTokens([]byte(firstText(answer.Result)))
}

// shown notes what the pipeline did.
func (e *Event) shown(r shownResult) {
	e.Changed, e.Refs, e.Run = r.changed, r.refs, r.reports
	e.InTokens, e.OutTokens = r.before, r.after
	if r.blocked != "" {
		e.Failed, e.Error = true, r.blocked
	}
}

// isErrorResult reports whether a tool's result says that it failed. What was
// made here has no marks, and most of it not even the word: little is walked.
func isErrorResult(reply flow.Reply) bool {
	raw := reply.Result
	if reply.Marks.Known || !bytes.Contains(raw, []byte("Error")) {
		return reply.Marks.Failed
	}
	at := jsonedit.Member(raw, "isError")
	return at.End > 0 && raw[at.Start] == 't'
}

// arguments are those of params; nil if it has none.
func arguments(params []byte) []byte {
	m, ok := jsonspan.Lookup(params, "/arguments")
	if !ok {
		return nil
	}
	return params[m.Start:m.End]
}

// record ends the record of a request and hands it over.
func (s *Session) record(req *request, reply flow.Reply, err error) {
	if req.Method == "ping" || s.e.Events == nil {
		return
	}
	e := &req.event
	e.Duration = s.e.now().Sub(e.Start)
	e.Args = arguments(req.Params)
	e.OutBytes = len(reply.Result) + len(reply.Error)
	e.Failed = e.Failed || req.Method == "tools/call" && isErrorResult(reply)
	switch {
	case err != nil:
		object := errorObject(err)
		e.Code, e.Error = object.Code, object.Message
	case reply.Error != nil:
		object := jsonrpc.ReadError(reply.Error)
		e.Code, e.Error = object.Code, object.Message
	}
	for _, c := range req.cleaners { // the client gets the server's bytes, people read events
		e.clean(c)
	}
	s.e.Events.Add(*e)
}

// quotes notes a server that the answer may quote; nil is none. Its secrets are removed
// from the event.
func (r *request) quotes(c cleaner) {
	if c != nil {
		r.cleaners = append(r.cleaners, c)
	}
}

// clean removes a server's secrets from the errors of an event: a controller or a
// stage that fails may quote the server's answer.
func (e *Event) clean(c cleaner) {
	e.Error = c.Clean(e.Error)
	e.Hooks = slices.Clone(e.Hooks)
	for i := range e.Hooks {
		e.Hooks[i].Error = c.Clean(e.Hooks[i].Error)
	}
	e.Run = slices.Clone(e.Run)
	for i := range e.Run {
		e.Run[i].Stages = slices.Clone(e.Run[i].Stages) // the memo keeps the reports that it returned
		for j := range e.Run[i].Stages {
			e.Run[i].Stages[j].Error = c.Clean(e.Run[i].Stages[j].Error)
		}
	}
}
