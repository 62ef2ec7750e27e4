package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
)

// askLimit ends a request to the client that nobody else ends. A call's own
// deadline comes long before.
const askLimit = 10 * time.Minute

// streamWait is how long a request that belongs to no call waits for the client to open
// a stream, which it does after initialize.
const streamWait = 2 * time.Second

// asks are the requests of servers that the client has not answered yet. The
// zero value has none.
type asks struct {
	mu      sync.Mutex
	next    int64
	waiting map[int64]*ask
	tasks   taskTable // of the client: the servers that requested them
}

// ask is one of them.
type ask struct {
	answer   chan flow.Reply // buffered
	progress string          // token that the client may report progress with
	task     bool            // the server wants a task
	from     *peer
}

// ask sends a request to the client and waits for the answer, the end of ctx or
// that of the session. A client that is not waited for any more is told.
func (a *asks) ask(ctx context.Context, from *peer, method string, params json.RawMessage) flow.Reply {
	s := from.s
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	one := &ask{answer: make(chan flow.Reply, 1), progress: progressToken(params), task: jsonedit.Has(params, "task"), from: from}
	if ctx.Err() != nil {
		return refusal("%s: the call that asks has ended", method)
	}
	n, ok := a.add(one)
	if !ok {
		return refusal("%d requests are waiting for the client, limit %d", maxInFlight, maxInFlight)
	}
	defer a.remove(n)
	m := jsonrpc.Message{ID: jsonrpc.NumberID(n), Method: method, Params: params}
	frame := stream.Encode(m)
	viaCall := from.to != s.out && from.to.Send(frame, stream.Required)
	if !viaCall && !s.out.Send(frame, stream.Required) {
		return refusal("%s: the client cannot be reached", method)
	}
	var unheard <-chan time.Time
	if !viaCall && !s.out.IsListening() {
		limit := time.NewTimer(streamWait)
		defer limit.Stop()
		unheard = limit.C
	}
	for {
		select {
		case reply := <-one.answer:
			return reply
		case <-s.ctx.Done():
			return refusal("%s: the client has ended its session", method)
		case <-unheard:
			if !s.out.IsListening() {
				from.takeBack(n, "no stream was open")
				return refusal("%s: the client has no stream open that could carry it (GET of the endpoint)", method)
			}
			unheard = nil
		case <-ctx.Done():
			from.takeBack(n, from.reason(ctx))
			return refusal("%s: the client has not answered in time", method)
		}
	}
}

// reason returns why a request to the client is cancelled: the server's own reason,
// if it gave one that a filter need not read.
func (p *peer) reason(ctx context.Context) string {
	var why *jsonrpc.CancelledError
	if errors.As(context.Cause(ctx), &why) && why.Reason != "" && !p.withholdsText() {
		return why.Reason
	}
	return "the call that asked has ended"
}

// takeBack cancels a request to the client.
func (p *peer) takeBack(n int64, why string) {
	gone := jsonedit.Object(jsonedit.Raw("requestId", jsonrpc.NumberID(n).Append(nil)), jsonedit.String("reason", why))
	p.send(stream.Notification("notifications/cancelled", gone), stream.Droppable)
}

func (a *asks) add(one *ask) (n int64, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.waiting) >= maxInFlight {
		return 0, false
	}
	if a.waiting == nil {
		a.waiting = make(map[int64]*ask)
	}
	a.next++
	a.waiting[a.next] = one
	return a.next, true
}

func (a *asks) remove(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waiting, n)
}

// settle hands a client's answer to who asked. One to nothing that waits, or the
// second to the same request, is dropped.
func (a *asks) settle(msg jsonrpc.Message) {
	n, ok := msg.ID.Int64()
	if !ok {
		return
	}
	a.mu.Lock()
	one := a.waiting[n]
	delete(a.waiting, n)
	a.mu.Unlock()
	if one == nil {
		return
	}
	a.noteTask(one, msg.Result)
	one.answer <- flow.Reply{Result: one.from.s.relatedForServer(one.from.server.Name, msg.Result), Error: msg.Error}
}

// noteTask records the task that the client has made of a server's request.
func (a *asks) noteTask(one *ask, result json.RawMessage) {
	if !one.task {
		return
	}
	at := jsonedit.Member(result, "task")
	made := result[at.Start:at.End]
	if id := jsonedit.MemberText(made, "taskId"); id != "" {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.tasks.put(keyOfTask(flow.Scope{}, "", id), taskEntry{tool: names.Target{Server: one.from.server.Name}})
	}
}

// taskServer returns the server for which the client has made the task that params
// are about, or "".
func (a *asks) taskServer(params json.RawMessage) string {
	id := jsonedit.MemberText(params, "taskId")
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tasks.entries[keyOfTask(flow.Scope{}, "", id)].tool.Server
}

// progress passes what the client reports of a request on to the server that
// made it.
func (a *asks) progress(ctx context.Context, params json.RawMessage) {
	token := jsonedit.Member(params, "progressToken")
	if token.End == 0 {
		return
	}
	var from *peer
	a.mu.Lock()
	for _, one := range a.waiting {
		if one.progress == string(params[token.Start:token.End]) {
			from = one.from
		}
	}
	a.mu.Unlock()
	if from == nil {
		return
	}
	s := from.s
	if up, done, err := s.upstream(s.links.synced.Load(), from.server.Name); err == nil {
		defer done()
		_ = up.Notify(ctx, "notifications/progress", s.relatedForServer(from.server.Name, params))
	}
}

// progressToken returns the token in params._meta as JSON text, or "".
func progressToken(params json.RawMessage) string {
	meta := jsonedit.Member(params, "_meta")
	raw := params[meta.Start:meta.End]
	token := jsonedit.Member(raw, "progressToken")
	return string(raw[token.Start:token.End])
}

// refusal answers a server in place of the client.
func refusal(format string, args ...any) flow.Reply {
	return flow.Reply{Error: jsonrpc.Errorf(codeServer, format, args...).Raw()}
}
