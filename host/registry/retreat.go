package registry

import (
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
)

// Failure is a run that speaks against the version of a module it was made
// with. Whoever reports it leaves out what does not: a guest that says FAIL in
// order, content that is too large for it, a cancelled call.
type Failure struct {
	Hash  string // of the module
	Role  string
	Cause error
}

// Retreat tells that a new version of a module gave way.
type Retreat struct {
	File   string // in the home: "stages/name.wasm"
	From   string // hash of the version that failed
	To     string // hash of what plays its roles now
	Reason string // as Status has it
}

// ReportFailure counts a failure of a version that is still new. The third one
// brings back the version before it, or the built-in roles if its file is the
// first one, and is answered with what happened.
//
// A retreat takes no role away: a version with a role that nothing else plays
// stays in service, and the pipeline's breaker alone is concerned with it.
// [Registry.Rescan] gives a version that gave way another try.
func (r *Registry[M]) ReportFailure(f Failure) (gone Retreat, gaveWay bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.slots {
		v := s.current
		if v == nil || v.id != f.Hash || v.isProven() {
			continue
		}
		v.failures++
		switch lacking := r.lacking(s); {
		case s.builtin() || v.failures < failuresOfNew:
		case lacking == "":
			return r.giveWay(s, f), true
		case v.failures == failuresOfNew:
			r.log.Warn("new version of a module keeps failing, it stays: what served before lacks a role",
				"file", s.label(), "hash", v.hash, "role", f.Role, "cause", f.Cause, "lacking", lacking)
		}
	}
	return Retreat{}, false
}

// lacking is a role of a slot that neither the version before nor a built-in
// plays; empty if there is none.
func (r *Registry[M]) lacking(s *slot[M]) string {
	for _, role := range s.current.manifest.Roles {
		if (s.previous == nil || !s.previous.has(role.Name)) && !r.hasBuiltin(role.Name) {
			return role.Name
		}
	}
	return ""
}

// giveWay takes the current version of a slot out of service.
func (r *Registry[M]) giveWay(s *slot[M], f Failure) Retreat {
	v, instead := s.current, "previous version serves"
	if s.previous == nil {
		instead = "built-in serves"
	}
	s.bad = v.hash
	s.why = fmt.Errorf("%w: module %q: new version failed %d times, the last time in %q: %v; %s; mend the file, or try it again with mcpctl reload",
		abi.ErrGuest, s.name, v.failures, f.Role, f.Cause, instead)
	if s.want == v.hash {
		s.err = s.why
	}
	s.current, s.previous = s.previous, nil
	r.retire(v)
	r.settle()
	gone := Retreat{File: s.label(), From: v.id, Reason: s.why.Error()}
	if p := r.roles[f.Role]; p.slot != nil {
		gone.To = p.slot.current.id
	}
	r.log.Warn("new version of a module gives way", "file", gone.File, "hash", gone.From,
		"role", f.Role, "cause", f.Cause, "now", instead)
	return gone
}

// forgive forgets which versions gave way, so that their files are loaded again.
func (r *Registry[M]) forgive() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.slots {
		if s.bad == "" {
			continue
		}
		if s.want == s.bad {
			s.want = ""
		}
		s.bad, s.why = "", nil
	}
}
