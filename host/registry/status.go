package registry

import (
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// Values of Status.State.
const (
	StateReady     = "ready"
	StateCompiling = "compiling" // a version is being compiled; the previous one, if any, still serves
	StateUntrusted = "untrusted" // serves; loaded from a file in stages/
	StateTrusted   = "trusted"   // serves; such a file that the user has approved
	StateFailed    = "failed"    // the current file cannot serve
)

// Status is one row of "get stages".
type Status struct {
	Name        string       `json:"name"` // of the role; of the file if its roles are not known
	Kind        abi.RoleKind `json:"kind,omitempty"`
	Source      string       `json:"source"`
	State       string       `json:"state"`
	Why         string       `json:"why,omitempty"` // error, if State is StateFailed
	RequiresLLM string       `json:"requiresLLM,omitempty"`
	ABI         string       `json:"abi,omitempty"`
	Hash        string       `json:"hash,omitempty"` // of the loaded module
	File        string       `json:"file,omitempty"` // in stages/
	Module      string       `json:"module,omitempty"`
	Version     string       `json:"version,omitempty"`
	Summary     string       `json:"summary,omitempty"`
}

// String returns the text of the STATUS column: the state and the error.
func (s Status) String() string {
	if s.Why == "" {
		return s.State
	}
	return s.State + ": " + s.Why
}

// Status returns all roles, sorted by name. A built-in role that a file overrides is
// omitted. If several files have the same role, each has a row.
func (r *Registry[M]) Status() []Status {
	isApproved := r.approvals()
	r.mu.Lock()
	defer r.mu.Unlock()
	rows := make([]Status, 0, len(r.roles)+len(r.refused))
	for _, s := range r.slots {
		rows = append(rows, r.rows(s, isApproved)...)
	}
	slices.SortFunc(rows, func(a, b Status) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File))
	})
	return rows
}

func (r *Registry[M]) rows(s *slot[M], isApproved func(name, hash string) bool) (rows []Status) {
	state, why := s.state(isApproved)
	if s.current == nil {
		names := []string{s.name}
		if len(s.heldRoles) > 0 {
			names = s.heldRoles
		}
		for _, name := range names {
			rows = append(rows, Status{Name: name, Source: s.source(), State: state, Why: why, File: s.file})
		}
		return rows
	}
	m := &s.current.manifest
	for _, role := range m.Roles {
		p := r.roles[role.Name]
		refused := r.refused[refusal[M]{s, role.Name}]
		if refused == nil && p.slot != s && (p.err == nil || s.isBuiltin()) {
			continue // another module has the role
		}
		row := Status{
			Name: role.Name, Kind: role.Kind, Source: s.source(), State: state, Why: why, RequiresLLM: llmRequirement(role),
			ABI: m.ABI, Hash: s.current.id, File: s.file, Module: m.Name, Version: m.Version, Summary: role.Summary,
		}
		if err := cmp.Or(refused, p.err); err != nil {
			row.State, row.Why = StateFailed, err.Error()
		}
		rows = append(rows, row)
	}
	return rows
}

func (s *slot[M]) state(isApproved func(name, hash string) bool) (state, why string) {
	switch {
	case s.loading, s.err == nil && s.current == nil: // the roles of a held file are being read
		return StateCompiling, ""
	case s.err != nil && s.current != nil && (s.want == "" || s.badHash != s.want):
		return StateFailed, s.err.Error() + ", previous version stays"
	case s.err != nil:
		return StateFailed, s.err.Error()
	case s.isBuiltin():
		return StateReady, ""
	case isApproved(s.name, s.current.id):
		return StateTrusted, ""
	}
	return StateUntrusted, ""
}

// llmRequirement returns the text of the REQUIRES-LLM column.
func llmRequirement(r abi.Role) string {
	switch r.LLM {
	case abi.LLMRequired:
		return "yes"
	case abi.LLMOptional:
		return "optional"
	}
	return "no"
}
