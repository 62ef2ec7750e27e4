package web

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/glob"
	"github.com/mcpctl/mcpctl/host/object"
)

// warnings are those of one apply. Objects may be applied in any order, so that these are no
// errors.
type warnings struct {
	*call
	objects []object.Object
	applied []api.Applied // begins with those of objects
}

// addAll adds warnings of links that are not granted, of references to objects that do not
// exist, of bindings that match nothing, and of new accounts that have rights already.
func (w *warnings) addAll() error {
	for _, f := range []func() error{w.addLinks, w.addReferences, w.addBindings, w.addMentions} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

func (w *warnings) add(i int, format string, args ...any) {
	w.applied[i].Warning = append(w.applied[i].Warning, fmt.Sprintf(format, args...))
}

// addLinks warns of each link that is not granted.
func (w *warnings) addLinks() error {
	for i, o := range w.objects {
		p, ok := o.(*object.Prompt)
		if !ok || p.Spec.LinkTarget == "" {
			continue
		}
		l, err := w.Store.Link(w.ctx(), p.Key())
		if errors.Is(err, abi.ErrNotFound) { // a dry run
			continue
		}
		if err != nil {
			return err
		}
		if w.linkStatus(l.Target, l.GrantedBy) == api.LinkPending {
			source, _, _, _ := p.Link()
			w.add(i, "the link is pending until someone who may edit the project %q grants it", source)
		}
	}
	return nil
}

// addReferences warns of references to objects that do not exist. It ignores objects that the
// caller may not view, because a warning would tell whether they exist.
func (w *warnings) addReferences() error {
	var all []object.Key
	seen := make(map[object.Key]bool)
	for _, o := range w.objects {
		seen[o.Key()] = true
	}
	for _, o := range w.objects {
		for _, key := range referencesOf(o) {
			if !seen[key] && w.canView(key) {
				all = append(all, key)
			}
			seen[key] = true
		}
	}
	exists, err := w.Store.Exist(w.ctx(), all)
	if err != nil {
		return err
	}
	for i, o := range w.objects {
		var missing []object.Key
		for _, key := range referencesOf(o) {
			if found, checked := exists[key]; checked && !found {
				missing = append(missing, key)
			}
		}
		if len(missing) > 0 {
			w.add(i, "%s: not found: %s", o.Key(), listOf(missing))
		}
	}
	return nil
}

// referencesOf returns the objects that an object needs to have an effect.
func referencesOf(o object.Object) (keys []object.Key) {
	if p := o.Key().Project; p != "" && p != object.SystemProject {
		keys = append(keys, object.Key{Kind: object.KindProject, Name: p})
	}
	switch o := o.(type) {
	case *object.Prompt:
		if project, server, _, ok := o.Link(); ok {
			keys = append(keys, object.Key{Kind: object.KindProject, Name: project}, object.Key{Kind: object.KindServer, Name: server})
		}
	case *object.Project:
		for _, r := range o.ServerRefs() {
			keys = append(keys, object.Key{Kind: object.KindServer, Name: r.Name})
		}
	case *object.Group:
		for _, m := range o.Spec.Members {
			keys = append(keys, object.Key{Kind: object.KindUser, Name: m.Name})
		}
	case *object.RbacBinding:
		for _, s := range o.Spec.Subjects {
			keys = append(keys, object.Key{Kind: s.Kind, Name: s.Name})
		}
		for _, p := range o.Spec.Projects {
			if !glob.HasWildcard(p) && object.Name(p) != object.SystemProject {
				keys = append(keys, object.Key{Kind: object.KindProject, Name: object.Name(p)})
			}
		}
	}
	return keys
}

// addMentions warns of new accounts that stored groups and bindings name already.
func (w *warnings) addMentions() error {
	created := make(map[object.Key]int) // the index of each new account
	written := make(map[object.Key]bool)
	for i, o := range w.objects {
		key := o.Key()
		written[key] = true
		if w.applied[i].Action == string(store.Created) && slices.Contains([]object.Kind{object.KindUser, object.KindServiceAccount, object.KindGroup}, key.Kind) {
			created[key] = i
		}
	}
	if len(created) == 0 {
		return nil
	}
	by, err := w.Access.Mentions(w.ctx(), slices.Collect(maps.Keys(created)))
	if err != nil {
		return err
	}
	for key, i := range created {
		mentions := slices.DeleteFunc(by[key], func(m object.Key) bool { return written[m] || !w.canView(m) })
		if len(mentions) > 0 {
			w.add(i, "%s is new, and has rights by %s", key, listOf(mentions))
		}
	}
	return nil
}

// maxListed is the number of objects that a warning names.
const maxListed = 5

func listOf(keys []object.Key) string {
	var names []string
	for _, key := range keys[:min(len(keys), maxListed)] {
		names = append(names, key.String())
	}
	text := strings.Join(names, ", ")
	if n := len(keys) - maxListed; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
