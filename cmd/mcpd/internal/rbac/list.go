package rbac

import (
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/host/object"
)

// Rule is what a binding allows a Subject, without the other subjects of the binding. Empty
// lists match everything.
type Rule struct {
	Binding  string
	Verbs    []object.Verb
	Kinds    []object.Kind
	Names    []string
	Projects []string
}

// Rules returns the Rules of a Subject, sorted by binding. The caller must not modify their lists.
func (p *Policy) Rules(s Subject) []Rule {
	var list []Rule
	add := func(rules []*rule) {
		for _, r := range rules {
			list = append(list, r.Rule)
		}
	}
	for _, g := range p.grants[s] {
		add(g.others)
		for _, index := range []prefixIndex{g.byProject, g.byName} {
			for _, rules := range index.rules { // a rule is in several if it has several globs
				add(rules)
			}
		}
	}
	slices.SortFunc(list, func(a, b Rule) int { return cmp.Compare(a.Binding, b.Binding) })
	return slices.CompactFunc(list, func(a, b Rule) bool { return a.Binding == b.Binding }) // it may be that of the user and of its groups
}

// CanMatch reports whether the Rule can match objects of a project, or their use there.
func (r Rule) CanMatch(project object.Name) bool {
	return len(r.Projects) == 0 || matchesAny(r.Projects, string(project))
}
