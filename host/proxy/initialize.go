package proxy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/greeting"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
)

// steeredGreetingWait is how long initialize waits for unknown servers if controllers
// edit the list of tools, because the client may then see only tools of controllers.
// Otherwise it waits for Options.ListWait or Profile.GreetingWait: instructions reach a
// client only in the answer to initialize. Servers that start later are assumed to have
// every capability.
const steeredGreetingWait = 500 * time.Millisecond

// openSession answers initialize. It creates the session and starts its connections,
// without waiting for slow servers.
//
// The caller closes the session; s is nil if the answer is an error.
func (c *core) openSession(ctx context.Context, p *Project, subject, dir string, msg jsonrpc.Message, out stream.Outlet) (s *Session, answer jsonrpc.Message) {
	client, err := decodeClient(msg.Params)
	if err != nil {
		return nil, failure(msg.ID, err)
	}
	client.Dir = dir
	s = newSession(context.Background(), c, flow.Scope{Project: p.Name, Subject: subject, Session: rand.Text()}, client, out)
	req := &request{Message: msg, project: p, event: s.newEvent(msg)}
	s.links.sync(p)
	o := opening{s, req}
	o.awaitGreetings(ctx)
	result := o.welcome(o.ownInstructions(ctx))
	s.record(req, flow.Reply{Result: result}, nil)
	return s, jsonrpc.Message{ID: msg.ID, Result: result}
}

// newSession returns a session that is connected to no server yet.
func newSession(ctx context.Context, c *core, scope flow.Scope, client Client, out stream.Outlet) *Session {
	s := &Session{
		core:     c,
		id:       rand.Text(),
		scope:    scope,
		client:   client,
		label:    client.Name + "/" + client.Version,
		opened:   c.now(),
		profile:  ProfileOf(client),
		out:      out,
		sections: sections{reader: c.Reader, scope: scope},
		display:  display{viewer: c.viewer, scope: scope},
	}
	s.ctx, s.stop = context.WithCancel(ctx)
	s.watch.table, s.watch.profile = c.rereads, s.profile
	s.watch.kind = clientKind{Subject: scope.Subject, Name: client.Name, Version: client.Version}
	s.watch.hasList = func() bool { return s.checker.isGiven(catalog.Tools) }
	s.allTools = client.IsStateless() || !s.watch.isExpected()
	s.notify = notifier{out: out, interest: &s.interest, watch: &s.watch, log: c.log, project: scope.Project}
	s.requests.out, s.requests.session = out, s.ctx

	l := &s.links
	l.core, l.scope, l.client, l.ctx = c, scope, client, s.ctx
	l.byName = make(map[string]*link)
	l.peerOf = func(server Server) Peer { return &peer{s: s, server: server, to: out} }
	l.onReady = s.restore
	l.onChanged = s.checker.checkAll

	x := &s.index
	x.listReader = listReader{core: c, subject: scope.Subject, session: s.ctx, links: l, waits: &s.waits}
	x.onLate = func(k catalog.Kind) { s.checker.check(k) }
	x.scope, x.notify = scope, s.notify
	s.checker.index = x

	if c.Controllers != nil {
		s.steering = c.Controllers.Steer(steeredView(s))
		x.steering = s.steering
	}
	return s
}

// opening is the initialize of a session.
type opening struct {
	*Session
	req *request
}

// awaitGreetings waits, for a limited time, for servers whose declarations are unknown.
func (o opening) awaitGreetings(ctx context.Context) {
	limit := o.opts.ListWait
	if most := o.profile.GreetingWait; most > 0 {
		limit = min(limit, most)
	}
	if o.isSteered() && o.steering.Wants(abi.OnToolsList) {
		limit = min(limit, steeredGreetingWait)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	o.links.awaitHandshakes(ctx)
}

// decodeClient decodes the params of initialize.
func decodeClient(raw json.RawMessage) (Client, error) {
	params, err := jsonrpc.DecodeParams(raw)
	if err != nil {
		return Client{}, err
	}
	requested, ok := params.Text("protocolVersion")
	if !ok {
		return Client{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "initialize: params.protocolVersion %s", noText(params, "protocolVersion"))
	}
	info, _ := params.Get("clientInfo")
	caps, _ := params.Get("capabilities")
	return newClient(negotiate(requested), info, caps), nil
}

// newClient returns a client as it described itself.
func newClient(version string, info, capabilities json.RawMessage) Client {
	return Client{
		ProtocolVersion: version, Info: info, Capabilities: capabilities,
		Name: jsonedit.MemberText(info, "name"), Version: jsonedit.MemberText(info, "version"),
	}
}

// greetings returns the last known declarations of a project's servers.
func (x *index) greetings(p *Project) (all []greeting.Server) {
	for _, server := range p.Servers {
		caps, text := x.catalog.Greeting(idOf(x.subject, server))
		all = append(all, greeting.Server{Name: server.Name, Capabilities: caps, Instructions: text})
	}
	return all
}

// welcome returns the result of initialize. ownText comes first in the instructions.
func (o opening) welcome(ownText string) []byte {
	caps, text := o.declare(ownText)
	fields := []jsonedit.Field{
		jsonedit.String("protocolVersion", o.client.ProtocolVersion),
		jsonedit.Raw("capabilities", caps),
		jsonedit.Raw("serverInfo", o.describeSelf()),
	}
	if text != "" {
		fields = append(fields, jsonedit.String("instructions", text))
	}
	return jsonedit.Object(fields...)
}

// describeSelf returns the name and version of this server.
func (c *core) describeSelf() []byte {
	return jsonedit.Object(jsonedit.String("name", "mcpctl"), jsonedit.String("version", c.opts.Version))
}

// declare returns the capabilities and instructions of the project. ownText comes first in
// the instructions.
func (o opening) declare(ownText string) (caps []byte, instructions string) {
	all := o.index.greetings(o.req.project)
	if o.isSteered() {
		for i, server := range o.req.project.Servers {
			if all[i].Capabilities == nil {
				o.late.add(server)
			}
		}
	}
	var own []string
	if o.index.library() != nil {
		own = []string{"resources"}
	}
	if o.isSteered() && o.steering.Logs() {
		own = append(own, "logging")
	}
	caps = greeting.Capabilities(all, own...)
	o.interest.declareLogging(jsonedit.Has(caps, "logging"))
	return caps, greeting.Cut(greeting.Instructions(ownText, all), o.profile.InstructionsChars)
}
