package proxy

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// exchange is one POST and its answer: plain JSON, or an event stream from the
// moment on that something else has to be said before the answer.
type exchange struct {
	ctx     context.Context
	w       http.ResponseWriter
	streams bool // the client takes event streams

	mu       sync.Mutex
	q        *queue // nil: nothing was sent yet
	answered bool
	done     chan struct{} // closed when the stream has been written
}

func newExchange(w http.ResponseWriter, r *http.Request) *exchange {
	return &exchange{ctx: r.Context(), w: w, streams: takesEvents(r.Header["Accept"])}
}

// takesEvents reads Accept leniently: who sends none takes anything.
func takesEvents(accept []string) bool {
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

// send implements outlet: the first frame makes the answer an event stream.
func (x *exchange) send(frame []byte, u urgency) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.answered || !x.streams || x.ctx.Err() != nil {
		return false
	}
	if x.q == nil {
		x.q, x.done = newQueue(), make(chan struct{})
		go func() {
			defer close(x.done)
			openEvents(x.w).pump(x.ctx, x.q)
		}()
	}
	return x.q.push(frame, u)
}

// answer ends the exchange and waits until all is written. A request that the
// client has taken back is not answered; HTTP ends it with a status alone.
func (x *exchange) answer(msg jsonrpc.Message, wanted bool) {
	x.mu.Lock()
	x.answered = true
	q := x.q
	x.mu.Unlock()
	switch {
	case q == nil && wanted:
		writeMessage(x.w, http.StatusOK, msg)
		return
	case q == nil:
		x.w.WriteHeader(http.StatusAccepted)
		return
	}
	if wanted {
		q.push(encode(msg), answer)
	}
	q.close()
	<-x.done
}

// buffers are reused for answers: a Write is done with its bytes when it returns.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

// maxPooled is the largest buffer that is kept.
const maxPooled = 1 << 20

// writeMessage writes a message as the whole body.
func writeMessage(w http.ResponseWriter, status int, msg jsonrpc.Message) {
	buf := buffers.Get().(*[]byte)
	b := msg.Append((*buf)[:0])
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(b))}
	w.WriteHeader(status)
	writeBody(w, b)
	if cap(b) <= maxPooled {
		*buf = b
		buffers.Put(buf)
	}
}

// writeBody writes a body that a client which does not read cannot hold up for
// ever. What fits the socket's buffers needs no deadline.
func writeBody(w http.ResponseWriter, b []byte) {
	const buffered = 64 << 10
	if len(b) <= buffered {
		_, _ = w.Write(b)
		return
	}
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every server can
	if _, err := w.Write(b); err == nil {
		_ = rc.SetWriteDeadline(time.Time{})
	}
}

var jsonType = []string{"application/json"}
