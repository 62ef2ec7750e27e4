package proxy

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/choice"
	"github.com/mcpctl/mcpctl/host/proxy/lists"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// ToolName is one row of a project's name table.
type ToolName struct {
	Label    string // server/tool
	Wire     string // the name that clients use
	Decision choice.Decision
	Saved    int // estimated tokens of the definition, if the project does not offer the tool
}

// Inventory is the tools of a project's servers.
type Inventory struct {
	Tools     []ToolName       // in the order of tools/list, those that are not offered included
	Unmatched []choice.Pattern // patterns of the choice that match no tool; none as long as a server was never listed
}

// Inventory returns the tools of a project, for servers that have been listed for this
// subject. An open session may still use an earlier name.
func (e *Endpoint) Inventory(subject string, p *Project) (inv Inventory) {
	table := names.NewTable(p.naming(names.Reserved), nil)
	var labels []string
	unlisted := false
	for _, server := range p.Servers {
		list, _ := e.catalog.Last(idOf(subject, server), catalog.Tools)
		if list == nil {
			unlisted = true
			continue
		}
		for _, it := range list.Items {
			to := names.Target{Server: server.Name, Name: it.Name}
			row := ToolName{Label: to.Label(), Wire: table.Add(to), Decision: p.Tools.Decide(to.Label())}
			if !row.Decision.Offered {
				row.Saved = abi.EstimateTokens(lists.Entry(it, row.Wire, p.model(abi.ToolResult, row.Label).Transforms))
			}
			inv.Tools, labels = append(inv.Tools, row), append(labels, row.Label)
		}
	}
	if !unlisted {
		inv.Unmatched = p.Tools.Unmatched(labels)
	}
	return inv
}

// countOffered returns how many tools of a server's list the project offers.
func (p *Project) countOffered(server string, list *catalog.Listing) (n int) {
	for _, it := range list.Items {
		if p.Tools.Decide(names.Target{Server: server, Name: it.Name}.Label()).Offered {
			n++
		}
	}
	return n
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
