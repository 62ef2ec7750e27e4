package registry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

const (
	failuresOfNew = 3   // failures after which a new version is rolled back
	usesOfProven  = 100 // successful uses after which a version is proven
)

// slot is the place of one module: a file in stages/, or a built-in. It contains
// the versions of that module.
type slot[M Module] struct {
	name string
	file string // name in stages/; empty for a built-in

	want        string // hash of the file when last read; empty if it was unreadable
	loading     bool
	loadingHash string   // hash of the file that is being loaded
	stop        func()   // cancels the load in progress
	roles       []string // that it can have; nil: unknown
	next        *File    // to load next, with hash want; nil: none
	err         error    // why the file as last read does not serve
	held        string   // hash of the file as last read, if it may not be loaded
	heldRoles   []string // that the file could have

	current  *version[M] // serves calls; nil if none
	previous *version[M] // served before current; nil once current is proven
	badHash  string      // hash of a version that was rolled back
	badErr   error       // reason of the rollback
}

func (s *slot[M]) isBuiltin() bool { return s.file == "" }

// label returns the name of the slot for messages.
func (s *slot[M]) label() string {
	if s.isBuiltin() {
		return "built-in " + s.name
	}
	return stagesDir + "/" + s.file
}

// version is one loaded module.
type version[M Module] struct {
	hash     string // of the file
	id       string // Module.Hash
	module   M
	manifest abi.Manifest
	uses     int  // number of Acquire calls
	failures int  // number of reported failures
	refs     int  // calls that use it now
	retired  bool // to be closed when refs is 0
}

func (v *version[M]) isProven() bool { return v.uses-v.failures >= usesOfProven }

// canHave reports whether the file that is being loaded can have a role.
func (s *slot[M]) canHave(role string) bool {
	return s.roles == nil || slices.Contains(s.roles, role)
}

// anyLoading reports whether one of some slots is being loaded. some may be nil: any of all.
func anyLoading[M Module](slots map[string]*slot[M], some func(*slot[M]) bool) bool {
	for _, s := range slots {
		if s.loading && (some == nil || some(s)) {
			return true
		}
	}
	return false
}

// loadingLabels returns the labels of the slots that are being loaded.
func loadingLabels[M Module](slots map[string]*slot[M]) (files []string) {
	for _, s := range slots {
		if s.loading {
			files = append(files, s.label())
		}
	}
	return files
}

// slotKey returns a map key that differs for a file and a built-in of the same name.
func slotKey(name, file string) string {
	if file == "" {
		return "built-in/" + name
	}
	return file
}

// offer accepts a file with its present content and loads it if it is new. Content of
// the current, the previous or a rolled back version is not loaded again.
func (r *Registry[M]) offer(name, file string, f File) {
	hash := f.Hash
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	s := r.slot(name, file)
	if s.want == hash && (s.loading || !errors.Is(s.err, abi.ErrUnavailable)) {
		return
	}
	s.want, s.held, s.heldRoles = hash, "", nil
	switch {
	case s.loading && s.loadingHash == hash:
		s.next = nil
		return
	case s.loading:
		s.next = &f
		return
	case s.current != nil && s.current.hash == hash:
		s.err = nil
	case s.previous != nil && s.previous.hash == hash:
		s.err, s.current, s.previous = nil, s.previous, s.current
	case s.badHash == hash:
		s.err = s.badErr
	default:
		r.load(s, f)
		r.broadcast() // without a Change: the roles are unchanged
		return
	}
	r.settle()
}

// recordError records the error of a file that could not be read.
func (r *Registry[M]) recordError(name, file string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	s := r.slot(name, file)
	if s.want == "" && s.err != nil && s.err.Error() == err.Error() {
		return
	}
	s.want, s.next, s.err = "", nil, err
	r.log.Warn("module is not loaded", "file", s.label(), "cause", err)
	r.settle()
}

// hold records the error of a file that may not be loaded. If it is loaded, it is taken out
// of service, and if it is being loaded, it does not come into service; a version from before
// the file was replaced stays.
func (r *Registry[M]) hold(name, file string, f File, err error) {
	r.mu.Lock()
	s, hash := r.slot(name, file), f.Hash
	isKnown := s.held == hash
	s.held = hash
	r.mu.Unlock()
	var roles []string
	if !isKnown {
		roles = readClaims(r.claims, r.log, name, f)
	}
	r.mu.Lock()
	if !isKnown {
		s.heldRoles = roles
	}
	if s.current != nil && s.current.hash == hash {
		r.retire(s.current)
		r.retire(s.previous) // it was loaded when all files were
		s.current, s.previous = nil, nil
		r.settle()
	}
	r.mu.Unlock()
	r.recordError(name, file, err)
}

// readClaims returns the roles that a file could have, nil if they are not known.
func readClaims(claims func(string, File, bool) []string, log *slog.Logger, name string, f File) (roles []string) {
	defer func() {
		if v := recover(); v != nil {
			log.Error("reading a manifest panicked", "file", name, "panic", v)
		}
	}()
	if claims == nil {
		return nil
	}
	return claims(name, f, false)
}

func (r *Registry[M]) slot(name, file string) *slot[M] {
	key := slotKey(name, file)
	s := r.slots[key]
	if s == nil {
		s = &slot[M]{name: name, file: file}
		r.slots[key] = s
	}
	return s
}

// load starts loading a file in the background. The caller holds mu.
func (r *Registry[M]) load(s *slot[M], f File) {
	ctx, stop := context.WithCancel(r.life)
	s.loading, s.loadingHash, s.roles, s.next, s.stop = true, s.want, nil, nil, stop
	hash, begin := s.want, time.Now()
	r.routines.Go(func() {
		defer stop()
		m, err := r.build(ctx, s, f)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.finishLoad(s, hash, m, err) {
			r.log.Info("module loaded", "file", s.label(), "hash", hash, "took", time.Since(begin))
		}
	})
}

// build reads the roles, calls the loader, and converts a panic to an error.
func (r *Registry[M]) build(ctx context.Context, s *slot[M], f File) (m M, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: module %q: host panicked while it was loaded: %v", abi.ErrGuest, s.name, v)
		}
	}()
	var roles []string
	if r.claims != nil && !s.isBuiltin() {
		roles = r.claims(s.name, f, true)
		r.update(func() { s.roles = roles })
	}
	return r.loader.Load(ctx, Source{Name: s.name, File: f, Trusted: s.isBuiltin(), IsUrgent: func() bool { return r.demand.hasAny(roles) }})
}

// finishLoad stores the result of a load: it publishes the module or records the error,
// then starts the next load of the slot, if any. It reports whether it published the module.
func (r *Registry[M]) finishLoad(s *slot[M], hash string, m M, err error) (published bool) {
	s.loading = false
	gone := r.slots[slotKey(s.name, s.file)] != s || r.closed
	if err == nil && s.current != nil {
		if err = abi.CheckKinds(s.current.manifest.Roles, m.Manifest().Roles); err != nil {
			r.discard(m)
		}
	}
	switch {
	case err == nil && (gone || s.held == hash):
		r.discard(m)
	case err == nil:
		r.publish(s, &version[M]{hash: hash, id: m.Hash(), module: m, manifest: m.Manifest()})
		published = true
	case gone: // the slot no longer exists
	case s.want == hash:
		if s.err == nil || s.err.Error() != err.Error() { // a load is tried again at each scan if its error may pass
			r.log.Warn("module cannot be loaded", "file", s.label(), "cause", err, "serves", s.describeServed())
		}
		s.err = err
	}
	if s.next != nil && !gone {
		r.load(s, *s.next)
	}
	r.settle()
	return published
}

// discard closes a module that was never in service.
func (r *Registry[M]) discard(m M) {
	v := &version[M]{module: m}
	r.live[v] = struct{}{}
	r.retire(v)
}

// publish puts a version into service. The previous version stays loaded until
// the new one is proven.
func (r *Registry[M]) publish(s *slot[M], v *version[M]) {
	r.live[v] = struct{}{}
	if s.want == v.hash {
		s.err = nil
	}
	if s.current != nil {
		r.retire(s.previous)
		s.previous = s.current
	}
	s.current = v
}

// describeServed describes, for the log, the version that calls get while the file has an error.
func (s *slot[M]) describeServed() string {
	if s.current != nil {
		return "previous version"
	}
	return "none"
}

// retire takes a version out of service. The version is closed when the last call
// that uses it has returned.
func (r *Registry[M]) retire(v *version[M]) {
	if v == nil || v.retired {
		return
	}
	v.retired = true
	r.closeIfIdle(v)
}

func (r *Registry[M]) closeIfIdle(v *version[M]) {
	if !v.retired || v.refs > 0 {
		return
	}
	if _, ok := r.live[v]; !ok {
		return
	}
	delete(r.live, v)
	r.routines.Go(func() {
		if err := v.module.Close(context.WithoutCancel(r.life)); err != nil {
			r.log.Warn("module cannot be closed", "hash", v.hash, "cause", err)
		}
	})
}

// drop removes a slot and retires its versions. The caller holds mu.
func (r *Registry[M]) drop(key string, s *slot[M]) {
	delete(r.slots, key)
	if s.next = nil; s.loading {
		s.stop()
	}
	r.retire(s.current)
	r.retire(s.previous)
	s.current, s.previous = nil, nil
	r.settle()
}

// settle reassigns the roles and announces the change. The caller holds mu.
func (r *Registry[M]) settle() {
	r.assign()
	r.broadcast()
	r.notices.add(stagesDir)
}
