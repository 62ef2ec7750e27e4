package proxy

import (
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// ToolName is one row of a project's name table.
type ToolName struct {
	Label string // server/tool
	Wire  string // the name that clients use
}

// ToolNames returns the names of the tools of a project, in the order of tools/list, for
// servers that have been listed for this subject. An open session may still use an
// earlier name.
func (e *Endpoint) ToolNames(subject string, p *Project) []ToolName {
	table := names.NewTable(p.naming(names.Reserved), nil)
	var rows []ToolName
	for _, server := range p.Servers {
		list, _ := e.catalog.Last(idOf(subject, server), catalog.Tools)
		if list == nil {
			continue
		}
		for _, it := range list.Items {
			to := names.Target{Server: server.Name, Name: it.Name}
			rows = append(rows, ToolName{to.Label(), table.Add(to)})
		}
	}
	return rows
}

// ToolsFault returns why the tools of a server could not be listed at the subject's last
// attempt, nil if they could or were never requested. It outlives the session.
func (e *Endpoint) ToolsFault(subject string, s Server) error {
	return e.catalog.Fault(idOf(subject, s))
}

// ForgetFaults removes the recorded faults of a server, because its tools were listed
// outside of any session.
func (e *Endpoint) ForgetFaults(server string) { e.catalog.ForgetFaults(server) }

// ListNotes returns the faults in the lists of a server as last read for this subject:
// entries that clients reject, and lists that were read only in part.
func (e *Endpoint) ListNotes(subject string, s Server) []string {
	return e.catalog.Notes(idOf(subject, s))
}
