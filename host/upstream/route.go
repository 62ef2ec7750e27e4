package upstream

import (
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// receive handles a message that is not the answer to owner. owner is the call that the
// message belongs to, nil if unknown.
func (w *wire) receive(m jsonrpc.Message, owner *call) {
	switch {
	case m.IsResponse():
		w.stray(m.ID)
	case m.Method == "notifications/progress":
		w.progress(m)
	case m.Method == "notifications/cancelled" && m.IsNotification():
		w.cancelInbound(m.Params)
	case m.Method == "notifications/subscriptions/acknowledged":
	case m.IsNotification():
		w.shared.counts.notes.Add(1)
		if w.stateless.Load() {
			m.Params = stateless.Untag(m.Params)
		}
		if isAboutConnection(m.Method) {
			owner = nil
		}
		w.post(m, owner)
	case m.Method == "ping":
		w.serve(m, nil)
	default:
		if m.Method == rootsRequest {
			w.roots.begin()
		}
		w.post(m, owner)
	}
}

// isAboutConnection reports whether a notification belongs to the connection, never to a
// call.
func isAboutConnection(method string) bool {
	return strings.HasSuffix(method, "/list_changed") || method == "notifications/resources/updated"
}

// post passes a message to its call, otherwise to the Client's Peer.
func (w *wire) post(m jsonrpc.Message, owner *call) {
	switch {
	case owner == nil:
		if !w.shared.loose.put(mail{from: w, m: m}) {
			w.shared.counts.dropped.Add(1)
		}
	case owner.box != nil:
		if !owner.box.put(mail{from: w, m: m}) {
			w.shared.counts.dropped.Add(1)
		}
	default:
		w.deliver(m, owner)
	}
}

// deliver passes a message to the Peer of a call. It must run in a goroutine that may
// block.
func (w *wire) deliver(m jsonrpc.Message, owner *call) {
	switch {
	case m.IsRequest():
		w.serve(m, owner)
	case !owner.hand(m):
		w.shared.counts.dropped.Add(1)
	}
}

// progress finds the call by the Client's token, restores the caller's token in the
// notification, and extends the deadline of the call.
func (w *wire) progress(m jsonrpc.Message) {
	w.shared.counts.notes.Add(1)
	id, ok := tokenOf(m.Params)
	var owner *call
	if ok {
		owner = w.calls.find(id)
	}
	if owner == nil || owner.token == nil {
		w.shared.counts.dropped.Add(1)
		return
	}
	owner.clock.extend()
	m.Params = restoreToken(m.Params, owner.token)
	w.post(m, owner)
}

// stray counts an answer without a pending call. Ids only increase, so an id up to lastID
// belonged to a call that has ended.
func (w *wire) stray(id jsonrpc.ID) {
	if n, ok := id.Int64(); ok && n > 0 && n <= w.shared.lastID.Load() {
		w.shared.counts.late.Add(1)
		return
	}
	w.shared.counts.unknown.Add(1)
}

// cancelInbound cancels a pending request of the server.
func (w *wire) cancelInbound(params json.RawMessage) {
	if id, why, err := jsonrpc.DecodeCancelled(params); err == nil {
		w.dismiss(id, why)
	}
}
