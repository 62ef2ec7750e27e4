package controller

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Virtual returns every virtual tool that was added in the session, hidden, with its
// last definition.
func (s *Session) Virtual() []flow.ListedTool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.virtual)
}

// tools returns all tools of the session as last listed. The caller must not modify
// the slice.
func (s *Session) tools() []flow.ListedTool {
	var listed []flow.ListedTool
	if s.about.Tools != nil {
		listed = s.about.Tools()
	}
	var missing []flow.ListedTool
	for _, t := range s.Virtual() {
		same := func(o flow.ListedTool) bool { return o.Kind == abi.ToolVirtual && o.Label == t.Label }
		if !slices.ContainsFunc(listed, same) {
			missing = append(missing, t)
		}
	}
	if missing == nil {
		return listed
	}
	return slices.Concat(missing, listed)
}

// checkNames checks whether a role may add these virtual tools. The caller holds mu.
//
// Errors: abi.ErrConflict for a name of another controller or of the host,
// abi.ErrLimit.
func (s *Session) checkNames(role string, tools []abi.VirtualTool, seen *toolset) error {
	count := 0
	for _, t := range s.virtual {
		if t.Owner == role {
			count++
		}
	}
	for _, v := range tools {
		switch i := s.findVirtual(v.Name); {
		case i < 0:
			count++
		case s.virtual[i].Owner != role:
			return faultf(abi.ErrConflict, "adds the tool %q, which belongs to the controller %q", v.Name, s.virtual[i].Owner)
		}
		if t := seen.find(v.Name); t != nil && t.Kind == abi.ToolHost {
			return faultf(abi.ErrConflict, "adds the tool %q, which the host has", v.Name)
		}
	}
	if count > abi.LimitVirtualTools {
		return faultf(abi.ErrLimit, "adds %d virtual tools to the session (limit %d)", count, abi.LimitVirtualTools)
	}
	return nil
}

// claim makes a role the owner of these tools until the session ends. The caller
// holds mu.
func (s *Session) claim(role string, tools []abi.VirtualTool) {
	for _, v := range tools {
		t := flow.ListedTool{Label: v.Name, Wire: v.Name, Kind: abi.ToolVirtual, Owner: role, Hidden: true, Definition: v.Definition}
		if i := s.findVirtual(v.Name); i >= 0 {
			s.virtual[i] = t
		} else {
			s.virtual = append(s.virtual, t)
		}
	}
}

// findVirtual returns the index of a virtual tool, or -1. The caller holds mu.
func (s *Session) findVirtual(name string) int {
	return slices.IndexFunc(s.virtual, func(t flow.ListedTool) bool { return t.Label == name })
}
