package proxy

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
)

// steeredView returns the view of the session that controllers get.
func steeredView(s *Session) flow.Steered {
	return flow.Steered{
		Scope: s.scope,
		Client: abi.HookClient{
			Name: s.client.Name, Version: s.client.Version,
			ListChanged: !s.allTools, StructuredOnly: s.profile.StructuredOnly,
			InstructionsChars: s.profile.InstructionsChars,
		},
		Protocol: s.client.ProtocolVersion,
		Tools:    s.index.editedTools,
		Servers:  s.index.serverStates,
	}
}

// editedTools returns the tools as last edited by controllers, including hidden ones.
func (x *index) editedTools() []flow.ListedTool {
	if tools := x.lastTools(); tools != nil {
		return tools.Edited()
	}
	return nil
}

// serverStates returns the servers of the project as the session sees them. It does not
// block.
func (x *index) serverStates() []flow.ServerState {
	p := x.links.project()
	if p == nil {
		return nil
	}
	all := make([]flow.ServerState, len(p.Servers))
	for i, server := range p.Servers {
		id := idOf(x.subject, server)
		caps, _ := x.catalog.Greeting(id)
		list, absent := x.catalog.Last(id, catalog.Tools)
		starting, _ := x.links.starting(server.Name)
		one := flow.ServerState{Name: server.Name, State: "ready"}
		if list != nil {
			one.Tools = p.countOffered(server.Name, list)
		}
		switch err := x.links.fault(server.Name); {
		case err != nil:
			one.State, one.Error = "failed", publicError(err).Error()
		case starting, caps == nil && !absent:
			one.State = "starting"
		case absent:
			one.State, one.Error = "failed", "it did not answer when last asked"
		}
		all[i] = one
	}
	return all
}
