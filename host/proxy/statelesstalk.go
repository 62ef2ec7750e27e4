package proxy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/lists"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// In the stateless version a conversation is named by its requests: begin_session returns a
// handle, and later calls carry it as the argument handleArg or in _meta. No server gets it.
const handleMeta = "mcpctl/session"

// maxTalks is the number of conversations of a session. The one that was used longest ago
// is forgotten first: its next call counts as the first of a conversation.
const maxTalks = 256

// talk is one conversation: what the controllers remember of it. The lists of the session
// do not depend on it.
type talk struct {
	handle   string // "" for all calls without one
	id       string // the session, for controllers and in events
	steering Steering
	used     time.Time
	primed   sync.Once
}

// talks are the conversations of a session, by handle. The zero value has none. It is safe
// for concurrent use.
type talks struct {
	mu  sync.Mutex
	all map[string]*talk
}

// find returns the conversation of a handle. A handle that is unknown, because the daemon
// was restarted or the conversation is old, means the one without a handle.
func (t *talks) find(s *Session, handle string) *talk {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.all[handle]; one != nil {
		one.used = s.now()
		return one
	}
	if one := t.all[""]; one != nil {
		one.used = s.now()
		return one
	}
	return t.add(s, &talk{id: s.scope.Session})
}

// begin returns a new conversation.
func (t *talks) begin(s *Session) *talk {
	t.mu.Lock()
	defer t.mu.Unlock()
	const size = 10 // characters, 50 bits: it only separates the conversations of one client
	return t.add(s, &talk{handle: strings.ToLower(rand.Text()[:size]), id: rand.Text()})
}

// add adds a conversation. The caller holds mu.
func (t *talks) add(s *Session, one *talk) *talk {
	view := steeredView(s)
	view.Scope.Session = one.id
	one.steering, one.used = s.Controllers.Steer(view), s.now()
	if t.all == nil {
		t.all = make(map[string]*talk)
	}
	var oldest *talk
	for _, other := range t.all {
		if oldest == nil || other.used.Before(oldest.used) {
			oldest = other
		}
	}
	if oldest != nil && (len(t.all) >= maxTalks || s.now().Sub(oldest.used) > s.opts.IdleAfter) {
		delete(t.all, oldest.handle)
		oldest.steering.Close(endedIdle)
	}
	t.all[one.handle] = one
	return one
}

// close ends all conversations.
func (t *talks) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range t.all {
		one.steering.Close(endedIdle)
	}
	t.all = nil
}

// newStatelessRequest returns a request in its conversation, whose handle it removes.
func newStatelessRequest(s *Session, p *Project, msg jsonrpc.Message) (*request, *jsonrpc.Error) {
	t, begins, bad := talkOf(s, &msg)
	if bad != nil {
		return nil, bad
	}
	req := &request{Message: msg, project: p, event: s.newEvent(msg)}
	if t != nil {
		t.prime(s.ctx, s, p, stateOf(s).params)
		req.steering, req.event.Scope.Session = t.steering, t.id
	}
	if begins {
		req.handle = t.handle
	}
	return req, nil
}

// talkOf returns the conversation of a request, nil in a session without controllers, and
// removes the handle from the request.
//
// begins reports whether the call begins the conversation.
func talkOf(s *Session, msg *jsonrpc.Message) (t *talk, begins bool, bad *jsonrpc.Error) {
	if !s.isSteered() {
		return nil, false, nil // the argument is the server's
	}
	handle, bad := takeHandle(msg)
	if bad != nil || msg.Method != "tools/call" {
		return nil, false, bad
	}
	state := stateOf(s)
	if handle == "" && jsonedit.MemberText(msg.Params, "name") == names.BeginSession {
		return state.talks.begin(s), true, nil
	}
	return state.talks.find(s, handle), false, nil
}

// takeHandle removes the handle from the params of a call and returns it.
func takeHandle(msg *jsonrpc.Message) (handle string, bad *jsonrpc.Error) {
	p := jsonedit.Patch{Source: msg.Params}
	for _, place := range []struct{ object, key string }{{"_meta", handleMeta}, {"arguments", handleArg}} {
		at := jsonedit.Member(msg.Params, place.object)
		object := msg.Params[at.Start:at.End]
		m := jsonedit.Member(object, place.key)
		if m.End == 0 {
			continue
		}
		if jsonspan.KindAt(object, m.Start) != jsonspan.String {
			return "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s.%s is no string", place.object, place.key)
		}
		handle = jsonedit.Text(object, m)
		p.EditObject(at.Start, func(key []byte) bool { return jsonspan.KeyIs(key, place.key) })
	}
	msg.Params = p.Apply()
	return handle, nil
}

// prime prepares the controllers of a conversation for its first call: they greet the
// client and see the tools once.
func (t *talk) prime(ctx context.Context, s *Session, p *Project, params json.RawMessage) {
	t.primed.Do(func() {
		ctx := context.WithoutCancel(ctx)
		_, _ = t.steering.Initialize(ctx, params)
		known := s.index.gather(ctx, p, catalog.Tools, forNames)
		lists.NewSteeredTools(ctx, toolOptions(p), known, nil, t.steering, lists.ReasonLookup, s.definitions)
	})
}
