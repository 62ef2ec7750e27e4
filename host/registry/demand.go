package registry

import (
	"slices"
	"sync"
)

// demand counts the calls that wait for roles. Safe for concurrent use.
type demand struct {
	mu    sync.Mutex
	waits map[string]int // by role
}

func newDemand() *demand { return &demand{waits: make(map[string]int)} }

// add counts a call that waits for roles until done is called.
func (d *demand) add(roles ...string) (done func()) {
	change := func(n int) {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, role := range roles {
			if d.waits[role] += n; d.waits[role] == 0 {
				delete(d.waits, role)
			}
		}
	}
	change(1)
	return func() { change(-1) }
}

// hasAny reports whether a call waits for one of roles.
func (d *demand) hasAny(roles []string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(roles, func(role string) bool { return d.waits[role] > 0 })
}
