package lists

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// ToolOptions describe the list of tools of one project.
type ToolOptions struct {
	Naming      names.Naming
	ReadSection json.RawMessage         // the definition of read_section; nil: not listed
	HidesOutput func(label string) bool // whether a tool is listed without its outputSchema
	Offers      func(label string) bool // whether the project offers a tool; others are not listed
}

// Tools are the tools of a session as last listed, to look up the names in calls. It is
// read-only.
type Tools struct {
	names      *names.Table
	repeatable map[names.Target]bool   // tools that may run twice
	inHeaders  map[names.Target][]byte // definitions of tools whose arguments HTTP headers repeat
	withheld   []names.Target          // tools that the project does not offer; they keep their names
	missing    []Served                // servers that did not answer

	// Of a list that controllers have edited.
	steered bool
	edited  []flow.ListedTool // including hidden ones
	byWire  map[string]int    // positions in edited
	byLabel map[string]names.Target
}

// NewTools names the tools of all servers and writes the list. previous is the previous
// list, or nil.
func NewTools(o ToolOptions, all []Served, previous *Tools) (*Tools, List) {
	t := emptyTools(o, all, previous)
	var own [][]byte
	if o.ReadSection != nil {
		own = [][]byte{o.ReadSection}
	}
	list := Join(catalog.Tools, all, func(s Served, it catalog.Item) []byte {
		_, _, raw := t.add(o, s, it)
		return raw // nil: not offered
	}, own...)
	return t, list
}

func emptyTools(o ToolOptions, all []Served, previous *Tools) *Tools {
	t := &Tools{repeatable: make(map[names.Target]bool), names: names.NewTable(o.Naming, tableOf(previous))}
	for _, s := range all {
		if s.List == nil || s.Stale {
			t.missing = append(t.missing, s)
		}
	}
	return t
}

func tableOf(t *Tools) *names.Table {
	if t == nil {
		return nil
	}
	return t.names
}

// add assigns a wire name to a tool and returns the tool as it is listed, or no tool if
// the project does not offer it. Each tool gets a name, so that a change of the choice
// renames no other tool.
func (t *Tools) add(o ToolOptions, s Served, it catalog.Item) (to names.Target, wire string, raw []byte) {
	to = names.Target{Server: s.Server, Name: it.Name}
	if declaresRepeatable(it.Raw) {
		t.repeatable[to] = true
	}
	if bytes.Contains(it.Raw, []byte("x-mcp-header")) {
		if t.inHeaders == nil {
			t.inHeaders = make(map[names.Target][]byte)
		}
		t.inHeaders[to] = it.Raw
	}
	wire = t.names.Add(to)
	if !s.Assumed && !o.Offers(to.Label()) {
		t.withheld = append(t.withheld, to)
		return to, wire, nil
	}
	return to, wire, Entry(it, wire, o.HidesOutput(to.Label()))
}

// declaresRepeatable reports whether a tool declares that it only reads, or that a
// second call has no further effect.
func declaresRepeatable(tool []byte) (yes bool) {
	at := jsonedit.Member(tool, "annotations")
	jsonedit.Members(tool[at.Start:at.End], func(key []byte, m jsonspan.Member) bool {
		if jsonspan.KeyIs(key, "readOnlyHint") || jsonspan.KeyIs(key, "idempotentHint") {
			yes = yes || tool[at.Start+m.Start] == 't'
		}
		return true
	})
	return yes
}

// IsSteered reports whether controllers have edited the list.
func (t *Tools) IsSteered() bool { return t.steered }

// Edited returns the tools of a list that controllers have edited, including hidden ones.
func (t *Tools) Edited() []flow.ListedTool { return t.edited }

// IsRepeatable reports whether a tool may run twice.
func (t *Tools) IsRepeatable(to names.Target) bool { return t.repeatable[to] }

// InHeaders returns the definition of a tool whose input schema makes clients repeat
// arguments in HTTP headers, nil for any other.
func (t *Tools) InHeaders(wire string) []byte {
	to, _ := t.Find(wire)
	return t.inHeaders[to]
}

// Wire returns the wire name of a tool of a server.
func (t *Tools) Wire(to names.Target) string { return t.names.Wire(to) }

// Find returns the tool that a wire name refers to.
func (t *Tools) Find(wire string) (names.Target, bool) {
	if i, ok := t.byWire[wire]; ok && t.edited[i].Kind == abi.ToolVirtual {
		return names.Target{Name: wire}, true
	}
	return t.names.Find(wire)
}

// FindUpstream returns the tool of a server that a label or wire name refers to.
func (t *Tools) FindUpstream(name string) (names.Target, bool) {
	if to, ok := t.byLabel[name]; ok {
		return to, true
	}
	return t.names.Find(name)
}

// Listed returns a tool as it is listed. A tool that its server does not list has only
// names.
func (t *Tools) Listed(to names.Target, wire string) flow.ListedTool {
	if i, ok := t.byWire[wire]; ok {
		return t.edited[i]
	}
	return flow.ListedTool{Label: to.Label(), Wire: wire, Kind: abi.ToolUpstream}
}

// ShownServers returns the servers of which an edited list shows a tool.
func (t *Tools) ShownServers() map[string]bool {
	shown := make(map[string]bool)
	for _, tool := range t.edited {
		if to, ok := t.byLabel[tool.Label]; ok && !tool.Hidden {
			shown[to.Server] = true
		}
	}
	return shown
}

// HasUnlisted reports whether a server was never listed.
func (t *Tools) HasUnlisted() bool {
	return slices.ContainsFunc(t.missing, func(m Served) bool { return m.List == nil })
}

// Hint returns the end of an error about an unknown tool: tools with similar names, and
// the servers that did not answer, to which the tool may belong. The reason for a
// server's failure is not for the model and is omitted.
func (t *Tools) Hint(wire string) string { return t.similar(wire) + t.unavailable() }

// similar suggests tools with similar names, unless the name begins with that of a
// server that did not answer.
func (t *Tools) similar(wire string) string {
	for _, m := range t.missing {
		if strings.HasPrefix(wire, names.Clean(m.Server)+"__") {
			return ""
		}
	}
	return t.names.Similar(wire, func(to names.Target) bool { return !slices.Contains(t.withheld, to) })
}

func (t *Tools) unavailable() string {
	if len(t.missing) == 0 {
		return ""
	}
	states := make([]string, len(t.missing))
	for i, m := range t.missing {
		states[i] = m.Server + " " + m.state()
	}
	return " (servers not available right now: " + strings.Join(states, ", ") + "; see mcpctl status)"
}
