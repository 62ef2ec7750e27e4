package dispatch

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/argument"
	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsontext"
	"github.com/mcpctl/mcpctl/plugins/src/internal/toolname"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// maxAnswer is the limit of an answer in bytes, below the size that clients truncate.
const maxAnswer = 40_000

// levels are the lengths of descriptions in bytes. An answer uses the first with
// which all tools fit.
var levels = []int{2048, 160, 0}

// entry is a tool of a server in an answer.
type entry struct {
	server, name                     string
	description, schema, annotations string
}

// listEntries returns the tools of all servers.
func listEntries(c *controller.Ctx, schema, annotations bool) (entries []entry) {
	for t := range c.Tools() {
		if t.Kind != controller.UpstreamTool {
			continue
		}
		var e entry
		e.server, e.name, _ = strings.Cut(t.Name, "/")
		e.description, _ = t.Field("/description")
		if schema {
			e.schema, _ = t.Field("/inputSchema")
		}
		if annotations {
			e.annotations, _ = t.Field("/annotations")
		}
		entries = append(entries, e)
	}
	return entries
}

// formatJSON returns an entry as JSON with up to description bytes of its description.
func (e entry) formatJSON(description int, connection bool) string {
	var o jsontext.Object
	if connection {
		o.Text("connection", e.server)
	}
	o.Text("name", e.name)
	if description > 0 && e.description != "" {
		o.Text("description", caption.Of([]byte(e.description), description))
	}
	if e.schema != "" {
		o.Raw("inputSchema", e.schema)
	}
	if e.annotations != "" {
		o.Raw("annotations", e.annotations)
	}
	return o.String()
}

// listTools answers the action list.
func listTools(c *controller.Ctx, args *argument.Reader) error {
	connection := args.Text("connection", "")
	withTools := args.Bool("includeTools", true)
	schema, annotations := args.Bool("includeInputSchema", false), args.Bool("includeAnnotations", true)
	if args.Problem() != "" {
		return c.Refuse(args.Problem())
	}
	var servers []controller.Server
	for s := range c.Servers() {
		if connection == "" || s.Name == connection {
			servers = append(servers, s)
		}
	}
	if len(servers) == 0 && connection != "" {
		_, problem := toolname.Find(toolname.List(c), "", connection)
		return c.Refuse(problem)
	}
	var entries []entry
	if withTools {
		entries = listEntries(c, schema, annotations)
	}
	var text string
	for _, level := range levels {
		var left int
		if text, left = formatServers(servers, entries, withTools, level); left == 0 {
			break
		}
	}
	_, err := c.Answer.WriteString(text)
	return err
}

// formatServers formats the list of servers. left is the number of tools that did not fit.
func formatServers(servers []controller.Server, entries []entry, withTools bool, description int) (text string, left int) {
	var list []string
	room := maxAnswer
	for _, s := range servers {
		var o jsontext.Object
		o.Text("connection", s.Name)
		o.Text("state", s.State)
		if s.Error != "" {
			o.Text("error", caption.Of([]byte(s.Error), 200))
		}
		if withTools {
			tools, missing := formatTools(s.Name, entries, description, &room)
			o.Raw("tools", tools)
			left += missing
		} else {
			o.Int("tools", s.Tools)
		}
		list = append(list, o.String())
	}
	var o jsontext.Object
	o.Text("action", "list")
	o.Raw("connections", "["+strings.Join(list, ",")+"]")
	if left > 0 {
		o.Int("toolsLeftOut", left)
		o.Text("note", "name a connection, or use action search")
	}
	return o.String(), left
}

// formatTools formats the tools of a server that fit into room bytes.
func formatTools(server string, entries []entry, description int, room *int) (list string, left int) {
	var tools []string
	for _, e := range entries {
		if e.server != server {
			continue
		}
		text := e.formatJSON(description, false)
		if *room -= len(text) + 1; *room < 0 {
			left++
			continue
		}
		tools = append(tools, text)
	}
	return "[" + strings.Join(tools, ",") + "]", left
}
