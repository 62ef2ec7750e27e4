package proxy

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// inFlight holds the running requests of one session. The zero value has none. It is
// safe for concurrent use.
type inFlight struct {
	mu      sync.Mutex
	cancels map[jsonrpc.ID]context.CancelCauseFunc
	ended   bool
}

// enter registers a request, so that notifications/cancelled and the end of the session
// can cancel it.
func (f *inFlight) enter(id jsonrpc.ID, cancel context.CancelCauseFunc) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.ended:
		return jsonrpc.Errorf(codeServer, "session ended")
	case len(f.cancels) >= maxInFlight:
		return jsonrpc.Errorf(codeServer, "%d requests are running, limit %d", len(f.cancels), maxInFlight)
	case f.cancels[id] != nil:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "request id %s is in use", id)
	}
	if f.cancels == nil {
		f.cancels = make(map[jsonrpc.ID]context.CancelCauseFunc)
	}
	f.cancels[id] = cancel
	return nil
}

func (f *inFlight) leave(id jsonrpc.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.cancels, id)
}

// count returns the number of running requests.
func (f *inFlight) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.cancels)
}

// cancel cancels the request that the params of notifications/cancelled name. Its server
// gets the client's reason, which is the cause of the context.
func (f *inFlight) cancel(params json.RawMessage) {
	id, why, err := jsonrpc.DecodeCancelled(params)
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if cancel := f.cancels[id]; cancel != nil {
		cancel(why)
	}
}

// end cancels all requests and refuses new ones.
func (f *inFlight) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	for _, cancel := range f.cancels {
		cancel(sessionEndedError{})
	}
}
