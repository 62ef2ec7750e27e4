package proxy

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// event starts the record of a request.
func (s *Session) event(msg jsonrpc.Message) Event {
	return Event{
		Start:        s.e.now(),
		Scope:        s.scope,
		Client:       s.label,
		Method:       msg.Method,
		RequestBytes: len(msg.Params),
	}
}

// received notes what a server answered.
func (e *Event) received(reply abi.Reply) { e.InBytes += len(reply.Result) + len(reply.Error) }

// shown notes what the pipeline did.
func (e *Event) shown(r shownResult) {
	e.Changed, e.Refs, e.Run = r.changed, r.refs, r.reports
	e.InTokens, e.OutTokens = r.before, r.after
	if r.blocked != "" {
		e.Failed, e.Error = true, r.blocked
	}
}

// record ends the record of a request and hands it over.
func (s *Session) record(req *request, reply abi.Reply, err error) {
	if req.Method == "ping" || s.e.Events == nil {
		return
	}
	e := &req.event
	e.Duration = s.e.now().Sub(e.Start)
	e.OutBytes = len(reply.Result) + len(reply.Error)
	switch {
	case err != nil:
		object := errorObject(err)
		e.Code, e.Error = object.Code, object.Message
	case reply.Error != nil:
		object := jsonrpc.ReadError(reply.Error)
		e.Code, e.Error = object.Code, object.Message
	}
	s.e.Events.Add(*e)
}
