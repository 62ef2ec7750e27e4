package upstream

import (
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// receive takes in what the server sent besides the answer to owner. owner is
// the call that the message is known to belong to, nil if that cannot be told.
func (w *wire) receive(m jsonrpc.Message, owner *call) {
	switch {
	case m.IsResponse():
		w.stray(m.ID)
	case m.Method == "notifications/progress":
		w.progress(m)
	case m.Method == "notifications/cancelled" && m.IsNotification():
		w.cancelInbound(m.Params)
	case m.IsNotification():
		w.shared.counts.notes.Add(1)
		if aboutConnection(m.Method) {
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

// aboutConnection tells notifications that no call can own.
func aboutConnection(method string) bool {
	return strings.HasSuffix(method, "/list_changed") || method == "notifications/resources/updated"
}

// post hands a message to the call it belongs to, else to the Client's Peer.
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

// deliver is the last step of post: the Peer gets the message. The goroutine is
// one that may wait.
func (w *wire) deliver(m jsonrpc.Message, owner *call) {
	switch {
	case m.IsRequest():
		w.serve(m, owner)
	case !owner.hand(m):
		w.shared.counts.dropped.Add(1)
	}
}

// progress finds its call by the token, which is ours, and gives it the token of
// its caller back. It also keeps the call's deadline from running out.
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
	m.Params = withTheirToken(m.Params, owner.token)
	w.post(m, owner)
}

// stray counts an answer that nobody waits for. Our ids only rise, so one that
// was given out belonged to a call that has ended.
func (w *wire) stray(id jsonrpc.ID) {
	if n, ok := id.Int64(); ok && n > 0 && n <= w.shared.lastID.Load() {
		w.shared.counts.late.Add(1)
		return
	}
	w.shared.counts.unknown.Add(1)
}

// cancelInbound ends the answering of a request that the server cancels.
func (w *wire) cancelInbound(params json.RawMessage) {
	if id, why, err := jsonrpc.DecodeCancelled(params); err == nil {
		w.dismiss(id, why)
	}
}
