package proxy

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// CallTool answers tools/call. Its steps, numbered as in ARCHITECTURE.md.
func (s *Session) CallTool(ctx context.Context, req *request) (flow.Reply, error) {
	// 1 strict: what we decide on is what we forward
	c, err := decodeCall(req.Params)
	if err != nil {
		return flow.Reply{}, err
	}
	// 2 a tool of our own, which no hook and no stage sees; else wire name -> server/tool
	req.event.Label = c.name
	if c.name == names.ReadSection {
		answer := s.readSection(ctx, c)
		req.event.read(answer)
		return answer, nil
	}
	to, err := s.route(ctx, req, c.name)
	if err != nil {
		return flow.Reply{}, err
	}
	req.event.Label = to.Label()
	// 3 an argument _section is ours alone: never forwarded. Then the call hooks, which
	// answer the call themselves, send it to another tool or let it pass
	if err := c.takeSection(); err != nil {
		return flow.Reply{}, err
	}
	h := s.callHooks(ctx, req, to, &c)
	defer h.close()
	if answer, ok := h.answer(ctx); ok {
		return h.finish(ctx, answer), nil
	}
	to = h.target(to)
	if answer, ok := s.readStored(ctx, to, c); ok {
		req.event.read(answer)
		return h.finish(ctx, answer), nil
	}
	if why := req.project.model(abi.ToolResult, to.Label()).Broken; why != "" {
		res := refused(shownResult{blocked: why, after: abi.EstimateTokens([]byte(why))})
		req.event.shown(res)
		return h.finish(ctx, res.reply), nil
	}
	// 4 the real server, bytes as they came; one that cannot answer is a tool that fails
	reply, failed := s.forward(ctx, req, to, c)
	if failed != nil && ctx.Err() != nil {
		return flow.Reply{}, failed
	} else if failed != nil {
		reply = textResult(failed.Error(), true)
	}
	if failed == nil {
		reply = s.noteTask(to, c, reply, req.filtered)
	}
	// 5 to 9 filters, original, result hooks, stages, sections
	var res shownResult
	switch {
	case h.wantResult():
		res = h.show(ctx, c.source(to), reply, failed == nil)
	case failed != nil:
		res = s.showFailure(ctx, req, toolSource(to), reply)
	default:
		res = s.showTool(ctx, req, to, c, reply, c.asked)
	}
	// what _section finds later
	s.stored.put(to, c.args, res.refs)
	// 10 event: Handle adds it together with the answer
	req.event.shown(res)
	if failed != nil {
		req.event.Error = firstText(res.reply.Result)
	}
	// 11 answer, blocks of controllers round it
	if answer, ok := s.readStored(ctx, to, c); ok {
		req.event.read(answer)
		return h.finish(ctx, answer), nil
	}
	return h.finish(ctx, res.reply), nil
}

// call is the decoded params of a tools/call.
type call struct {
	name    string
	params  jsonrpc.Object
	args    jsonrpc.Object
	section string // the argument _section
	asked   bool   // there was one
}

// decodeCall reads the params. What is sent on is encoded from what is read here.
func decodeCall(raw []byte) (call, error) {
	params, err := jsonrpc.DecodeParams(raw)
	if err != nil {
		return call{}, err
	}
	name, ok := params.Text("name")
	if !ok {
		return call{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "tools/call: params.name %s", notText(params, "name"))
	}
	c := call{name: name, params: params}
	if args, ok := params.Get("arguments"); ok && string(args) != "null" {
		if c.args, err = jsonrpc.DecodeObject(args); err != nil {
			return call{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "tools/call: params.arguments: %s", message(err))
		}
	}
	return c, nil
}

// message is what an error says, without its code where it has one.
func message(err error) string {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// encoded returns the params for the server: its own name for the tool, the
// arguments as decoded, everything else as it came.
func (c *call) encoded(t names.Target) []byte {
	c.params.Set("name", jsonedit.Quote(t.Name))
	if args, ok := c.params.Get("arguments"); ok && string(args) != "null" {
		c.params.Set("arguments", c.args.Raw())
	}
	return c.params.Raw()
}

// rewrite gives the call other arguments. A _section among them counts, else that
// of the client.
func (c *call) rewrite(args jsonrpc.Object) error {
	c.args = args
	c.params.Set("arguments", args.Raw())
	return c.takeSection()
}

// source is what the answer of a tool is for the pipeline.
func (c *call) source(to names.Target) source {
	src := toolSource(to)
	src.hint = c.hint()
	return src
}

// route finds what a wire name means. A client that lost its session calls
// without having read the list; then it is made first.
func (s *Session) route(ctx context.Context, req *request, wire string) (names.Target, error) {
	set := s.tools.Load()
	known := set != nil && sameServers(set.project, req.project) && set.steered == s.steered()
	if !known {
		set = s.refreshTools(ctx, req)
	}
	to, ok := set.find(wire)
	if ok && to.IsVirtual() && s.waited.CompareAndSwap(false, true) {
		set = s.awaitNames(ctx, req, set)
	}
	if !ok && known {
		set = s.refreshTools(ctx, req)
		to, ok = set.find(wire)
	}
	if srv, one := req.project.only(); !ok && one && req.project.Bare {
		to, ok = names.Target{Server: srv.Name, Name: wire}, true // its own names: it may know one it does not list
	}
	if !ok {
		return names.Target{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool: %s%s%s", names.Quote(wire), set.instead(wire), set.absent())
	}
	return to, nil
}

// refreshTools reads the lists of all servers and names their tools.
func (s *Session) refreshTools(ctx context.Context, req *request) *toolset {
	s.build(ctx, req, tools, req.project, s.gather(ctx, req.project, tools, s.forClient), reasonLookup)
	return s.tools.Load()
}

// instead suggests tools like one that is not known, but none of another server for
// one of a server that is away.
func (t *toolset) instead(wire string) string {
	for _, m := range t.missing {
		if strings.HasPrefix(wire, names.Clean(m.server.Name)+"__") {
			return ""
		}
	}
	return t.names.Similar(wire)
}

// absent names the servers that an unknown tool might belong to, and whether waiting
// for them makes sense. The cause of a failure is for people, not for a model.
func (t *toolset) absent() string {
	if len(t.missing) == 0 {
		return ""
	}
	names := make([]string, len(t.missing))
	for i, m := range t.missing {
		names[i] = m.server.Name + " " + m.state()
	}
	return " (servers not available right now: " + strings.Join(names, ", ") + "; see mcpctl status)"
}

// state says in a word why the list of a server is missing or old.
func (s served) state() string {
	switch {
	case s.starting:
		return "(starting)"
	case s.err != nil:
		return "(failed)"
	}
	return "(not answering)"
}

// notText says what stands where a text belongs.
func notText(o jsonrpc.Object, name string) string {
	raw, ok := o.Get(name)
	if !ok {
		return "is missing"
	}
	return fmt.Sprintf("is of kind %s, want string", jsonspan.KindAt(raw, 0))
}

// forward sends the call to its server.
func (s *Session) forward(ctx context.Context, req *request, t names.Target, c call) (flow.Reply, error) {
	req.filtered = req.project.model(abi.ToolResult, t.Label()).Filters
	up, done, err := s.upstreamFor(req, t.Server)
	if err != nil {
		return flow.Reply{}, err
	}
	defer done()
	send := up.Call
	if set := s.tools.Load(); set != nil && set.repeatable[t] {
		send = up.CallRepeatable
	}
	begin := s.e.now()
	reply, err := send(ctx, req.Method, s.relatedForServer(t.Server, c.encoded(t)), s.peer(req, t.Server))
	s.received(&req.event, reply, begin)
	return reply, err
}
