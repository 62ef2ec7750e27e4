// Package dispatch replaces the tools of all servers with one tool, proxy-dispatch. A
// model reads one definition and looks up the other tools when it needs them. A large
// result stays with the host and is read in parts.
package dispatch

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/argument"
	"github.com/mcpctl/mcpctl/plugins/src/internal/nearname"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

const toolName = "proxy-dispatch"

func init() {
	controller.Register("dispatch", controller.Hooks{ToolsList: listTool, ToolCall: handleCall, ToolResult: handleResult})
}

// definition is the definition of the tool in tools/list.
const definition = `{"name":"` + toolName + `","description":"Reaches all tools of all connected servers. ` +
	`action list: connections and their tools. action search: tools by words. ` +
	`action call: calls a tool; a large result is stored and answered by a resultFile, which readresult reads and argumentsFile passes on. ` +
	`action readresult: reads a resultFile; begin with op stat.",` +
	`"inputSchema":{"type":"object","required":["action"],"properties":{` +
	`"action":{"type":"string","enum":["list","search","call","readresult"]},` +
	`"connection":{"type":"string","description":"server; call needs it only for a tool that several have"},` +
	`"includeTools":{"type":"boolean","default":true},` +
	`"includeInputSchema":{"type":"boolean","default":false},` +
	`"includeAnnotations":{"type":"boolean","default":true},` +
	`"query":{"type":"string","description":"search: words in name, description, annotations"},` +
	`"limit":{"type":"integer","default":10},` +
	`"tool":{"type":"string","description":"call: name of the tool"},` +
	`"arguments":{"type":"object","description":"call: arguments of the tool"},` +
	`"argumentsFile":{"type":"string","description":"call: a resultFile that holds the arguments, instead of them"},` +
	`"resultToFile":{"type":"boolean","default":false,"description":"call: answer with a resultFile, not with the result"},` +
	`"resultSizeThreshold":{"type":"integer","description":"call: the same for a result of more bytes; 0 never"},` +
	`"resultFile":{"type":"string","description":"readresult: as call has answered it"},` +
	`"op":{"type":"string","enum":["stat","head","tail","slice","grep","read"],"default":"stat"},` +
	`"lines":{"type":"integer","default":50,"description":"head, tail"},` +
	`"fromLine":{"type":"integer","description":"slice: first line, from 1"},` +
	`"toLine":{"type":"integer","description":"slice: last line"},` +
	`"pattern":{"type":"string","description":"grep: regular expression, case does not count"},` +
	`"context":{"type":"integer","default":0,"description":"grep: lines around a match"},` +
	`"maxBytes":{"type":"integer","default":0,"description":"read: 0 is all"}}},` +
	`"annotations":{"openWorldHint":true},"_meta":{"anthropic/alwaysLoad":true}}`

// names are the arguments of the tool.
var names = []string{"action", "connection", "includeTools", "includeInputSchema", "includeAnnotations", "query", "limit",
	"tool", "arguments", "argumentsFile", "resultToFile", "resultSizeThreshold",
	"resultFile", "op", "lines", "fromLine", "toLine", "pattern", "context", "maxBytes"}

// accepted are names and ref, the name of a resultFile in read_section.
var accepted = append(slices.Clone(names), "ref")

// isMisspelt reports whether a name is nearly that of an argument of proxy-dispatch.
func isMisspelt(name string) bool {
	near := nearname.Of(name, names, 1)
	return len(near) > 0 && nearname.Distance(name, near[0]) <= 2
}

// listTool hides the tools of servers. Virtual tools stay, because a call cannot be
// rewritten to one.
func listTool(c *controller.Ctx) error {
	if err := c.AddTool(definition); err != nil {
		return err
	}
	for t := range c.Tools() {
		if t.Kind != controller.UpstreamTool {
			continue
		}
		if err := c.HideTool(t.Name); err != nil {
			return err
		}
	}
	return controller.Pass
}

// handleCall answers proxy-dispatch, or routes its call to a tool.
func handleCall(c *controller.Ctx) error {
	if c.Tool() != toolName {
		return controller.Pass
	}
	args := argument.Read(c.Input, "")
	action := args.Word("action", "", "list", "search", "call", "readresult")
	if other := args.FirstUnknown(accepted...); other != "" && action == "call" && !args.Has("arguments") && !args.Has("argumentsFile") && !isMisspelt(other) {
		args.Fail("there is no argument " + argument.Quote(other) + ": what the tool takes goes into arguments")
	}
	args.RejectOthers(accepted...)
	if action == "" {
		args.Fail("action is missing, want list, search, call, readresult")
	}
	if args.Problem() != "" {
		return c.Refuse(args.Problem())
	}
	switch action {
	case "list":
		return listTools(c, args)
	case "search":
		return searchTools(c, args)
	case "call":
		return routeCall(c, args)
	}
	return readResult(c, args)
}
