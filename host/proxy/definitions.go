package proxy

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/proxy/catalog"
)

// ServerTool is a tool as its server listed it.
type ServerTool struct {
	Server     string
	Definition json.RawMessage
}

// ServerTools returns the tools of a project's servers that have been listed for this
// subject, in the order of tools/list. The definitions must not be modified.
func (e *Endpoint) ServerTools(subject string, p *Project) (tools []ServerTool) {
	for _, server := range p.Servers {
		list, _ := e.catalog.Last(idOf(subject, server), catalog.Tools)
		if list == nil {
			continue
		}
		for _, it := range list.Items {
			tools = append(tools, ServerTool{server.Name, it.Raw})
		}
	}
	return tools
}
