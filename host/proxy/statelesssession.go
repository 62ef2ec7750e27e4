package proxy

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// statelessState is the additional state of a session for stateless requests. It is the
// Outlet of the session.
type statelessState struct {
	greeting      sync.Once
	text          string          // of mcpctl and its controllers, set by greeting
	params        json.RawMessage // of the initialize that controllers see
	conversations conversations
	listeners
}

// enterStateless finds the session for a request, or opens it. The caller calls leave.
//
// It is the session of a subject, project, client and working directory: a client that
// declares other capabilities gets another one, because servers of earlier versions learn
// them once.
func (e *Endpoint) enterStateless(r *http.Request, p *Project, req stateless.Request) (o *sessionEntry, status int, err error) {
	dir, err := clientDir(r)
	if err != nil {
		return nil, http.StatusBadRequest, err
	}
	subject := e.opts.Subject(r)
	id := statelessKey(p.Name, subject, dir, string(req.Client), string(req.Capabilities))
	if o, ok := e.sessions.enter(id); ok {
		return o, 0, nil
	}
	e.opening.Lock()
	defer e.opening.Unlock()
	if o, ok := e.sessions.enter(id); ok {
		return o, 0, nil
	}
	if !e.sessions.makeRoom() {
		return nil, http.StatusServiceUnavailable, e.noRoom()
	}
	client := newClient(stateless.Version, req.Client, req.Capabilities)
	client.Dir = dir
	s := e.openStateless(id, flow.Scope{Project: p.Name, Subject: subject}, client)
	s.links.sync(p)
	if !e.sessions.add(s, stateOf(s).conversations.close) {
		s.close(endedByHost)
		return nil, http.StatusServiceUnavailable, e.noRoom()
	}
	if e.Events != nil {
		e.Events.AddSession(s.info(), "")
	}
	o, ok := e.sessions.enter(id)
	if !ok { // the project was deleted meanwhile
		return nil, http.StatusServiceUnavailable, e.noRoom()
	}
	return o, 0, nil
}

// statelessKey returns the key of a session in the table. It is no id that a client of an
// earlier version can name: enter refuses these sessions.
func statelessKey(parts ...string) string {
	const prefix = "stateless"
	size := len(prefix)
	for _, part := range parts {
		size += binary.MaxVarintLen64 + len(part)
	}
	key := append(make([]byte, 0, size), prefix...)
	for _, part := range parts {
		key = binary.AppendUvarint(key, uint64(len(part)))
		key = append(key, part...)
	}
	return string(key)
}

// openStateless returns the session for stateless requests. Its client has the whole list
// of tools at all times, as the version demands: a gate answers the first call with its
// briefing instead of hiding the tools.
func (e *Endpoint) openStateless(id string, scope flow.Scope, client Client) *Session {
	out := &statelessState{params: jsonedit.Object(
		jsonedit.String("protocolVersion", client.ProtocolVersion),
		jsonedit.Raw("capabilities", client.Capabilities),
		jsonedit.Raw("clientInfo", orEmpty(client.Info)),
	)}
	scope.Session = rand.Text()
	s := newSession(context.Background(), e.core, scope, client, out)
	s.id = id
	return s
}

// stateOf returns the additional state of a session that openStateless has opened.
func stateOf(s *Session) *statelessState { return s.out.(*statelessState) }

// greet waits, for a limited time, for servers whose declarations are unknown, and runs
// the hooks for a new client once. It returns the text of mcpctl and the controllers.
func greet(ctx context.Context, o *Session, p *Project) string {
	st := stateOf(o)
	st.greeting.Do(func() {
		ctx := context.WithoutCancel(ctx) // all requests need it, not only this one
		first := opening{o, &request{Message: jsonrpc.Message{Method: "initialize", Params: st.params}, project: p, related: o.out}}
		first.req.event = o.newEvent(first.req.Message)
		first.awaitGreetings(ctx)
		st.text = first.ownInstructions(ctx)
		first.declare(st.text) // records the servers whose instructions are still unknown
	})
	return st.text
}

func orEmpty(raw []byte) []byte {
	if raw == nil {
		return []byte(`{}`)
	}
	return raw
}

// checkParamHeaders checks the headers that repeat arguments of a tools/call, if the tool
// is listed with such headers. The stdio entry, which uses the socket, knows no tools and
// sends none.
func checkParamHeaders(s *Session, r *http.Request, msg jsonrpc.Message) *jsonrpc.Error {
	tools := s.index.lastTools()
	if msg.Method != "tools/call" || tools == nil || isOnSocket(r) {
		return nil
	}
	definition := tools.InHeaders(jsonedit.MemberText(msg.Params, "name"))
	schema := jsonedit.Member(definition, "inputSchema")
	arguments := jsonedit.Member(msg.Params, "arguments")
	return stateless.CheckParamHeaders(r.Header, definition[schema.Start:schema.End], msg.Params[arguments.Start:arguments.End])
}
