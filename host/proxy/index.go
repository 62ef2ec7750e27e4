package proxy

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/lists"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// index holds the lists of one session as they were last joined, and finds the server
// of each name and URI in them. It is safe for concurrent use.
type index struct {
	listReader
	scope    flow.Scope
	steering Steering // nil: no controllers
	notify   notifier

	tools     atomic.Pointer[toolIndex]
	read      atomic.Pointer[lists.Tools] // as the client has read them last
	prompts   atomic.Pointer[names.Table]
	addresses lists.Addresses

	hasAwaitedNames atomic.Bool // a call of a virtual tool has waited for unlisted servers
}

// toolIndex is the tools of one state of a project.
type toolIndex struct {
	*lists.Tools
	project *Project
}

// isSteered reports whether controllers influence the session now.
func (x *index) isSteered() bool { return x.steering != nil && x.steering.Active() }

// library returns the prompts of the project, nil if the session has none.
func (x *index) library() Library {
	if x.Library == nil || !x.isSteered() && len(x.Library.List(x.scope)) == 0 {
		return nil
	}
	return x.Library
}

// hasCapability reports whether a server has declared a capability.
func (x *index) hasCapability(server Server, name string) bool {
	caps, _ := x.catalog.Greeting(idOf(x.subject, server))
	return jsonedit.Has(caps, name)
}

// isLibrary reports whether a URI is reserved for prompts of the project. No server is
// asked for such a URI, so that none can impersonate the project.
func (x *index) isLibrary(uri string) bool { return isLibraryURI(uri) && x.library() != nil }

// refresh reads a list of all servers and joins it. ev is the event of the request that
// needs the list, or nil.
func (x *index) refresh(ctx context.Context, ev *Event, p *Project, k catalog.Kind, wait waitPolicy) lists.List {
	return x.join(ctx, ev, p, k, x.gather(ctx, p, k, wait), lists.ReasonLookup)
}

// join joins a list and uses it for lookups from then on.
func (x *index) join(ctx context.Context, ev *Event, p *Project, k catalog.Kind, all []lists.Served, reason string) lists.List {
	switch k {
	case catalog.Tools:
		return x.joinTools(ctx, ev, p, all, reason)
	case catalog.Prompts:
		table, list := lists.Prompts(p.naming(nil), all, x.prompts.Load())
		x.prompts.Store(table)
		return list
	}
	isReserved, own := func(string) bool { return false }, [][]byte(nil)
	if lib := x.library(); lib != nil {
		isReserved = isLibraryURI
		if k == catalog.Resources {
			for _, raw := range lib.List(x.scope) {
				own = append(own, raw)
			}
		}
	}
	return x.addresses.Update(k, all, isReserved, own...)
}

func (x *index) joinTools(ctx context.Context, ev *Event, p *Project, all []lists.Served, reason string) lists.List {
	if !x.isSteered() {
		tools, list := lists.NewTools(toolOptions(p), all, x.lastTools())
		x.tools.Store(&toolIndex{tools, p})
		return list
	}
	tools, list, fx := x.editTools(ctx, p, all, reason)
	x.tools.Store(&toolIndex{tools, p})
	if reason == lists.ReasonList { // the client is reading it: a list_changed would cause an endless loop
		fx.Notes = slices.DeleteFunc(fx.Notes, func(n abi.Note) bool { return n.Method == catalog.Tools.Changed() })
	}
	x.notify.send(fx.Notes)
	if ev != nil {
		ev.Hooks = append(ev.Hooks, fx.Reports...)
	}
	return list
}

// editTools joins the lists of tools as the controllers edit them.
func (x *index) editTools(ctx context.Context, p *Project, all []lists.Served, reason string) (*lists.Tools, lists.List, flow.Effects) {
	return lists.NewSteeredTools(ctx, toolOptions(p), all, x.lastTools(), x.steering, reason, x.definitions)
}

// toolOptions returns how the tools of a project are listed.
func toolOptions(p *Project) lists.ToolOptions {
	o := lists.ToolOptions{
		Naming:      p.naming(names.Reserved),
		HidesOutput: func(label string) bool { return p.model(abi.ToolResult, label).Transforms },
		Offers:      func(label string) bool { return p.Tools.Decide(label).Offered },
	}
	switch {
	case p.Sections && p.Questions:
		o.ReadSection = readSectionQuestionTool
	case p.Sections:
		o.ReadSection = readSectionTool
	}
	return o
}

// lastTools returns the tools as last listed, or nil.
func (x *index) lastTools() *lists.Tools {
	if last := x.tools.Load(); last != nil {
		return last.Tools
	}
	return nil
}

// findTool returns the tool that a wire name refers to. A client that lost its session
// may call a tool before it has listed the tools; the list is then read first.
func (x *index) findTool(ctx context.Context, ev *Event, p *Project, wire string) (names.Target, error) {
	set := x.tools.Load()
	isCurrent := set != nil && hasSameTools(set.project, p) && set.IsSteered() == x.isSteered()
	if !isCurrent {
		x.refresh(ctx, ev, p, catalog.Tools, x.forClient)
		set = x.tools.Load()
	}
	to, ok := set.Find(wire)
	if ok && to.IsVirtual() && x.hasAwaitedNames.CompareAndSwap(false, true) && set.HasUnlisted() {
		// Servers that were never listed get a moment before the first call of a
		// controller's tool, whose answer may name the tools of the session.
		x.refresh(ctx, ev, p, catalog.Tools, forNames)
		set = x.tools.Load()
	}
	if !ok && isCurrent {
		x.refresh(ctx, ev, p, catalog.Tools, x.forClient)
		set = x.tools.Load()
		to, ok = set.Find(wire)
	}
	if server, one := p.only(); !ok && one && p.Bare && len(p.Tools.Deny) == 0 {
		to, ok = names.Target{Server: server.Name, Name: wire}, true // the server may have a tool that it does not list
	}
	if !ok {
		to, ok = x.findHeld(p, wire) // forward refuses its call with the reason
	}
	if !ok {
		return names.Target{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool: %s%s", names.Quote(wire), set.Hint(wire))
	}
	if why := p.refusal(to); why != "" && !to.IsVirtual() {
		return names.Target{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s", why)
	}
	return to, nil
}

// findHeld returns the tool of a name that is not listed because it waits for approval.
func (x *index) findHeld(p *Project, wire string) (to names.Target, ok bool) {
	if x.Pins == nil {
		return to, false
	}
	for _, server := range p.Servers {
		for _, tool := range x.Pins.Held(server.Name) {
			if names.WireName(p.Name, p.Bare, server.Name, tool) == wire {
				return names.Target{Server: server.Name, Name: tool}, true
			}
		}
	}
	return to, false
}

// hasSameTools reports whether two states of a project name and offer the same tools.
func hasSameTools(x, y *Project) bool {
	return x == y || x.Name == y.Name && x.Bare == y.Bare && slices.Equal(x.Servers, y.Servers) && x.Tools.Equal(y.Tools)
}

// findPrompt returns the prompt that params.name of a request refers to.
func (x *index) findPrompt(ctx context.Context, ev *Event, p *Project, params jsonrpc.Object) (names.Target, error) {
	wire, ok := params.Text("name")
	if !ok {
		return names.Target{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: params.name %s", ev.Method, noText(params, "name"))
	}
	table := x.prompts.Load()
	if table != nil && table.Bare == p.naming(nil).Bare {
		if to, ok := table.Find(wire); ok {
			return to, nil
		}
	}
	x.refresh(ctx, ev, p, catalog.Prompts, x.forClient)
	if to, ok := x.prompts.Load().Find(wire); ok {
		return to, nil
	}
	return names.Target{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown prompt: %q", wire)
}

// findServer returns the server of a URI: the project's only server, or the one that
// lists it, or "".
func (x *index) findServer(ctx context.Context, ev *Event, p *Project, uri string) string {
	if server, ok := p.only(); ok {
		return server.Name
	}
	for _, k := range []catalog.Kind{catalog.Resources, catalog.Templates} {
		if !x.addresses.Has(k) {
			x.refresh(ctx, ev, p, k, x.forClient)
		}
	}
	server := x.addresses.Find(uri)
	if !slices.ContainsFunc(p.Servers, func(s Server) bool { return s.Name == server }) {
		return ""
	}
	return server
}

// notListedYet represents the tools of a server that was not listed yet, in a list that
// no client sees: controllers that hide it would hide the server's tools too.
var notListedYet = &catalog.Listing{Items: []catalog.Item{{Raw: []byte(`{"name":"not-listed-yet","description":"Stands for the tools of this server, which has not listed them yet.","inputSchema":{"type":"object"}}`), Name: "not-listed-yet"}}}

// shownServers returns which servers a list waits for: those of which it shows
// something. For example, a closed gate shows its own tool alone, so that a slow server
// does not delay it. others are servers that are not waited for and whose tools were
// not read lately.
func (x *index) shownServers(ctx context.Context, p *Project, k catalog.Kind) (isShown func(server string) bool, others []string) {
	all := func(string) bool { return true }
	if k != catalog.Tools || !x.isSteered() || !x.steering.Wants(abi.OnToolsList) {
		return all, nil
	}
	known, mayWait := x.knownTools(p)
	if !mayWait {
		return all, nil
	}
	tools, _, _ := x.editTools(ctx, p, known, lists.ReasonLookup)
	shown := tools.ShownServers()
	for _, one := range known {
		if !shown[one.Server] && (one.Assumed || one.List.Kept) {
			others = append(others, one.Server)
		}
	}
	return func(server string) bool { return shown[server] }, others
}

// knownTools returns the last known tools of every server, or notListedYet. mayWait
// reports whether a list might have to wait for a server.
func (x *index) knownTools(p *Project) (all []lists.Served, mayWait bool) {
	for _, server := range p.Servers {
		list, absent := x.catalog.Last(idOf(x.subject, server), catalog.Tools)
		starting, _ := x.links.starting(server.Name)
		mayWait = mayWait || list == nil || absent || starting
		one := lists.Served{Server: server.Name, List: list}
		if list == nil {
			one.List, one.Assumed = notListedYet, true
		}
		all = append(all, one)
	}
	return all, mayWait
}
