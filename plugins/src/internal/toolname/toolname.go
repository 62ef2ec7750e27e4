// Package toolname finds a tool by the name that a model uses.
package toolname

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/nearname"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// Tool is a tool in the view of a controller.
type Tool struct {
	Label, Wire string
	Kind        controller.ToolKind
}

// List returns the tools of the project.
func List(c *controller.Ctx) (tools []Tool) {
	for t := range c.Tools() {
		tools = append(tools, Tool{t.Name, t.Wire, t.Kind})
	}
	return tools
}

// Server returns the name of the server in the label of its tool.
func (t Tool) Server() string {
	server, _, _ := strings.Cut(t.Label, "/")
	return server
}

// Name returns the name of the tool on its server.
func (t Tool) Name() string {
	_, name, _ := strings.Cut(t.Label, "/")
	return name
}

// Find finds the tool of a server by label, wire name or the name on its server. If
// connection is not empty, it searches only that server. problem is an advice for the
// model if there is no such tool or several.
func Find(tools []Tool, name, connection string) (found Tool, problem string) {
	if problem := describeUnknownServer(tools, connection); problem != "" {
		return Tool{}, problem
	}
	var named []Tool
	for _, t := range tools {
		switch exact := t.Label == name || t.Wire == name; {
		case t.Kind != controller.UpstreamTool && exact:
			return Tool{}, name + " is a tool of its own: call it directly"
		case t.Kind != controller.UpstreamTool, connection != "" && t.Server() != connection:
		case exact:
			return t, ""
		case t.Name() == name:
			named = append(named, t)
		}
	}
	switch len(named) {
	case 1:
		return named[0], ""
	case 0:
		return Tool{}, describeUnknown(tools, name, connection)
	}
	return Tool{}, quote(name) + " is a tool of several connections: " + joinServers(named) + "; name one"
}

func describeUnknownServer(tools []Tool, connection string) string {
	if connection == "" {
		return ""
	}
	for _, t := range tools {
		if t.Kind == controller.UpstreamTool && t.Server() == connection {
			return ""
		}
	}
	problem := "connection " + quote(connection) + " unknown"
	if all := joinServers(tools); all != "" {
		problem += ", there are " + all
	}
	return problem
}

// joinServers lists the servers of tools without duplicates.
func joinServers(tools []Tool) string {
	var names []string
	seen := map[string]bool{}
	for _, t := range tools {
		if s := t.Server(); t.Kind == controller.UpstreamTool && !seen[s] {
			seen[s] = true
			names = append(names, s)
		}
	}
	const most = 20
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(len(names)-most) + " more"
	}
	return strings.Join(names, ", ")
}

func describeUnknown(tools []Tool, name, connection string) string {
	problem := "tool " + quote(name) + " unknown"
	if connection != "" {
		problem += " in connection " + connection
	}
	var names []string
	labels := map[string]string{}
	for _, t := range tools {
		if t.Kind != controller.UpstreamTool || connection != "" && t.Server() != connection {
			continue
		}
		for _, n := range []string{t.Name(), t.Label} {
			if labels[n] == "" {
				names = append(names, n)
				labels[n] = t.Label
			}
		}
	}
	var near []string
	seen := map[string]bool{}
	for _, n := range nearname.Of(name, names, 10) {
		if label := labels[n]; !seen[label] && len(near) < 5 {
			seen[label] = true
			near = append(near, label)
		}
	}
	if len(near) > 0 {
		return problem + ", did you mean " + strings.Join(near, ", ") + "?"
	}
	if connection == "" {
		return problem
	}
	for _, t := range tools {
		if t.Kind == controller.UpstreamTool && t.Name() == name {
			return problem + ", there is " + t.Label
		}
	}
	return problem
}

func quote(text string) string { return strconv.Quote(caption.Of([]byte(text), 80)) }
