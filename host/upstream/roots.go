package upstream

import (
	"context"
	"strings"
	"sync"
	"time"
)

// rootsRequest is the method by which a server requests the client's roots.
const rootsRequest = "roots/list"

// A server may request the client's roots as soon as the connection is open, and limit
// its tools to them. A client that starts its servers at initialize calls the first tool
// seconds later. Here the first call may itself start the server, so it has to wait.
const (
	// pingLimit bounds the wait for a server that is busy or does not answer ping.
	pingLimit = 500 * time.Millisecond
	// rootsLimit bounds the wait for a client that does not answer roots/list.
	rootsLimit = 2 * time.Second
	// rootsPause is the time for a server to read the directories that it was sent.
	rootsPause = 50 * time.Millisecond
)

// rootsWait records whether the server of a connection has received the roots that it
// requested. It is nil for a connection without roots.
type rootsWait struct {
	done chan struct{} // closed when calls need not wait any longer

	mu       sync.Mutex
	pending  int           // requests for roots that are not answered yet
	answered chan struct{} // closed when pending is 0 again; nil before the first request
}

// begin records a request for roots.
func (r *rootsWait) begin() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pending == 0 {
		r.answered = make(chan struct{})
	}
	r.pending++
}

// end records that a request for roots was answered or dropped.
func (r *rootsWait) end() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pending--; r.pending == 0 {
		close(r.answered)
	}
}

// requested returns a channel that is closed when all requests for roots are answered,
// or nil if there was none.
func (r *rootsWait) requested() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answered
}

// wait waits until the server has its roots, or the connection or ctx ends.
func (r *rootsWait) wait(ctx context.Context, lost <-chan struct{}) {
	if r == nil {
		return
	}
	select {
	case <-r.done:
	case <-lost:
	case <-ctx.Done():
	}
}

// usesRoots reports whether the answer to a request may depend on the roots. The lists
// do not wait: a client may answer roots/list only after it has them.
func usesRoots(method string) bool {
	return method != "ping" && method != "logging/setLevel" && !strings.HasSuffix(method, "/list")
}
