package lists

import (
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// Reasons for editing the list, as the hook on_tools_list gets them.
const (
	ReasonList   = "list"   // the client requests it
	ReasonLookup = "lookup" // the host needs it
)

// Editor edits the list of tools: the controllers of a session.
type Editor interface {
	// Wants reports whether any controller has this hook now.
	Wants(hook abi.Hook) bool
	// Virtual returns the tools that controllers have added to the session, hidden.
	Virtual() []flow.ListedTool
	// ListTools returns the whole edited list.
	ListTools(ctx context.Context, reason string, tools []flow.ListedTool) ([]flow.ListedTool, flow.Effects)
}

// NewSteeredTools is NewTools for a session with controllers. Virtual tools come first,
// then those of servers, then those of the host. Hidden tools are not listed but can be
// called.
func NewSteeredTools(ctx context.Context, o ToolOptions, all []Served, previous *Tools, ed Editor, reason string, definitions *Interner) (*Tools, List, flow.Effects) {
	hostNames := o.Naming.Reserved
	reserved := withVirtual(hostNames, ed)
	o.Naming.Reserved = reserved
	t := emptyTools(o, all, previous)
	edited, fx := t.offer(o, all), flow.Effects{}
	if ed.Wants(abi.OnToolsList) {
		edited, fx = ed.ListTools(ctx, reason, edited)
		edited = slices.Clone(edited) // the editor may keep its slice
	} else {
		edited = append(edited, ed.Virtual()...)
	}
	isClaimed := func(tool flow.ListedTool) bool {
		return tool.Kind == abi.ToolVirtual && !slices.Contains(reserved, tool.Wire) && t.names.IsTaken(tool.Wire)
	}
	if slices.ContainsFunc(edited, isClaimed) {
		o.Naming.Reserved = withVirtual(hostNames, ed)
		t.rename(o.Naming, previous, edited)
	}
	slices.SortStableFunc(edited, func(x, y flow.ListedTool) int { return rank(x.Kind) - rank(y.Kind) })
	for i := range edited {
		edited[i].Definition = definitions.Intern(edited[i].Definition)
	}
	t.index(edited)
	return t, visible(all, edited), fx
}

// withVirtual returns the names that no tool of a server gets in this session.
func withVirtual(hostNames []string, ed Editor) []string {
	var reserved []string
	for _, tool := range ed.Virtual() {
		reserved = append(reserved, tool.Wire)
	}
	return append(reserved, hostNames...)
}

// offer names the tools of all servers and returns them, and those of the host, for
// editing.
func (t *Tools) offer(o ToolOptions, all []Served) []flow.ListedTool {
	var offered []flow.ListedTool
	for _, s := range all {
		if s.List == nil {
			continue
		}
		for _, it := range s.List.Items {
			to, wire, raw := t.add(o, s, it)
			if raw == nil {
				continue // not offered
			}
			offered = append(offered, flow.ListedTool{Label: to.Label(), Wire: wire, Kind: abi.ToolUpstream, Stale: s.Stale, Definition: raw})
		}
	}
	if o.ReadSection != nil {
		offered = append(offered, flow.ListedTool{Label: names.ReadSection, Wire: names.ReadSection, Kind: abi.ToolHost, Definition: o.ReadSection})
	}
	return offered
}

// rename assigns new names to the tools of servers, after a controller has added a tool
// under one of their names.
func (t *Tools) rename(n names.Naming, previous *Tools, edited []flow.ListedTool) {
	old := t.names
	t.names = names.NewTable(n, tableOf(previous))
	for i, tool := range edited {
		to, ok := old.Find(tool.Wire)
		if !ok || tool.Kind != abi.ToolUpstream {
			continue
		}
		if wire := t.names.Add(to); wire != tool.Wire {
			edited[i].Wire = wire
			edited[i].Definition = Entry(catalog.Item{Raw: tool.Definition, Name: tool.Wire}, wire, false)
		}
	}
	for _, to := range t.withheld {
		t.names.Add(to)
	}
}

// rank returns the position of a kind in the list.
func rank(k abi.ToolKind) int {
	return slices.Index([]abi.ToolKind{abi.ToolVirtual, abi.ToolUpstream, abi.ToolHost}, k)
}

// index stores the edited list for lookups.
func (t *Tools) index(edited []flow.ListedTool) {
	t.steered, t.edited = true, edited
	t.byWire = make(map[string]int, len(edited))
	t.byLabel = make(map[string]names.Target, len(edited))
	for i, tool := range edited {
		t.byWire[tool.Wire] = i
		if to, ok := t.names.Find(tool.Wire); ok && tool.Kind == abi.ToolUpstream {
			t.byLabel[tool.Label] = to
		}
	}
	for _, to := range t.withheld { // so that the refusal of a rewritten call has the reason
		t.byLabel[to.Label()] = to
	}
}

// visible writes the tools that are not hidden.
func visible(all []Served, edited []flow.ListedTool) List {
	var shown [][]byte
	for _, tool := range edited {
		if !tool.Hidden {
			shown = append(shown, tool.Definition)
		}
	}
	return newList(catalog.Tools, all, jsonedit.Array(shown...))
}
