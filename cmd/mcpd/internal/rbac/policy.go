package rbac

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/object"
)

// Objects are the Objects that a Policy depends on, by name.
type Objects struct {
	Users           map[object.Name]object.UserSpec
	Groups          map[object.Name]object.GroupSpec
	ServiceAccounts map[object.Name]object.ServiceAccountSpec
	Bindings        map[object.Name]object.RbacBindingSpec
}

// Select returns the Objects of a list that a Policy depends on.
func Select(list []object.Object) Objects {
	o := Objects{
		Users:           make(map[object.Name]object.UserSpec),
		Groups:          make(map[object.Name]object.GroupSpec),
		ServiceAccounts: make(map[object.Name]object.ServiceAccountSpec),
		Bindings:        make(map[object.Name]object.RbacBindingSpec),
	}
	for _, one := range list {
		switch one := one.(type) {
		case *object.User:
			o.Users[one.Name()] = one.Spec
		case *object.Group:
			o.Groups[one.Name()] = one.Spec
		case *object.ServiceAccount:
			o.ServiceAccounts[one.Name()] = one.Spec
		case *object.RbacBinding:
			o.Bindings[one.Name()] = one.Spec
		}
	}
	return o
}

// Subject is a caller: a user or a service account.
type Subject struct {
	Kind object.Kind // object.KindUser or object.KindServiceAccount
	Name object.Name
}

// Request is what a Subject wants to do with one Object.
type Request struct {
	Verb object.Verb
	Kind object.Kind
	Name object.Name

	// Project is the project of a Prompt or PromptRequest. For VerbRun and VerbCache of an
	// Object that belongs to no project, it is the project in which the Object is used: the
	// caller of Allows must have checked that this project uses it. Otherwise Project is
	// ignored.
	Project object.Name
}

// Policy decides Requests. It never changes and is safe for concurrent use.
type Policy struct {
	grants map[Subject][]*grants // own, and those of each group; no entry for disabled users
}

// Compile returns the Policy of Objects, which may be modified afterwards.
//
// A binding whose subject does not exist allows no caller. A user that is disabled or does
// not exist is allowed nothing, and neither is a group as a Subject.
func Compile(o Objects) *Policy {
	bySubject := make(map[Subject]*grants)
	for name, spec := range o.Bindings {
		r := newRule(string(name), spec)
		for _, s := range spec.Subjects {
			key := Subject{s.Kind, s.Name}
			if bySubject[key] == nil {
				bySubject[key] = new(grants)
			}
			bySubject[key].add(r)
		}
	}
	p := &Policy{grants: make(map[Subject][]*grants)}
	add := func(s Subject, g *grants) {
		if g != nil {
			p.grants[s] = append(p.grants[s], g)
		}
	}
	for name := range o.ServiceAccounts {
		s := Subject{object.KindServiceAccount, name}
		add(s, bySubject[s])
	}
	for name, user := range o.Users {
		if s := (Subject{object.KindUser, name}); !user.Disabled {
			add(s, bySubject[s])
		}
	}
	for name, group := range o.Groups {
		for _, member := range group.Members {
			if user, ok := o.Users[member.Name]; ok && !user.Disabled {
				add(Subject{object.KindUser, member.Name}, bySubject[Subject{object.KindGroup, name}])
			}
		}
	}
	return p
}

// Allows reports whether a Subject may do what a Request describes. Verbs and Kinds that
// are unknown are denied.
func (p *Policy) Allows(s Subject, r Request) bool {
	allowed := false
	p.eachRule(s, r, func(*rule) bool {
		allowed = true
		return false
	})
	return allowed
}

// Explain returns the names of the bindings that allow a Request, sorted. It is empty if
// the Request is denied.
func (p *Policy) Explain(s Subject, r Request) []string {
	var bindings []string
	p.eachRule(s, r, func(r *rule) bool {
		bindings = append(bindings, r.Binding)
		return true
	})
	slices.Sort(bindings)
	return slices.Compact(bindings) // a user may have a binding directly and by groups
}

// eachRule calls yield for the rules that allow a Request, until it returns false. A rule
// may come more than once.
func (p *Policy) eachRule(s Subject, r Request, yield func(*rule) bool) {
	q := newQuery(r)
	for _, g := range p.grants[s] {
		if !g.eachRule(q, yield) {
			return
		}
	}
}
