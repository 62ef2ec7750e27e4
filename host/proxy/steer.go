package proxy

import (
	"context"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
)

// steer finds the controllers of a new session.
func (e *Endpoint) steer(s *Session) {
	if e.Controllers == nil {
		return
	}
	s.steering = e.Controllers.Steer(flow.Steered{
		Scope: s.scope,
		Client: abi.HookClient{
			Name: s.client.Name, Version: s.client.Version,
			ListChanged: s.profile.ListChanged, StructuredOnly: s.profile.StructuredOnly,
			InstructionsChars: s.profile.InstructionsChars,
		},
		Protocol: s.client.ProtocolVersion,
		Tools:    s.allTools,
		Servers:  s.serverStates,
	})
}

// steered reports whether controllers have a say in the session at this moment.
func (s *Session) steered() bool { return s.steering != nil && s.steering.Active() }

// endSteering tells the controllers why the session has ended.
func (s *Session) endSteering(reason string) {
	if s.steering != nil {
		s.steering.Close(reason)
	}
}

// allTools are the tools as last listed, hidden ones included.
func (s *Session) allTools() []flow.ListedTool {
	if set := s.tools.Load(); set != nil {
		return set.all
	}
	return nil
}

// serverStates are the servers of the project as the session sees them. It does
// not wait.
func (s *Session) serverStates() []flow.ServerState {
	p := s.links.synced.Load()
	if p == nil {
		return nil
	}
	all := make([]flow.ServerState, len(p.Servers))
	for i, server := range p.Servers {
		caps, _ := s.e.catalog.greeting(s.scope.Subject, server)
		list, absent, _ := s.e.catalog.last(s.scope.Subject, server, tools)
		starting, _ := s.links.starting(server.Name)
		one := flow.ServerState{Name: server.Name, State: "ready"}
		if list != nil {
			one.Tools = len(list.items)
		}
		switch err := s.links.failure(server.Name); {
		case err != nil:
			one.State, one.Error = "failed", kindOf(err).Error()
		case starting, caps == nil && !absent:
			one.State = "starting"
		case absent:
			one.State, one.Error = "failed", "it did not answer when last asked"
		}
		all[i] = one
	}
	return all
}

// tell sends notifications of controllers. It reports whether the client was told
// to read its tools again and can have heard it.
func (s *Session) tell(notes []abi.Note) (reread bool) {
	listening := s.out.IsListening()
	for _, n := range notes {
		if n.Method == abi.NoteMessage && !s.hears(n.Params) {
			s.e.log.Debug("log message of a controller not passed on: below the client's level, or it was told of no logging", "project", s.scope.Project)
			continue
		}
		u := stream.Droppable
		if strings.HasSuffix(n.Method, "/list_changed") {
			u = stream.Once
		}
		sent := s.out.Send(stream.Notification(n.Method, n.Params), u)
		reread = reread || sent && listening && n.Method == tools.changed()
	}
	return reread
}

// noteEffects takes what hooks want done that is not about a call.
func (s *Session) noteEffects(req *request, fx flow.Effects) {
	s.tell(fx.Notes)
	if req != nil {
		req.event.Hooks = append(req.event.Hooks, fx.Reports...)
	}
}

// greetingOf returns what mcpctl adds to the instructions: the rules that no gate sends,
// and the texts of controllers, over which filters run as over a prompt of that name.
// If it panics, the session begins without.
func (s *Session) greetingOf(ctx context.Context, req *request) (said string) {
	var failed error
	defer s.e.recovered(req.Method, &failed)
	said = s.rules(ctx, req)
	if !s.steered() || !s.steering.Wants(abi.OnInitialize) {
		return said
	}
	text, reports := s.steering.Initialize(ctx, req.Params)
	req.event.Hooks = append(req.event.Hooks, reports...)
	if len(text) == 0 {
		return said
	}
	left := s.filtered(ctx, req, source{kind: abi.Prompt, name: "instructions"}, [][]byte{text})[0]
	return strings.TrimSpace(said + "\n\n" + string(left))
}
