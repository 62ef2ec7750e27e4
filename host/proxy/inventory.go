package proxy

import "github.com/mcpctl/mcpctl/host/proxy/names"

// ToolName is one row of a project's name table.
type ToolName struct {
	Label string // server/tool
	Wire  string // what clients call it
}

// ToolNames tells how the tools of a project are named, as far as their servers
// have been listed for this subject, in the order of tools/list. A session that
// is open may still use a name it was given before.
func (e *Endpoint) ToolNames(subject string, p *Project) []ToolName {
	table := names.NewTable(p.naming(names.Reserved), nil)
	var rows []ToolName
	for _, server := range p.Servers {
		list, _, _ := e.catalog.last(subject, server, tools)
		if list == nil {
			continue
		}
		for _, it := range list.items {
			t := names.Target{Server: server.Name, Name: it.name}
			rows = append(rows, ToolName{t.Label(), table.Add(t)})
		}
	}
	return rows
}

// ToolsFault says why the tools of a server could not be listed when this subject
// last asked, nil if they could or nobody has asked. It outlives the session.
func (e *Endpoint) ToolsFault(subject string, s Server) error { return e.catalog.fault(subject, s) }

// ForgetFaults forgets why the tools of a server could not be listed: they were just
// listed outside of any session.
func (e *Endpoint) ForgetFaults(server string) { e.catalog.forgetFaults(server) }

// ListNotes returns the faults in the lists of a server, as last read for this subject:
// entries that clients reject, and lists that were read in part.
func (e *Endpoint) ListNotes(subject string, s Server) (notes []string) {
	for k := range listKinds {
		if list, _, _ := e.catalog.last(subject, s, k); list != nil {
			notes = append(notes, list.notes...)
		}
	}
	return notes
}
