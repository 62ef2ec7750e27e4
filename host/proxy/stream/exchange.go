package stream

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// Exchange is one POST and its response: plain JSON, or an event stream as soon as
// another message precedes the response. It is an Outlet.
type Exchange struct {
	ctx       context.Context
	w         http.ResponseWriter
	canStream bool // the client accepts event streams

	mu       sync.Mutex
	q        *Queue // nil: no frame was sent yet
	answered bool
	done     chan struct{} // closed when the stream has been written
}

// NewExchange returns the Exchange of a POST.
func NewExchange(w http.ResponseWriter, r *http.Request) *Exchange {
	return &Exchange{ctx: r.Context(), w: w, canStream: AcceptsEvents(r)}
}

// AcceptsEvents reports whether a client accepts event streams. A missing Accept
// header accepts everything.
func AcceptsEvents(r *http.Request) bool {
	accept := r.Header["Accept"]
	if len(accept) == 0 {
		return true
	}
	for _, one := range accept {
		if strings.Contains(one, "text/event-stream") || strings.Contains(one, "*/*") || strings.Contains(one, "text/*") {
			return true
		}
	}
	return false
}

// Send implements Outlet. The first frame turns the response into an event stream.
func (x *Exchange) Send(frame []byte, u Urgency) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.answered || !x.canStream || x.ctx.Err() != nil {
		return false
	}
	if x.q == nil {
		x.q, x.done = NewQueue(), make(chan struct{})
		go func() {
			defer close(x.done)
			openEvents(x.w).pump(x.ctx, x.q)
		}()
	}
	return x.q.Push(frame, u)
}

// IsListening implements Outlet.
func (x *Exchange) IsListening() bool { return true }

// Answer ends the exchange and returns once everything is written. With wanted false,
// because the client has cancelled the request, it sends a status without a body.
func (x *Exchange) Answer(msg jsonrpc.Message, wanted bool) { x.end(http.StatusOK, msg, wanted) }

// Reply is Answer with a status, which a client sees if no other message precedes the
// response.
func (x *Exchange) Reply(status int, msg jsonrpc.Message) { x.end(status, msg, true) }

func (x *Exchange) end(status int, msg jsonrpc.Message, wanted bool) {
	x.mu.Lock()
	x.answered = true
	q := x.q
	x.mu.Unlock()
	switch {
	case q == nil && wanted:
		WriteMessage(x.w, status, msg)
		return
	case q == nil:
		x.w.WriteHeader(http.StatusAccepted)
		return
	}
	if wanted {
		q.Push(Encode(msg), Always)
	}
	q.Close()
	<-x.done
}
