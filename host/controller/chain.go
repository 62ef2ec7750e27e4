package controller

import (
	"cmp"
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// Member is one controller of a Chain.
type Member struct {
	Role   abi.Role        // from the manifest
	Config []byte          // canonical JSON with defaults
	Block  bool            // whether a failed hook blocks the call or result; otherwise it counts as PASS
	Limits abi.GuestLimits // OutputBytes is an upper bound for 4 x input + 1 MiB
}

// limits returns the limits of a hook with this size of input.
func (m *Member) limits(inputBytes int) abi.GuestLimits {
	l := m.Limits
	l.OutputBytes = min(abi.LimitOutputFactor*inputBytes+abi.LimitOutputExtraBytes, cmp.Or(l.OutputBytes, abi.LimitOutputBytes))
	return l
}

func (m *Member) hasHook(h abi.Hook) bool {
	return len(m.Role.Hooks) == 0 || slices.Contains(m.Role.Hooks, h)
}

// Chain is an immutable snapshot of the controllers of a project, in list order. A
// nil Chain has no controllers.
type Chain struct {
	gated   bool
	members []Member
	wait    func(ctx context.Context) error // of an early chain; otherwise nil
}

// NewChain returns a Chain. If the project is not gated, members with GatedOnly are
// omitted.
func NewChain(gated bool, members []Member) *Chain {
	c := &Chain{gated: gated}
	for _, m := range members {
		if gated || !m.Role.GatedOnly {
			c.members = append(c.members, m)
		}
	}
	return c
}

// NewEarlyChain returns a Chain whose members are not known during the initial loads of modules.
// Hooks call wait, then use the current Chain of the project.
func NewEarlyChain(wait func(ctx context.Context) error) *Chain { return &Chain{wait: wait} }

// Wants reports whether any member has the hook.
func (c *Chain) Wants(h abi.Hook) bool {
	if c == nil {
		return false
	}
	return c.wait != nil || slices.ContainsFunc(c.members, func(m Member) bool { return m.hasHook(h) })
}

// hasLogs reports whether the manifest of any member declares log messages.
func (c *Chain) hasLogs() bool {
	return c != nil && slices.ContainsFunc(c.members, func(m Member) bool { return slices.Contains(m.Role.Notifications, abi.NoteMessage) })
}

// indexOf returns the index of a role, or -1.
func (c *Chain) indexOf(role string) int {
	return slices.IndexFunc(c.members, func(m Member) bool { return m.Role.Name == role })
}
