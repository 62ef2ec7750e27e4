package host

import (
	"github.com/mcpctl/mcpctl/host/proxy/choice"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// ToolChoice is the choice of the tools that a project offers.
type ToolChoice = choice.Tools

// RenamedTool is a tool whose name in a project ends in a hash.
type RenamedTool = names.RenamedTool

// RenamedTools returns the tools of a project whose names are too long for clients
// or equal to another tool's. tools lists the names of tools by server.
func RenamedTools(project string, bare bool, servers []string, tools map[string][]string) []RenamedTool {
	return names.RenamedTools(project, bare, servers, tools)
}

// WireName returns the name that clients show for a server's tool in a new session
// of a project. For an empty tool it returns the common prefix of the server's
// tools.
func WireName(project string, bare bool, server, tool string) string {
	return names.WireName(project, bare, server, tool)
}
