package proxy

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// CallTool answers tools/call. Its steps, numbered as in ARCHITECTURE.md; those
// of controllers come round 4 and 5.
func (s *Session) CallTool(ctx context.Context, req *request) (abi.Reply, error) {
	// 1 strict: what we decide on is what we forward
	c, err := decodeCall(req.Params)
	if err != nil {
		return abi.Reply{}, err
	}
	// 2 a tool of our own, which no stage sees; else wire name -> server/tool
	req.event.Label = c.name
	if c.name == toolReadSection {
		return s.readSection(ctx, c), nil
	}
	to, err := s.route(ctx, req, c.name)
	if err != nil {
		return abi.Reply{}, err
	}
	req.event.Label = to.label()
	// 3 an argument _section is ours alone: never forwarded
	section, asked, err := c.takeSection()
	if err != nil {
		return abi.Reply{}, err
	}
	if answer, ok := s.readStored(ctx, to, c, section, asked); ok {
		return answer, nil
	}
	// 4 the real server, bytes as they came
	reply, err := s.forward(ctx, req, to, c)
	if err != nil {
		return abi.Reply{}, s.filterError(ctx, req, to.source(), err)
	}
	// 5 to 9 filters, original, stages, sections
	res := s.showTool(ctx, req, to, c, reply, asked)
	// what _section and a task find later
	s.stored.put(to, c.args, res.refs)
	s.e.tasks.note(s.scope, to, c, reply)
	// 10 event: Handle adds it together with the answer
	req.event.shown(res)
	// 11 answer
	if answer, ok := s.readStored(ctx, to, c, section, asked); ok {
		return answer, nil
	}
	return res.reply, nil
}

// call is the decoded params of a tools/call.
type call struct {
	name   string
	params jsonrpc.Object
	args   jsonrpc.Object
}

// decodeCall reads the params. What is sent on is encoded from what is read here.
func decodeCall(raw []byte) (call, error) {
	params, err := jsonrpc.DecodeParams(raw)
	if err != nil {
		return call{}, err
	}
	name, ok := params.Text("name")
	if !ok {
		return call{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "tools/call: params.name is no text")
	}
	c := call{name: name, params: params}
	if args, ok := params.Get("arguments"); ok && string(args) != "null" {
		if c.args, err = jsonrpc.DecodeObject(args); err != nil {
			return call{}, err
		}
	}
	return c, nil
}

// encoded returns the params for the server: its own name for the tool, the
// arguments as decoded, everything else as it came.
func (c *call) encoded(t target) []byte {
	c.params.Set("name", quoted(t.name))
	if args, ok := c.params.Get("arguments"); ok && string(args) != "null" {
		c.params.Set("arguments", c.args.Raw())
	}
	return c.params.Raw()
}

// route finds what a wire name means. A client that lost its session calls
// without having read the list; then it is made first.
func (s *Session) route(ctx context.Context, req *request, wire string) (target, error) {
	set := s.tools.Load()
	known := set != nil && sameServers(set.project, req.project)
	if !known {
		set = s.refreshTools(ctx, req)
	}
	to, ok := set.names.find(wire)
	if !ok && known {
		set = s.refreshTools(ctx, req)
		to, ok = set.names.find(wire)
	}
	if srv, one := req.project.only(); !ok && one && req.project.Bare {
		to, ok = target{server: srv.Name, name: wire}, true // its own names: it may know one it does not list
	}
	if !ok {
		return target{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool: %q%s", wire, set.absent())
	}
	return to, nil
}

// refreshTools reads the lists of all servers and names their tools.
func (s *Session) refreshTools(ctx context.Context, req *request) *toolset {
	s.build(tools, req.project, s.gather(ctx, req.project, tools, forClient))
	return s.tools.Load()
}

// absent tells which servers a tool might belong to that is not known.
func (t *toolset) absent() string {
	var b strings.Builder
	for _, m := range t.missing {
		fmt.Fprintf(&b, "; server %q is not available", m.server.Name)
		if m.err != nil {
			fmt.Fprintf(&b, ": %v", m.err)
		}
	}
	return b.String()
}

// forward sends the call to its server.
func (s *Session) forward(ctx context.Context, req *request, t target, c call) (abi.Reply, error) {
	up, done, err := s.upstream(req.project, t.server)
	if err != nil {
		return abi.Reply{}, err
	}
	defer done()
	send := up.Call
	if set := s.tools.Load(); set != nil && set.repeatable[t] {
		send = up.CallRepeatable
	}
	reply, err := send(ctx, req.Method, c.encoded(t), s.peer(req, t.server))
	req.event.received(reply)
	return reply, err
}
