package proxy

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// maxSubscribed is the number of resources in one subscriptions/listen.
const maxSubscribed = 1000

// listeners are the open subscriptions/listen of a session. They are its Outlet: each
// notification goes to those that want it, and a request to nobody, because the version
// has no requests of servers. They are safe for concurrent use.
type listeners struct {
	mu      sync.Mutex
	all     map[*listener]struct{}
	watched map[string]int // number of listeners by URI
}

// listener is one open subscriptions/listen.
type listener struct {
	id    jsonrpc.ID
	lists map[string]bool // methods of wanted notifications
	uris  map[string]bool // resources whose updates are wanted
	q     *stream.Queue
	acked bool // guarded by listeners.mu
}

// listFields are the members of the filter, by the notification that they ask for.
var listFields = map[string]catalog.Kind{
	"toolsListChanged":     catalog.Tools,
	"promptsListChanged":   catalog.Prompts,
	"resourcesListChanged": catalog.Resources,
}

// Send implements stream.Outlet.
func (l *listeners) Send(frame []byte, u stream.Urgency) bool {
	m, err := jsonrpc.DecodeUpstream(frame, jsonrpc.Limits{FrameBytes: len(frame)})
	if err != nil || !m.IsNotification() {
		return false
	}
	uri := ""
	if m.Method == "notifications/resources/updated" {
		uri = jsonedit.MemberText(m.Params, "uri")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for one := range l.all {
		if one.acked && (one.lists[m.Method] || uri != "" && one.uris[uri]) {
			one.q.Push(stream.Notification(m.Method, stateless.Tag(m.Params, one.id)), u)
		}
	}
	return true
}

// IsListening implements stream.Outlet. No answer waits for a client to read its tools
// again, because the list of tools does not depend on calls.
func (l *listeners) IsListening() bool { return false }

// add adds a listener and returns the URIs that no other listener watches.
func (l *listeners) add(one *listener) (added []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all, l.watched = make(map[*listener]struct{}), make(map[string]int)
	}
	l.all[one] = struct{}{}
	for uri := range one.uris {
		if l.watched[uri]++; l.watched[uri] == 1 {
			added = append(added, uri)
		}
	}
	return added
}

// acknowledge sends the first notification of a listener. Others follow it.
func (l *listeners) acknowledge(one *listener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one.acked = true
	one.q.Push(stream.Notification("notifications/subscriptions/acknowledged", one.acknowledgement()), stream.Always)
}

// remove removes a listener and returns the URIs that no other listener watches.
func (l *listeners) remove(one *listener) (dropped []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, one)
	for uri := range one.uris {
		if l.watched[uri]--; l.watched[uri] == 0 {
			delete(l.watched, uri)
			dropped = append(dropped, uri)
		}
	}
	return dropped
}

// count returns the number of listeners.
func (l *listeners) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}

// listen serves subscriptions/listen: a stream of the notifications that the client asks
// for, until the client or the session ends it.
func (e *Endpoint) listen(w http.ResponseWriter, r *http.Request, o *sessionEntry, p *Project, msg jsonrpc.Message) {
	state := stateOf(o.Session)
	one, bad := newListener(msg)
	switch {
	case bad != nil:
		e.refuseStateless(w, msg.ID, http.StatusBadRequest, bad)
		return
	case !stream.AcceptsEvents(r):
		e.refuseStateless(w, msg.ID, http.StatusNotAcceptable, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "a subscription needs Accept: text/event-stream"))
		return
	case state.count() >= stream.MaxStreams:
		e.refuseStateless(w, msg.ID, http.StatusConflict, jsonrpc.Errorf(codeServer, "too many subscriptions are open, limit %d", stream.MaxStreams))
		return
	}
	added := state.add(one)
	defer func() {
		watch(context.WithoutCancel(r.Context()), o.Session, p, "resources/unsubscribe", state.remove(one))
	}()
	o.links.reconnect()
	beginListening(r.Context(), o.Session, p, added, one.kinds()) // before the status: some clients take that as the acknowledgement
	state.acknowledge(one)
	end := context.AfterFunc(o.ctx, func() { // the session ends: a graceful end for the client
		one.q.Push(stream.Encode(jsonrpc.Message{ID: msg.ID, Result: stateless.CompleteResult(msg.Method, stateless.Tag(nil, msg.ID), e.self)}), stream.Always)
		one.q.Close()
	})
	defer end()
	stream.ServeQueue(w, r, one.q)
}

// newListener reads the params of subscriptions/listen.
func newListener(msg jsonrpc.Message) (*listener, *jsonrpc.Error) {
	one := &listener{id: msg.ID, lists: make(map[string]bool), uris: make(map[string]bool), q: stream.NewQueue()}
	filter := jsonedit.Member(msg.Params, "notifications")
	if filter.End == 0 || jsonspan.KindAt(msg.Params, filter.Start) != jsonspan.Object {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "subscriptions/listen: params.notifications is missing or no object")
	}
	raw := msg.Params[filter.Start:filter.End]
	for name, k := range listFields {
		if m := jsonedit.Member(raw, name); string(raw[m.Start:m.End]) == "true" {
			one.lists[k.Changed()] = true
		}
	}
	jsonedit.Elements(raw, jsonedit.Member(raw, "resourceSubscriptions"), func(m jsonspan.Member) {
		if uri := jsonedit.Text(raw, m); uri != "" && len(one.uris) <= maxSubscribed {
			one.uris[uri] = true
		}
	})
	if len(one.uris) > maxSubscribed {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "subscriptions/listen: more than %d resources", maxSubscribed)
	}
	return one, nil
}

// kinds returns the lists whose changes are wanted.
func (one *listener) kinds() (kinds []catalog.Kind) {
	for _, k := range listFields {
		if one.lists[k.Changed()] {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// acknowledgement returns the params of the first notification.
func (one *listener) acknowledgement() []byte {
	var fields []jsonedit.Field
	for _, name := range slices.Sorted(maps.Keys(listFields)) {
		if one.lists[listFields[name].Changed()] {
			fields = append(fields, jsonedit.Raw(name, []byte("true")))
		}
	}
	if len(one.uris) > 0 {
		var uris [][]byte
		for _, uri := range slices.Sorted(maps.Keys(one.uris)) {
			uris = append(uris, jsonedit.Quote(uri))
		}
		fields = append(fields, jsonedit.Raw("resourceSubscriptions", jsonedit.Array(uris...)))
	}
	return stateless.Tag(jsonedit.Object(jsonedit.Raw("notifications", jsonedit.Object(fields...))), one.id)
}

// watch subscribes to resources of servers, or unsubscribes. A server that cannot do it
// sends no updates.
func watch(ctx context.Context, s *Session, p *Project, method string, uris []string) {
	for _, uri := range uris {
		msg := jsonrpc.Message{Method: method, Params: jsonedit.Object(jsonedit.String("uri", uri))}
		_, _ = s.dispatch(ctx, &request{Message: msg, project: p, related: s.out, event: s.newEvent(msg)})
	}
}

// beginWait is how long the acknowledgement of a subscription waits for servers.
const beginWait = 2 * time.Second

// beginListening subscribes to resources and reads lists, so that a client misses no change after the
// acknowledgement. Slow servers are not waited for.
func beginListening(ctx context.Context, s *Session, p *Project, uris []string, kinds []catalog.Kind) {
	var work sync.WaitGroup
	work.Go(func() { watch(ctx, s, p, "resources/subscribe", uris) })
	for _, k := range kinds {
		work.Go(func() { follow(s, p, k) })
	}
	done := make(chan struct{})
	go func() { work.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	case <-time.After(beginWait):
	}
}

// follow makes the session notice changes of a list from now on, also if the client has
// not read it.
func follow(s *Session, p *Project, k catalog.Kind) {
	var failed error
	defer s.recovered(k.Changed(), &failed)
	if s.checker.isGiven(k) {
		return
	}
	s.checker.give(k, s.index.refresh(s.ctx, nil, p, k, s.index.forListener).Sum)
}
