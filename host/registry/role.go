package registry

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Sources of a module, as shown to users.
const (
	SourceBuiltin = "built-in"
	SourceLocal   = "local"
)

// provider is the slot that plays a role, or the error of a conflict.
type provider[M Module] struct {
	slot  *slot[M]
	index int   // of the role in the manifest
	err   error // several files have the role; slot is nil
}

// Handle is a module in use by one call, for one role.
type Handle[M Module] struct {
	Module M
	Role   abi.Role
	Index  int    // of the role in the module's manifest
	Hash   string // of the module
	Source string // SourceBuiltin or SourceLocal
}

// assign recomputes which module plays which role. A file overrides a built-in role of the
// same kind. If several files have a role, the one named after the role plays it. The
// caller holds mu.
func (r *Registry[M]) assign() {
	clear(r.roles)
	clear(r.refused)
	for _, s := range r.slots {
		if s.isBuiltin() && s.current != nil {
			for i, role := range s.current.manifest.Roles {
				r.roles[role.Name] = provider[M]{slot: s, index: i}
			}
		}
	}
	builtins := maps.Clone(r.roles)
	files := make(map[string][]*slot[M])
	for _, s := range r.slots {
		if s.isBuiltin() || s.current == nil {
			continue
		}
		for i, role := range s.current.manifest.Roles {
			if err := refuseKind(builtins[role.Name], role); err != nil {
				r.refused[refusal[M]{s, role.Name}] = err
				continue
			}
			files[role.Name] = append(files[role.Name], s)
			r.roles[role.Name] = provider[M]{slot: s, index: i}
		}
	}
	for name, in := range files {
		if len(in) > 1 {
			r.resolve(name, in)
		}
	}
}

// resolve decides which of several files plays a role: the one that is named after it, so
// that a copy of a module does no harm. Without such a file the role has an error.
func (r *Registry[M]) resolve(role string, in []*slot[M]) {
	named := slices.IndexFunc(in, func(s *slot[M]) bool { return s.file == role+".wasm" })
	if named < 0 {
		r.roles[role] = provider[M]{err: fmt.Errorf("%w: role %q is in %s: keep one of them", abi.ErrConflict, role, describeFiles(in))}
		return
	}
	serves := in[named]
	i := slices.IndexFunc(serves.current.manifest.Roles, func(r abi.Role) bool { return r.Name == role })
	r.roles[role] = provider[M]{slot: serves, index: i}
	for _, s := range in {
		if s != serves {
			r.refused[refusal[M]{s, role}] = fmt.Errorf("%w: role %q is in %s, which serves: remove %s", abi.ErrConflict, role, serves.label(), s.label())
		}
	}
}

// describeFiles names the first files of slots, for an error.
func describeFiles[M Module](slots []*slot[M]) string {
	const most = 3
	var labels []string
	for _, s := range slots {
		labels = append(labels, s.label())
	}
	slices.Sort(labels)
	if more := len(labels) - most; more > 0 {
		return fmt.Sprintf("%s and in %d more files", strings.Join(labels[:most], ", in "), more)
	}
	return strings.Join(labels, " and in ")
}

// refusal identifies a role that a file has but does not play.
type refusal[M Module] struct {
	slot *slot[M]
	role string
}

// refuseKind returns an error if a local role has the name of a built-in role of
// another kind: a stage named "gate" would break every project. builtin is
// the zero provider if no built-in role has the name.
func refuseKind[M Module](builtin provider[M], role abi.Role) error {
	if builtin.slot == nil {
		return nil
	}
	if own := builtin.slot.current.manifest.Roles[builtin.index]; own.Kind != role.Kind {
		return fmt.Errorf("%w: %q is a built-in %s, a %s of that name does not serve: give it another name", abi.ErrConflict, role.Name, own.Kind, role.Kind)
	}
	return nil
}

// hasBuiltin reports whether a built-in module has a role.
func hasBuiltin[M Module](slots map[string]*slot[M], role string) bool {
	for _, s := range slots {
		if s.isBuiltin() && s.current != nil && s.current.hasRole(role) {
			return true
		}
	}
	return false
}

// hasFilter reports whether a role of the version is a filter.
func (v *version[M]) hasFilter() bool {
	return slices.ContainsFunc(v.manifest.Roles, func(r abi.Role) bool { return r.Kind == abi.KindFilter })
}

func (v *version[M]) hasRole(role string) bool {
	_, ok := v.manifest.Role(role)
	return ok
}

// Acquire returns the module that plays a role. The module stays usable until
// release is called, even if its file changes. Acquire waits, at most
// Options.Wait, for files that are being loaded and can have the role: all during the initial
// loads, later only if the role is unknown.
//
// Errors: abi.ErrNotFound; abi.ErrConflict if several files have the role and
// none is named after it; abi.ErrUnavailable after a timeout; the cause of ctx.
func (r *Registry[M]) Acquire(ctx context.Context, role string) (h Handle[M], release func(), err error) {
	r.begin()
	h, release, changed, err := r.find(role, false)
	if changed == nil {
		return h, release, err
	}
	defer r.demand.add(role)()
	timer := time.NewTimer(r.wait)
	defer timer.Stop()
	for late := false; changed != nil; {
		select {
		case <-changed:
		case <-timer.C:
			late = true
		case <-ctx.Done():
			return Handle[M]{}, nil, context.Cause(ctx)
		}
		h, release, changed, err = r.find(role, late)
	}
	return h, release, err
}

// WaitForRoles waits until no file is being loaded that can have one of roles. The files that
// can are compiled before others.
//
// Errors: abi.ErrUnavailable once the registry is closed; that of ctx.
func (r *Registry[M]) WaitForRoles(ctx context.Context, roles []string) error {
	r.begin()
	defer r.demand.add(roles...)()
	for {
		r.mu.Lock()
		busy, changed, closed := slices.ContainsFunc(roles, r.isComing), r.changed, r.closed
		r.mu.Unlock()
		switch {
		case closed:
			return fmt.Errorf("%w: the registry is closed", abi.ErrUnavailable)
		case !busy:
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// isComing reports whether a load in progress may provide a role. The caller holds mu.
func (r *Registry[M]) isComing(role string) bool {
	return !r.scanned || anyLoading(r.slots, func(s *slot[M]) bool { return s.canHave(role) })
}

// AcquireLoaded is like Acquire, but does not wait.
func (r *Registry[M]) AcquireLoaded(_ context.Context, role string) (h Handle[M], release func(), err error) {
	r.begin()
	h, release, _, err = r.find(role, true)
	return h, release, err
}

// find returns the module that plays a role. If a load in progress may provide the
// role and late is false, it returns a channel that is closed at the next change.
func (r *Registry[M]) find(role string, late bool) (h Handle[M], release func(), changed <-chan struct{}, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, known := r.roles[role]
	isComing := r.isComing(role)
	switch {
	case r.closed:
		err = fmt.Errorf("%w: role %q: the registry is closed", abi.ErrUnavailable, role)
	case !late && (!r.settled || !known) && isComing:
		changed = r.changed
	case p.err != nil:
		err = p.err
	case known:
		h, release = r.use(p)
	case isComing:
		err = fmt.Errorf("%w: role %q: modules are still being compiled after %v: %s",
			abi.ErrUnavailable, role, r.wait, strings.Join(loadingLabels(r.slots), ", "))
	default:
		err = explainMissing(r.slots, role)
	}
	return h, release, changed, err
}

// explainMissing returns the error of a role that no module has: that of a file that could have it,
// or of the file of its name, if there is one.
func explainMissing[M Module](slots map[string]*slot[M], role string) error {
	for _, s := range slots {
		if s.err != nil && s.current == nil && slices.Contains(s.heldRoles, role) {
			return fmt.Errorf("%w: role %q is in no module that is loaded: %w", abi.ErrNotFound, role, s.err)
		}
	}
	if s := slots[role+wasmSuffix]; s != nil && s.err != nil {
		return fmt.Errorf("%w: role %q is in no module that is loaded: %w", abi.ErrNotFound, role, s.err)
	}
	return fmt.Errorf("%w: role %q is in no module", abi.ErrNotFound, role)
}

// use counts a use of the provider's current version and retires the previous
// version once the current one is proven. The caller holds mu.
func (r *Registry[M]) use(p provider[M]) (Handle[M], func()) {
	s, v := p.slot, p.slot.current
	v.uses++
	if s.previous != nil && v.isProven() {
		r.retire(s.previous)
		s.previous = nil
	}
	h := Handle[M]{Module: v.module, Role: v.manifest.Roles[p.index], Index: p.index, Hash: v.id, Source: s.source()}
	return h, r.addRef(v)
}

func (r *Registry[M]) addRef(v *version[M]) (release func()) {
	v.refs++
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		v.refs--
		r.closeIfIdle(v)
		if r.closed {
			r.broadcast()
		}
	})
}

// Lookup returns a role as its manifest declares it, without waiting.
func (r *Registry[M]) Lookup(role string) (abi.Role, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.roles[role]
	if !ok || p.err != nil {
		return abi.Role{}, false
	}
	return p.slot.current.manifest.Roles[p.index], true
}

func (s *slot[M]) source() string {
	if s.isBuiltin() {
		return SourceBuiltin
	}
	return SourceLocal
}
