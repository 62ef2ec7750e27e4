package rbac

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/glob"
	"github.com/mcpctl/mcpctl/host/object"
)

// bitSet is a set of verbs or of kinds.
type bitSet uint16

var (
	verbBits = newBits(object.Verbs())
	kindBits = newBits(object.AllKinds())
)

// newBits returns a bit for each word.
func newBits[T comparable](words []T) map[T]bitSet {
	bits := make(map[T]bitSet)
	for i, w := range words {
		bits[w] = 1 << i
	}
	return bits
}

// allBits is the set of all words.
const allBits = ^bitSet(0)

// rule is a compiled binding. Empty lists match everything.
type rule struct {
	Rule         // as the binding has it
	verbs bitSet // with those that they imply
	kinds bitSet
}

func newRule(binding string, spec object.RbacBindingSpec) *rule {
	r := &rule{Rule: Rule{binding, slices.Clone(spec.Verbs), slices.Clone(spec.Kinds), slices.Clone(spec.Names), slices.Clone(spec.Projects)}}
	for _, v := range spec.Verbs {
		r.verbs |= withImplied(v)
	}
	for _, k := range spec.Kinds {
		r.kinds |= kindBits[k]
	}
	if len(spec.Kinds) == 0 {
		r.kinds = allBits
	}
	return r
}

// withImplied returns the verbs that a binding with v allows. A caller who may edit an
// object learns its content anyway, from the differences that a dry run shows.
func withImplied(v object.Verb) bitSet {
	switch v {
	case object.VerbAdmin:
		return allBits
	case object.VerbEdit:
		return verbBits[object.VerbEdit] | verbBits[object.VerbView]
	}
	return verbBits[v]
}

// query is a Request in the form that rules compare.
type query struct {
	verb    bitSet // no bit for an unknown verb
	kind    bitSet // no bit for an unknown kind
	name    string
	project string // "" if the object belongs to no project
}

func newQuery(r Request) query {
	return query{verbBits[r.Verb], kindBits[r.Kind], string(r.Name), string(projectOf(r))}
}

// projectOf returns the project that the projects of a binding are compared with, or "".
// It ignores the project of a Request to edit a Server, for example: otherwise callers
// could choose one that they have rights in.
func projectOf(r Request) object.Name {
	switch {
	case r.Kind == object.KindProject:
		return r.Name
	case r.Kind.IsScoped(), r.Verb == object.VerbRun, r.Verb == object.VerbCache:
		return r.Project
	}
	return ""
}

func (r *rule) allows(q query) bool {
	return r.verbs&q.verb != 0 && r.kinds&q.kind != 0 &&
		(len(r.Names) == 0 || matchesAny(r.Names, q.name)) &&
		(len(r.Projects) == 0 || q.project != "" && matchesAny(r.Projects, q.project))
}

func matchesAny(globs []string, s string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return glob.Match(g, s) })
}
