package upstream

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// maxInbound bounds the pending requests of a server.
const maxInbound = 64

// sendTimeout bounds the sending of messages that no caller waits for: answers to the
// server and cancellations.
const sendTimeout = 5 * time.Second

// serve answers a request of the server in a new goroutine, because the answer may need a
// person. The request ends with owner, or without one after Config.Timeout.
func (w *wire) serve(m jsonrpc.Message, owner *call) {
	ended := func() {}
	if m.Method == rootsRequest {
		ended = w.roots.end
	}
	ctx, cancel := w.inboundContext(owner)
	if !w.admit(m.ID, cancel) {
		cancel(nil)
		w.shared.counts.dropped.Add(1)
		ended()
		return
	}
	peer := w.shared.peer
	if owner != nil {
		peer = owner.peer
	}
	started := w.shared.spawn(func() {
		defer ended()
		if owner != nil {
			owner.clock.hold()
			defer owner.clock.release()
		}
		reply := answerRequest(ctx, peer, m)
		if !w.dismiss(m.ID, nil) {
			return // cancelled by the server
		}
		sending, stop := context.WithTimeout(w.shared.life, sendTimeout)
		defer stop()
		if err := w.send(sending, reply); err != nil {
			w.shared.cfg.Log.Debug("answer to a server's request not sent", "server", w.shared.cfg.Name, "method", m.Method, "err", err)
		}
	})
	if !started {
		w.dismiss(m.ID, nil)
		ended()
	}
}

// inboundContext returns the context of a request of the server. The cause of a
// cancellation is a *jsonrpc.CancelledError.
func (w *wire) inboundContext(owner *call) (context.Context, context.CancelCauseFunc) {
	if owner != nil {
		return context.WithCancelCause(owner.ctx)
	}
	limited, stop := context.WithTimeout(w.shared.life, w.shared.cfg.Timeout)
	ctx, cancel := context.WithCancelCause(limited)
	return ctx, func(why error) { cancel(why); stop() }
}

func answerRequest(ctx context.Context, peer Peer, m jsonrpc.Message) jsonrpc.Message {
	if m.Method == "ping" {
		return jsonrpc.Message{ID: m.ID, Result: json.RawMessage(`{}`)}
	}
	var reply flow.Reply
	if peer == nil {
		reply.Error = jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method %q not found", m.Method).Raw()
	} else {
		reply = peer.Request(ctx, m.Method, m.Params)
	}
	if reply.Result == nil && reply.Error == nil {
		reply.Error = jsonrpc.Errorf(jsonrpc.CodeInternal, "no answer to %q", m.Method).Raw()
	}
	return jsonrpc.Message{ID: m.ID, Result: reply.Result, Error: reply.Error}
}

// admit records a pending request of the server. It returns false if there are too many,
// or one with this id.
func (w *wire) admit(id jsonrpc.ID, cancel context.CancelCauseFunc) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, twice := w.inbound[id]; twice || len(w.inbound) >= maxInbound || w.why != nil {
		return false
	}
	w.inbound[id] = cancel
	return true
}

// dismiss removes a pending request of the server and cancels its context with why as the
// cause. It returns false if the request was not pending.
func (w *wire) dismiss(id jsonrpc.ID, why error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	cancel, ok := w.inbound[id]
	if ok {
		cancel(why)
		delete(w.inbound, id)
	}
	return ok
}
