package proxy

import (
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

// Records receives answered requests with their texts, unlike Events.
//
// Implementations are safe for concurrent use and do not block.
type Records interface {
	// Wants reports whether Add is to be called for the requests of a session.
	Wants(scope flow.Scope) bool
	Add(Record)
}

// Record is one answered request with its texts. The bytes are shared and must not be
// modified.
type Record struct {
	Event    Event
	Hint     string     // path or URI among the arguments
	Upstream flow.Reply // as the server sent it; empty if no server was asked
	Reply    flow.Reply // that the client receives

	// AfterFilters returns Upstream.Result with its texts replaced by the ones that the
	// filters returned, which are the Originals of Event. It is nil if no filter read the
	// answer; otherwise Upstream may contain what the filters removed.
	AfterFilters func(originals [][]byte) (raw []byte, ok bool)
}

// addRecord passes an answered request on, if it is wanted.
func (c *core) addRecord(req *request, reply flow.Reply, err error) {
	if c.Records == nil || !c.Records.Wants(req.event.Scope) {
		return
	}
	if err != nil {
		reply = flow.Reply{Error: errorObject(err).Raw()}
	}
	rec := Record{Event: req.event, Upstream: req.upstream, Reply: reply}
	if args, err := jsonrpc.DecodeObject(req.event.Args); err == nil {
		rec.Hint = hintOf(args)
	}
	if req.filtered {
		rec.AfterFilters = req.afterFilters
	}
	c.Records.Add(rec)
}

// afterFilters returns the answer of the server with its texts replaced by originals.
func (r *request) afterFilters(originals [][]byte) (raw []byte, ok bool) {
	m, ok := reviewedMethods[r.Method]
	if !ok {
		return nil, false
	}
	x := Exchange{Source: result.Source{Type: m.content, Name: r.event.Label}, Upstream: r.upstream, read: m.read}
	return x.Filtered(originals)
}
