package registry

import (
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
)

// Failure is a failed run that counts against a version of a module. Callers do not
// report runs without a fault of the module: a regular FAIL result, content that is
// too large, a cancelled call.
type Failure struct {
	Hash  string // of the module
	Role  string
	Cause error
}

// Rollback describes the rollback of a new version of a module.
type Rollback struct {
	File   string // relative to the home: "stages/name.wasm"
	From   string // hash of the version that failed
	To     string // hash of the module that plays the failed role now
	Reason string // same text as in Status
}

// ReportFailure counts a failure of a new version. At the third failure it returns
// to the previous version, or to the built-in roles if there is no previous one, and
// reports the rollback.
//
// A rollback never removes a role: if neither the previous version nor a built-in
// has a role of the new version, the new version stays in service and only the
// pipeline's breaker handles its failures. A filter is never rolled back: the content is
// withheld while it fails, and a server that makes it fail must not bring back the
// version that it has replaced. [Registry.Rescan] loads a version again that was rolled
// back.
func (r *Registry[M]) ReportFailure(f Failure) (done Rollback, rolledBack bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.slots {
		v := s.current
		if v == nil || v.id != f.Hash || v.isProven() {
			continue
		}
		v.failures++
		switch lacking := r.missingRole(s); {
		case s.isBuiltin() || v.failures < failuresOfNew:
		case v.hasFilter():
			if v.failures == failuresOfNew {
				r.log.Warn("new version of a module keeps failing, no rollback: it has a filter",
					"file", s.label(), "hash", v.hash, "role", f.Role, "cause", f.Cause)
			}
		case lacking == "":
			return r.rollBack(s, f), true
		case v.failures == failuresOfNew:
			why := "the previous version lacks a role"
			if s.previous == nil {
				why = "there is no previous version"
			}
			r.log.Warn("new version of a module keeps failing, no rollback: "+why,
				"file", s.label(), "hash", v.hash, "role", f.Role, "cause", f.Cause, "lacking", lacking)
		}
	}
	return Rollback{}, false
}

// missingRole returns a role of the current version that neither the previous version
// nor a built-in has; empty if there is none.
func (r *Registry[M]) missingRole(s *slot[M]) string {
	for _, role := range s.current.manifest.Roles {
		if (s.previous == nil || !s.previous.hasRole(role.Name)) && !hasBuiltin(r.slots, role.Name) {
			return role.Name
		}
	}
	return ""
}

// rollBack replaces the current version of a slot by the previous one, or by the
// built-in roles. The caller holds mu.
func (r *Registry[M]) rollBack(s *slot[M], f Failure) Rollback {
	v, instead := s.current, "previous version serves"
	if s.previous == nil {
		instead = "built-in serves"
	}
	s.badHash = v.hash
	s.badErr = fmt.Errorf("%w: module %q: new version failed %d times, the last time in %q: %v; %s; fix the file, or load it again with mcpctl reload",
		abi.ErrGuest, s.name, v.failures, f.Role, f.Cause, instead)
	if s.want == v.hash {
		s.err = s.badErr
	}
	s.current, s.previous = s.previous, nil
	r.retire(v)
	r.settle()
	done := Rollback{File: s.label(), From: v.id, Reason: s.badErr.Error()}
	if p := r.roles[f.Role]; p.slot != nil {
		done.To = p.slot.current.id
	}
	r.log.Warn("new version of a module rolled back", "file", done.File, "hash", done.From,
		"role", f.Role, "cause", f.Cause, "now", instead)
	return done
}

// clearRollbacks clears the record of rolled back versions, so that their files are loaded again.
func (r *Registry[M]) clearRollbacks() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.slots {
		if s.badHash == "" {
			continue
		}
		if s.want == s.badHash {
			s.want = ""
		}
		s.badHash, s.badErr = "", nil
	}
}
