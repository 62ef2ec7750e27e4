package proxy

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
	"github.com/mcpctl/mcpctl/host/proxy/task"
)

// maxInFlight is the number of requests of one session that run at once, and of
// requests that wait for one client.
const maxInFlight = 1024

// clientTimeout ends a request to the client. The deadline of the call that caused it
// normally ends it earlier.
const clientTimeout = 10 * time.Minute

// streamWait is how long a request that belongs to no call waits for the client to open
// a stream, which it does after initialize.
const streamWait = 2 * time.Second

// clientRequests are the requests of servers that the client has not answered yet. They
// are safe for concurrent use.
type clientRequests struct {
	out     stream.Outlet // for requests that belong to no call
	session context.Context
	owners  task.Owners // of the tasks that the client created for requests

	mu      sync.Mutex
	next    int64
	waiting map[int64]*clientRequest
}

// clientRequest is one request of a server to the client.
type clientRequest struct {
	server string
	via    stream.Outlet // the stream of the call that caused it, or clientRequests.out
	key    string        // of the server's own, "" if it gave none
	method string
	params json.RawMessage
	reason func(context.Context) string // why it is cancelled when ctx has ended

	answer   chan flow.Reply // buffered
	progress string          // token with which the client may report progress
	wantTask bool
}

// questionNamer is an Outlet that shows the client the key under which a server asks.
type questionNamer interface {
	// nameQuestion sets the key of the request with the number n, before it is sent.
	nameQuestion(n int64, key string)
}

// send sends a request to the client and waits for the answer, the end of ctx or of the
// session. If the request is given up, the client gets a cancellation.
func (c *clientRequests) send(ctx context.Context, r clientRequest) flow.Reply {
	ctx, cancel := context.WithTimeout(ctx, clientTimeout)
	defer cancel()
	r.answer = make(chan flow.Reply, 1)
	r.progress = progressToken(r.params)
	r.wantTask = jsonedit.Has(r.params, "task")
	if ctx.Err() != nil {
		return refusal("%s: the call that asks has ended", r.method)
	}
	n, ok := c.add(&r)
	if !ok {
		return refusal("%d requests are waiting for the client, limit %d", maxInFlight, maxInFlight)
	}
	defer c.remove(n)
	if via, ok := r.via.(questionNamer); ok {
		via.nameQuestion(n, r.key)
	}
	frame := stream.Encode(jsonrpc.Message{ID: jsonrpc.NumberID(n), Method: r.method, Params: r.params})
	viaCall := r.via != c.out && r.via.Send(frame, stream.Required)
	if !viaCall && !c.out.Send(frame, stream.Required) {
		return refusal("%s: the client cannot be reached", r.method)
	}
	var noStream <-chan time.Time
	if !viaCall && !c.out.IsListening() {
		limit := time.NewTimer(streamWait)
		defer limit.Stop()
		noStream = limit.C
	}
	for {
		select {
		case reply := <-r.answer:
			return reply
		case <-c.session.Done():
			return refusal("%s: the client has ended its session", r.method)
		case <-noStream:
			if !c.out.IsListening() {
				c.cancel(r.via, n, "no stream was open")
				return refusal("%s: the client has no open stream (GET of the endpoint)", r.method)
			}
			noStream = nil
		case <-ctx.Done():
			c.cancel(r.via, n, r.reason(ctx))
			return refusal("%s: the client has not answered in time", r.method)
		}
	}
}

// cancel sends the cancellation of a request to the client.
func (c *clientRequests) cancel(via stream.Outlet, n int64, reason string) {
	params := jsonedit.Object(jsonedit.Raw("requestId", jsonrpc.NumberID(n).Append(nil)), jsonedit.String("reason", reason))
	sendVia(via, c.out, stream.Notification("notifications/cancelled", params))
}

// sendVia sends a notification to the stream of a call, or to out if the call has been
// answered.
func sendVia(via, out stream.Outlet, frame []byte) {
	if !via.Send(frame, stream.Droppable) && via != out {
		out.Send(frame, stream.Droppable)
	}
}

func (c *clientRequests) add(r *clientRequest) (n int64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) >= maxInFlight {
		return 0, false
	}
	if c.waiting == nil {
		c.waiting = make(map[int64]*clientRequest)
	}
	c.next++
	c.waiting[c.next] = r
	return c.next, true
}

func (c *clientRequests) remove(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, n)
}

// settle passes a client's answer to the server that asked. An answer to an unknown
// request, or a second one, is dropped. ids translates the ids of tasks.
func (c *clientRequests) settle(msg jsonrpc.Message, ids task.IDs) {
	n, ok := msg.ID.Int64()
	if !ok {
		return
	}
	c.mu.Lock()
	r := c.waiting[n]
	delete(c.waiting, n)
	c.mu.Unlock()
	if r == nil {
		return
	}
	if r.wantTask {
		c.recordTask(r.server, msg.Result)
	}
	r.answer <- flow.Reply{Result: ids.ForServer(r.server, msg.Result), Error: msg.Error}
}

// recordTask records the task that the client created for a server's request.
func (c *clientRequests) recordTask(server string, result json.RawMessage) {
	at := jsonedit.Member(result, "task")
	if id := jsonedit.MemberText(result[at.Start:at.End], "taskId"); id != "" {
		c.owners.Record(id, server)
	}
}

// taskServer returns the server for which the client created the task in params, or "".
func (c *clientRequests) taskServer(params json.RawMessage) string {
	return c.owners.Server(jsonedit.MemberText(params, "taskId"))
}

// progressServer returns the server for whose request the client reports progress, or "".
func (c *clientRequests) progressServer(params json.RawMessage) (server string) {
	token := jsonedit.Member(params, "progressToken")
	if token.End == 0 {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.waiting {
		if r.progress == string(params[token.Start:token.End]) {
			server = r.server
		}
	}
	return server
}

// progressToken returns the token in params._meta as JSON text, or "".
func progressToken(params json.RawMessage) string {
	meta := jsonedit.Member(params, "_meta")
	raw := params[meta.Start:meta.End]
	token := jsonedit.Member(raw, "progressToken")
	return string(raw[token.Start:token.End])
}

// refusal answers a server's request in place of the client.
func refusal(format string, args ...any) flow.Reply {
	return flow.Reply{Error: jsonrpc.Errorf(codeServer, format, args...).Raw()}
}
