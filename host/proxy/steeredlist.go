package proxy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// Why controllers are asked for the list, as on_tools_list is told.
const (
	reasonList   = "list"   // the client asks for it
	reasonLookup = "lookup" // the host needs it
)

// steeredTools is newToolset where controllers edit the list: virtual tools come
// first, then those of servers, then the host's. What is hidden is not listed but
// stays in the set.
func (s *Session) steeredTools(ctx context.Context, p *Project, all []served, reason string) (*toolset, assembled, flow.Effects) {
	before := s.tools.Load()
	reserved := s.reserved()
	t := emptyToolset(p, all, before, reserved)
	edited, fx := t.offer(p, all), flow.Effects{}
	if s.steering.Wants(abi.OnToolsList) {
		edited, fx = s.steering.ListTools(ctx, reason, edited)
		edited = slices.Clone(edited) // it is ours from here on
	} else {
		edited = append(edited, s.steering.Virtual()...)
	}
	claimed := func(tool flow.ListedTool) bool {
		return tool.Kind == abi.ToolVirtual && !slices.Contains(reserved, tool.Wire) && t.names.IsTaken(tool.Wire)
	}
	if slices.ContainsFunc(edited, claimed) {
		t.rename(p, before, s.reserved(), edited)
	}
	slices.SortStableFunc(edited, func(x, y flow.ListedTool) int { return rank(x.Kind) - rank(y.Kind) })
	for i := range edited {
		edited[i].Definition = s.e.forms.share(edited[i].Definition)
	}
	t.index(edited)
	return t, listOf(all, edited), fx
}

// reserved are the names that no tool of a server gets in this session.
func (s *Session) reserved() []string {
	var taken []string
	for _, tool := range s.steering.Virtual() {
		taken = append(taken, tool.Wire)
	}
	return append(taken, names.Reserved...)
}

// offer names the tools of all servers, and gives them and the host's own to be
// edited.
func (t *toolset) offer(p *Project, all []served) []flow.ListedTool {
	var offered []flow.ListedTool
	for _, s := range all {
		if s.list == nil {
			continue
		}
		for _, it := range s.list.items {
			to, wire, raw := t.take(p, s.server, it)
			offered = append(offered, flow.ListedTool{Label: to.Label(), Wire: wire, Kind: abi.ToolUpstream, Stale: s.stale, Definition: raw})
		}
	}
	if p.Sections {
		offered = append(offered, flow.ListedTool{Label: names.ReadSection, Wire: names.ReadSection, Kind: abi.ToolHost, Definition: readSectionTool})
	}
	return offered
}

// rename gives the tools of servers their names anew, after a controller has
// added one by a name that is theirs.
func (t *toolset) rename(p *Project, before *toolset, reserved []string, edited []flow.ListedTool) {
	old := t.names
	t.names = names.NewTable(p.naming(reserved), namesOf(before))
	for i, tool := range edited {
		to, ok := old.Find(tool.Wire)
		if !ok || tool.Kind != abi.ToolUpstream {
			continue
		}
		if wire := t.names.Add(to); wire != tool.Wire {
			edited[i].Wire = wire
			edited[i].Definition = listed(item{tool.Definition, tool.Wire}, wire, false)
		}
	}
}

// rank orders the kinds in the list.
func rank(k abi.ToolKind) int {
	return slices.Index([]abi.ToolKind{abi.ToolVirtual, abi.ToolUpstream, abi.ToolHost}, k)
}

// index makes the edited list the one that calls are looked up in.
func (t *toolset) index(edited []flow.ListedTool) {
	t.steered, t.all = true, edited
	t.byWire = make(map[string]int, len(edited))
	t.byLabel = make(map[string]names.Target, len(edited))
	for i, tool := range edited {
		t.byWire[tool.Wire] = i
		if to, ok := t.names.Find(tool.Wire); ok && tool.Kind == abi.ToolUpstream {
			t.byLabel[tool.Label] = to
		}
	}
}

// listOf writes the tools that are not hidden.
func listOf(all []served, edited []flow.ListedTool) assembled {
	var shown [][]byte
	for _, tool := range edited {
		if !tool.Hidden {
			shown = append(shown, tool.Definition)
		}
	}
	array := append(append([]byte{'['}, bytes.Join(shown, []byte{','})...), ']')
	result := frameOf(tools, all, array)
	return assembled{result, sha256.Sum256(result)}
}

// find returns what a wire name means: a virtual tool is a target without server.
func (t *toolset) find(wire string) (names.Target, bool) {
	if i, ok := t.byWire[wire]; ok && t.all[i].Kind == abi.ToolVirtual {
		return names.Target{Name: wire}, true
	}
	return t.names.Find(wire)
}

// upstream finds a tool of a server by label or wire name.
func (t *toolset) upstream(name string) (names.Target, bool) {
	if to, ok := t.byLabel[name]; ok {
		return to, true
	}
	return t.names.Find(name)
}

// tool is what the list says of a tool. One that its server has but does not list
// has a name only.
func (t *toolset) tool(to names.Target, wire string) flow.ListedTool {
	if i, ok := t.byWire[wire]; ok {
		return t.all[i]
	}
	return flow.ListedTool{Label: to.Label(), Wire: wire, Kind: abi.ToolUpstream}
}
