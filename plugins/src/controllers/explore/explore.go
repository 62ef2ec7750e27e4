// Package explore adds three tools that read a stored result, or the result of a call
// that they make: proxy_filter selects fields, proxy_search finds places and
// proxy_explore describes the structure. They show exact bytes.
package explore

import (
	"cmp"
	"errors"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/argument"
	"github.com/mcpctl/mcpctl/plugins/src/internal/toolname"
	"github.com/mcpctl/mcpctl/plugins/src/internal/toolresult"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() {
	controller.Register("explore", controller.Hooks{ToolsList: listTools, ToolCall: handleCall, ToolResult: handleResult})
}

// source declares the arguments that select a result, shared by all three tools.
const source = `"cache_id":{"type":"string","description":"of a result that was answered by its beginning; or name a tool"},` +
	`"tool":{"type":"string","description":"calls this tool and looks into its result"},` +
	`"arguments":{"type":"object","description":"of that call"}`

const paths = ` Paths: name, user.name, items[].id, items[0].id, *.id.`

var definitions = []string{
	`{"name":"proxy_filter","description":"Takes fields out of a JSON result, as exact values.` + paths + `",` +
		`"inputSchema":{"type":"object","properties":{` + source + `,` +
		`"fields":{"type":"array","items":{"type":"string"},"description":"paths of what is wanted"},` +
		`"exclude":{"type":"array","items":{"type":"string"},"description":"paths of what is not wanted"},` +
		`"mode":{"type":"string","enum":["include","exclude"],"description":"include by default, exclude if that is given"}}},` +
		meta,
	`{"name":"proxy_search","description":"Finds places in a result. regex: lines that match. bm25: the passages with the words of pattern that matter most. ` +
		`fuzzy: what is spelled nearly so. context: the paragraph, section or sentence round each match.",` +
		`"inputSchema":{"type":"object","required":["pattern"],"properties":{` + source + `,` +
		`"pattern":{"type":"string","description":"regular expression, words for bm25, up to 64 characters for fuzzy"},` +
		`"mode":{"type":"string","enum":["regex","bm25","fuzzy","context"],"default":"regex"},` +
		`"max_results":{"type":"integer","default":50},` +
		`"context_lines":{"type":"integer","default":0},` +
		`"case_insensitive":{"type":"boolean","default":false},` +
		`"threshold":{"type":"number","default":0.7,"description":"fuzzy: 1 is equal"},` +
		`"top_k":{"type":"integer","default":5,"description":"bm25: passages"},` +
		`"context_type":{"type":"string","enum":["paragraph","section","sentence","lines"],"default":"paragraph"}}},` +
		meta,
	`{"name":"proxy_explore","description":"Tells the structure of a result: fields, types, sizes, samples. Begin with it where the shape is not known.",` +
		`"inputSchema":{"type":"object","properties":{` + source + `,` +
		`"max_depth":{"type":"integer","default":3}}},` +
		meta,
}

// meta is the end of a definition. It makes clients load these few tools at once.
const meta = `"_meta":{"anthropic/alwaysLoad":true}}`

// listTools adds the tools. A large result is answered with text only, which a client
// rejects from a tool with an output schema, so output schemas are removed.
func listTools(c *controller.Ctx) error {
	for _, d := range definitions {
		if err := c.AddTool(d); err != nil {
			return err
		}
	}
	if c.Int("maxResponseSize", 8000) == 0 {
		return controller.Pass
	}
	for t := range c.Tools() {
		if _, err := t.Field("/outputSchema"); err != nil || t.Kind != controller.UpstreamTool {
			continue
		}
		if err := c.PatchTool(t.Name, `{"outputSchema":null}`); err != nil {
			return err
		}
	}
	return controller.Pass
}

// handleCall answers questions about a stored result, and routes those about a new call.
func handleCall(c *controller.Ctx) error {
	args := argument.Read(c.Input, "")
	q := parseQuestion(c.Tool(), args)
	if q == nil {
		return controller.Pass
	}
	ref, tool := cmp.Or(args.Text("cache_id", ""), args.Text("ref", "")), args.Text("tool", "")
	from, span, given := args.Object("arguments")
	switch {
	case ref == "" && tool == "":
		args.Fail("cache_id and tool are both missing: want the cache_id of an earlier answer, or a tool and its arguments")
	case ref != "" && tool != "":
		args.Fail("cache_id and tool are both there, want one")
	}
	if args.Problem() != "" {
		return c.Refuse(args.Problem())
	}
	if tool != "" {
		return route(c, tool, from, span, given)
	}
	b, err := c.OpenContent(ref)
	if errors.Is(err, stage.NotFound) {
		return c.Refuse("cache_id " + argument.Quote(ref) + " unknown: want one of an earlier answer; results are kept for a limited time, call the tool again")
	}
	if err != nil {
		return err
	}
	a := newAnswer(c, maxAnswer)
	if problem := q.ask(a, content{b, ref}); problem != "" {
		return c.Refuse(problem)
	}
	return a.close()
}

// route rewrites the call to the named tool.
func route(c *controller.Ctx, tool string, from stage.Buf, span stage.Span, given bool) error {
	found, problem := toolname.Find(toolname.List(c), tool, "")
	if problem != "" {
		return c.Refuse(problem)
	}
	if !given {
		empty, err := c.Put("{}")
		if err != nil {
			return err
		}
		from, span = empty, stage.Span{Start: 0, End: 2}
	}
	if err := c.Rewrite(found.Label, from, span.Start, span.Len()); err != nil {
		return c.Refuse("arguments of " + found.Label + ": " + err.Error())
	}
	return controller.Pass
}

// handleResult answers the question of a routed call from the new result. For other calls
// it replaces a large result with its beginning.
func handleResult(c *controller.Ctx) error {
	args := argument.Read(c.Client, "/arguments")
	name, _ := c.Client.JSON().String("/name")
	q := parseQuestion(name, args)
	if call := c.Called(); q == nil && (call.Virtual || call.Rewritten) {
		return controller.Pass // a tool of another controller, which handles large results itself
	}
	r, ok := toolresult.Read(c)
	if !ok {
		return controller.Pass
	}
	if q == nil {
		return answerHead(c, r)
	}
	a := newAnswer(c, maxAnswer)
	for i, part := range r.Parts {
		b, err := c.OpenContent(part.Ref)
		if err != nil {
			return err
		}
		if len(r.Parts) > 1 {
			a.writeText("== part " + strconv.Itoa(i+1) + ", cache_id " + part.Ref + "\n")
		} else {
			a.addNote("cache_id " + part.Ref + ", " + strconv.Itoa(part.Bytes) + " bytes")
		}
		if problem := q.ask(a, content{b, part.Ref}); problem != "" {
			a.writeText(problem + "\n")
		}
		b.Free()
	}
	return a.close()
}

// content is a stored result.
type content struct {
	stage.Buf
	ref string
}

// asker is a question of one of the tools. ask writes the answer, or returns the
// reason why there is none.
type asker interface {
	ask(a *answer, c content) (problem string)
}

// parseQuestion parses the arguments of a tool of this package, or returns nil.
func parseQuestion(tool string, args *argument.Reader) asker {
	common := []string{"cache_id", "tool", "arguments", "ref"} // ref is the name of cache_id in read_section
	switch tool {
	case "proxy_filter":
		args.RejectOthers(append(common, "fields", "exclude", "mode")...)
		return readFilter(args)
	case "proxy_search":
		args.RejectOthers(append(common, "pattern", "mode", "max_results", "context_lines", "case_insensitive", "threshold", "top_k", "context_type")...)
		return readSearch(args)
	case "proxy_explore":
		args.RejectOthers(append(common, "max_depth")...)
		return structure{args.Int("max_depth", 3, 1, 10)}
	}
	return nil
}
