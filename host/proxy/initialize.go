package proxy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
)

// waitGreeting is how long initialize waits for servers of which nothing is known
// yet, if controllers edit the list of tools: the client may be shown only the tools
// of controllers. Otherwise it waits for Options.ListWait or Profile.GreetingWait, since
// instructions reach a client only here. Servers that start later are assumed to have
// every capability.
const waitGreeting = 500 * time.Millisecond

// newSession answers initialize: it makes the session, starts its connections
// and tells the client what it can expect, without waiting for slow servers.
//
// The caller closes the session; s is nil if the answer is an error.
func (e *Endpoint) newSession(ctx context.Context, p *Project, subject, dir string, msg jsonrpc.Message, out stream.Outlet) (s *Session, answer jsonrpc.Message) {
	client, err := decodeClient(msg.Params)
	if err != nil {
		return nil, failure(msg.ID, err)
	}
	client.Dir = dir
	s = &Session{
		e:        e,
		id:       rand.Text(),
		scope:    flow.Scope{Project: p.Name, Subject: subject, Session: rand.Text()},
		client:   client,
		label:    client.Name + "/" + client.Version,
		profile:  ProfileOf(client),
		out:      out,
		inFlight: make(map[jsonrpc.ID]context.CancelCauseFunc),
		watched:  make(map[string]struct{}),
	}
	s.links.byName = make(map[string]*link)
	s.ctx, s.stop = context.WithCancel(context.Background())
	req := &request{Message: msg, project: p, event: s.event(msg)}
	e.steer(s)
	s.links.sync(s, p)
	s.awaitGreetings(ctx)
	result := s.welcome(p, s.greetingOf(ctx, req))
	s.record(req, flow.Reply{Result: result}, nil)
	return s, jsonrpc.Message{ID: msg.ID, Result: result}
}

func (s *Session) awaitGreetings(ctx context.Context) {
	limit := s.e.opts.ListWait
	if most := s.profile.GreetingWait; most > 0 {
		limit = min(limit, most)
	}
	if s.steered() && s.steering.Wants(abi.OnToolsList) {
		limit = min(limit, waitGreeting)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s.waitAll(ctx)
}

// decodeClient reads the params of initialize.
func decodeClient(raw json.RawMessage) (Client, error) {
	params, err := jsonrpc.DecodeParams(raw)
	if err != nil {
		return Client{}, err
	}
	asked, ok := params.Text("protocolVersion")
	switch {
	case !ok:
		return Client{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "initialize: params.protocolVersion %s", notText(params, "protocolVersion"))
	case asked == stateless:
		return Client{}, unsupported(asked)
	}
	c := Client{ProtocolVersion: agreed(asked)}
	c.Info, _ = params.Get("clientInfo")
	c.Capabilities, _ = params.Get("capabilities")
	c.Name = jsonedit.MemberText(c.Info, "name")
	c.Version = jsonedit.MemberText(c.Info, "version")
	return c, nil
}

// welcome writes the result of initialize. What controllers say comes first.
func (s *Session) welcome(p *Project, said string) []byte {
	var all []greeting
	for _, server := range p.Servers {
		caps, text := s.e.catalog.greeting(s.scope.Subject, server)
		all = append(all, greeting{server.Name, caps, text})
		if caps == nil && s.steered() {
			s.late.servers = append(s.late.servers, server)
		}
	}
	var own []string
	if s.library() != nil {
		own = []string{"resources"}
	}
	if s.steered() && s.steering.Logs() {
		own = append(own, "logging")
	}
	caps := capabilities(all, own...)
	s.mu.Lock()
	s.logging = jsonedit.Has(caps, "logging")
	s.mu.Unlock()
	fields := []jsonedit.Field{jsonedit.String("protocolVersion", s.client.ProtocolVersion), jsonedit.Raw("capabilities", caps), jsonedit.Raw("serverInfo", jsonedit.Object(jsonedit.String("name", "mcpctl"), jsonedit.String("version", s.e.opts.Version)))}
	if text := instructions(said, all, s.profile.InstructionsChars); text != "" {
		fields = append(fields, jsonedit.String("instructions", text))
	}
	return jsonedit.Object(fields...)
}
