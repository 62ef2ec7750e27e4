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

// maxConversations is the number of conversations of a session. The one that was used longest ago
// is forgotten first: its next call counts as the first of a conversation.
const maxConversations = 256

// conversation is what the controllers remember of one conversation. The lists of the session
// do not depend on it.
type conversation struct {
	handle   string // "" for all calls without one
	id       string // the session, for controllers and in events
	steering Steering
	used     time.Time
	primed   sync.Once
}

// conversations holds the conversations of a session by handle. The zero value has none. It
// is safe for concurrent use.
type conversations struct {
	mu  sync.Mutex
	all map[string]*conversation
}

// find returns the conversation of a handle. A handle that is unknown, because the daemon
// was restarted or the conversation is old, means the one without a handle.
func (c *conversations) find(s *Session, handle string) *conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.all[handle]; one != nil {
		one.used = s.now()
		return one
	}
	if one := c.all[""]; one != nil {
		one.used = s.now()
		return one
	}
	return c.add(s, &conversation{id: s.scope.Session})
}

// begin returns a new conversation.
func (c *conversations) begin(s *Session) *conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	const size = 10 // characters, 50 bits: it only separates the conversations of one client
	return c.add(s, &conversation{handle: strings.ToLower(rand.Text()[:size]), id: rand.Text()})
}

// add adds a conversation. The caller holds mu.
func (c *conversations) add(s *Session, one *conversation) *conversation {
	view := steeredView(s)
	view.Scope.Session = one.id
	one.steering, one.used = s.Controllers.Steer(view), s.now()
	if c.all == nil {
		c.all = make(map[string]*conversation)
	}
	var oldest *conversation
	for _, other := range c.all {
		if oldest == nil || other.used.Before(oldest.used) {
			oldest = other
		}
	}
	if oldest != nil && (len(c.all) >= maxConversations || s.now().Sub(oldest.used) > s.opts.IdleAfter) {
		delete(c.all, oldest.handle)
		oldest.steering.Close(endedIdle)
	}
	c.all[one.handle] = one
	return one
}

// close ends all conversations.
func (c *conversations) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.all {
		one.steering.Close(endedIdle)
	}
	c.all = nil
}

// newStatelessRequest returns a request in its conversation, whose handle it removes.
func newStatelessRequest(s *Session, p *Project, msg jsonrpc.Message) (*request, *jsonrpc.Error) {
	t, begins, bad := conversationOf(s, &msg)
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

// conversationOf returns the conversation of a request, nil in a session without controllers, and
// removes the handle from the request.
//
// begins reports whether the call begins the conversation.
func conversationOf(s *Session, msg *jsonrpc.Message) (t *conversation, begins bool, bad *jsonrpc.Error) {
	if !s.isSteered() {
		return nil, false, nil // the argument is the server's
	}
	handle, bad := takeHandle(msg)
	if bad != nil || msg.Method != "tools/call" {
		return nil, false, bad
	}
	state := stateOf(s)
	if handle == "" && jsonedit.MemberText(msg.Params, "name") == names.BeginSession {
		return state.conversations.begin(s), true, nil
	}
	return state.conversations.find(s, handle), false, nil
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
func (c *conversation) prime(ctx context.Context, s *Session, p *Project, params json.RawMessage) {
	c.primed.Do(func() {
		ctx := context.WithoutCancel(ctx)
		_, _ = c.steering.Initialize(ctx, params)
		known := s.index.gather(ctx, p, catalog.Tools, forNames)
		lists.NewSteeredTools(ctx, toolOptions(p), known, nil, c.steering, lists.ReasonLookup, s.definitions)
	})
}
