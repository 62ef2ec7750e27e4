package access

import (
	"hash/fnv"
	"maps"
	"slices"
	"sync"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/rbac"
	"github.com/mcpctl/mcpctl/host/object"
)

// history knows when the rights of callers have changed since the process started, so that a
// watcher who was away learns it. It is safe for concurrent use.
type history struct {
	mu     sync.Mutex
	from   int64                   // changes up to this version are unknown
	rights map[rbac.Subject]int64  // the version of the last change of the rights of a subject
	drops  map[int64][]object.Name // the servers that a project ceased to use with a version
}

// maxDrops is the number of versions in history.drops.
const maxDrops = 4096

// note records whose rights differ between before and after, at a version.
func (h *history) note(before, after *rights, version int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if before == nil {
		h.from = max(h.from, version)
		return
	}
	if h.rights == nil {
		h.rights = make(map[rbac.Subject]int64)
	}
	for _, marks := range []map[rbac.Subject]uint64{before.marks, after.marks} {
		for s := range marks {
			if before.marks[s] != after.marks[s] {
				h.rights[s] = version
			}
		}
	}
}

// noteDrops records the servers that a project ceased to use.
func (h *history) noteDrops(version int64, servers []object.Name) {
	if len(servers) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.drops == nil || len(h.drops) >= maxDrops {
		h.from = max(h.from, slices.Max(append(slices.Collect(maps.Keys(h.drops)), 0)))
		h.drops = make(map[int64][]object.Name)
	}
	h.drops[version] = servers
}

// forget makes all changes up to a version unknown.
func (h *history) forget(version int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.from = max(h.from, version)
}

// RightsChangedSince reports whether the rights of a caller have changed after a version, as
// far as the process knows; see IsKnown.
func (a *Access) RightsChangedSince(c Caller, version int64) bool {
	a.history.mu.Lock()
	defer a.history.mu.Unlock()
	return a.history.rights[subjectOf(c)] > version
}

// IsKnown reports whether the process knows the effect of a change of a version on the rights
// of callers and on the servers that they may see by them. A change of an object that has no
// such effect is known always.
func (a *Access) IsKnown(key object.Key, version int64) bool {
	a.history.mu.Lock()
	defer a.history.mu.Unlock()
	return version > a.history.from || key.Kind != object.KindProject && !isManaged(key.Kind)
}

// Dropped returns the servers that a project ceased to use with the change of a version.
func (a *Access) Dropped(version int64) []object.Name {
	a.history.mu.Lock()
	defer a.history.mu.Unlock()
	return a.history.drops[version]
}

// marksOf returns a number for each active user and service account that is equal as long as
// its rights are: the same bindings apply to it, but for their names and other subjects.
func marksOf(list []object.Object) map[rbac.Subject]uint64 {
	bindings := make(map[rbac.Subject][]uint64)
	groups := make(map[object.Name][]object.Name) // of each user
	for _, o := range list {
		switch o := o.(type) {
		case *object.RbacBinding:
			sum := hashRights(o.Spec)
			for _, s := range o.Spec.Subjects {
				subject := rbac.Subject{Kind: s.Kind, Name: s.Name}
				bindings[subject] = append(bindings[subject], sum)
			}
		case *object.Group:
			for _, m := range o.Spec.Members {
				groups[m.Name] = append(groups[m.Name], o.Name())
			}
		}
	}
	marks := make(map[rbac.Subject]uint64)
	for _, o := range list {
		subject := rbac.Subject{Kind: o.Key().Kind, Name: o.Key().Name}
		sums := slices.Clone(bindings[subject])
		switch o := o.(type) {
		case *object.ServiceAccount:
		case *object.User:
			if o.Spec.Disabled {
				continue
			}
			for _, g := range groups[o.Name()] {
				sums = append(sums, bindings[rbac.Subject{Kind: object.KindGroup, Name: g}]...)
			}
		default:
			continue
		}
		slices.Sort(sums)
		marks[subject] = combine(slices.Compact(sums)) // a user may have a binding directly and by groups
	}
	return marks
}

// hashRights returns a hash of what a binding allows.
func hashRights(spec object.RbacBindingSpec) uint64 {
	h := fnv.New64a()
	add := func(words ...string) {
		slices.Sort(words)
		for _, w := range words {
			h.Write([]byte(w + "\n"))
		}
		h.Write([]byte("\n"))
	}
	add(wordsOf(spec.Verbs)...)
	add(wordsOf(spec.Kinds)...)
	add(slices.Clone(spec.Names)...)
	add(slices.Clone(spec.Projects)...)
	return h.Sum64()
}

func wordsOf[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return out
}

// combine returns a hash of sorted hashes. It is not 0, which is the mark of callers that are
// not active.
func combine(sums []uint64) uint64 {
	h := fnv.New64a()
	for _, s := range sums {
		for shift := 0; shift < 64; shift += 8 {
			h.Write([]byte{byte(s >> shift)})
		}
	}
	return h.Sum64() | 1
}

// Mark returns a number that differs if the rights of a caller have changed.
func (a *Access) Mark(c Caller) uint64 { return a.rights.Load().marks[subjectOf(c)] }
