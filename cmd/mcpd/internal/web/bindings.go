package web

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/glob"
	"github.com/mcpctl/mcpctl/host/object"
)

// addBindings warns of bindings whose kinds no request can match, and of names that no object
// has.
func (w *warnings) addBindings() error {
	for i, o := range w.objects {
		b, ok := o.(*object.RbacBinding)
		if !ok {
			continue
		}
		if kinds := unmatchedKinds(b.Spec); len(kinds) > 0 {
			w.add(i, "%s allows nothing of %s: a binding with projects matches projects, their prompts and proposals, servers by run, and proxymodels by run and cache", b.Key(), strings.Join(texts(kinds), ", "))
		}
		names, err := w.unusedNames(b.Spec)
		if err != nil {
			return err
		}
		if len(names) > 0 {
			w.add(i, "%s: no object has the name %s", b.Key(), strings.Join(names, ", "))
		}
	}
	return nil
}

// unmatchedKinds returns the kinds of a binding that belong to no project, if the binding has
// projects and no verb that is used in a project.
func unmatchedKinds(spec object.RbacBindingSpec) (kinds []object.Kind) {
	if spec.Projects == nil {
		return nil
	}
	for _, kind := range spec.Kinds {
		var verbs []object.Verb // that match an object of the kind in a project
		switch {
		case kind == object.KindProject || kind.IsScoped():
			continue
		case kind == object.KindServer:
			verbs = []object.Verb{object.VerbRun, object.VerbAdmin}
		case kind == object.KindProxyModel:
			verbs = []object.Verb{object.VerbRun, object.VerbCache, object.VerbAdmin}
		}
		if !slices.ContainsFunc(spec.Verbs, func(v object.Verb) bool { return slices.Contains(verbs, v) }) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// maxNamed is the number of objects that are looked up for the names of one binding.
const maxNamed = 1000

// unusedNames returns up to maxListed names of a binding that no object has. Names are left
// out if the caller may not view all objects that they can mean.
func (w *warnings) unusedNames(spec object.RbacBindingSpec) (unused []string, err error) {
	keys := make(map[string][]object.Key)
	var all []object.Key
	for _, name := range spec.Names {
		if glob.HasWildcard(name) {
			continue
		}
		keys[name] = namedBy(spec, object.Name(name))
		all = append(all, keys[name]...)
	}
	if len(all) == 0 || len(all) > maxNamed || slices.ContainsFunc(all, func(key object.Key) bool { return !w.canView(key) }) {
		return nil, nil
	}
	exists, err := w.Store.Exist(w.ctx(), all)
	if err != nil {
		return nil, err
	}
	for _, o := range w.objects {
		exists[o.Key()] = true
	}
	for _, name := range spec.Names {
		if len(keys[name]) > 0 && len(unused) < maxListed && !slices.ContainsFunc(keys[name], func(key object.Key) bool { return exists[key] }) {
			unused = append(unused, name)
		}
	}
	return unused, nil
}

// namedBy returns the objects that a binding can mean by a name, or nil if they are not known:
// those of all kinds, of projects that are not listed, and built-in ones.
func namedBy(spec object.RbacBindingSpec, name object.Name) (keys []object.Key) {
	unknownProjects := len(spec.Projects) == 0 || slices.ContainsFunc(spec.Projects, func(p string) bool { return glob.HasWildcard(p) || object.Name(p) == object.SystemProject })
	unmatched := unmatchedKinds(spec)
	for _, kind := range spec.Kinds {
		switch {
		case slices.Contains(unmatched, kind):
		case kind == object.KindProxyModel, kind.IsScoped() && unknownProjects:
			return nil // mcpd stores no proxymodels
		case kind.IsScoped():
			for _, project := range spec.Projects {
				keys = append(keys, object.Key{Kind: kind, Project: object.Name(project), Name: name})
			}
		default:
			keys = append(keys, object.Key{Kind: kind, Name: name})
		}
	}
	return keys
}
