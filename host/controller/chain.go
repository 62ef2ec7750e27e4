package controller

import (
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// Member is one controller of a Chain.
type Member struct {
	Role   abi.Role        // as its manifest has it
	Config []byte          // canonical JSON, defaults filled in
	Block  bool            // a hook that fails answers the call; else it is as if it had passed
	Limits abi.GuestLimits // OutputBytes caps 4 x input + 1 MiB
}

// limits are those of one hook.
func (m *Member) limits(inputBytes int) abi.GuestLimits {
	l := m.Limits
	l.OutputBytes = min(abi.LimitOutputFactor*inputBytes+abi.LimitOutputExtraBytes, cmp.Or(l.OutputBytes, abi.LimitOutputBytes))
	return l
}

func (m *Member) wants(h abi.Hook) bool {
	return len(m.Role.Hooks) == 0 || slices.Contains(m.Role.Hooks, h)
}

// Chain is the controllers of a project, in list order, as they are configured at
// one moment. It is immutable. A nil Chain has none.
type Chain struct {
	gated   bool
	members []Member
	early   <-chan struct{}
}

// NewChain makes a Chain. Members that have nothing to do where the project is
// not gated are left out there.
func NewChain(gated bool, members []Member) *Chain {
	c := &Chain{gated: gated}
	for _, m := range members {
		if gated || !m.Role.GatedOnly {
			c.members = append(c.members, m)
		}
	}
	return c
}

// Early stands for a Chain that is not known before settled is closed: modules are
// still being loaded for the first time. Hooks wait for it.
func Early(settled <-chan struct{}) *Chain { return &Chain{early: settled} }

// Wants reports whether any member has the hook.
func (c *Chain) Wants(h abi.Hook) bool {
	if c == nil {
		return false
	}
	return c.early != nil || slices.ContainsFunc(c.members, func(m Member) bool { return m.wants(h) })
}

// logs reports whether the manifest of any member says that it sends log messages.
func (c *Chain) logs() bool {
	return c != nil && slices.ContainsFunc(c.members, func(m Member) bool { return slices.Contains(m.Role.Notifications, abi.NoteMessage) })
}

// position is where a role stands, or -1.
func (c *Chain) position(role string) int {
	return slices.IndexFunc(c.members, func(m Member) bool { return m.Role.Name == role })
}
