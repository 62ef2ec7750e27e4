package web

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/host/object"
)

// warn adds warnings to the objects of an apply: links that are not granted, references to
// objects that do not exist, and new accounts that have rights already. Objects may be applied
// in any order, so these are no errors.
func (c *call) warn(objects []object.Object, applied []api.Applied) error {
	texts := make(map[object.Key][]string)
	for _, f := range []func([]object.Object, []api.Applied, map[object.Key][]string) error{c.warnOfLinks, c.warnOfReferences, c.warnOfMentions} {
		if err := f(objects, applied, texts); err != nil {
			return err
		}
	}
	for i, o := range objects { // applied begins with them
		applied[i].Warning = append(applied[i].Warning, texts[o.Key()]...)
	}
	return nil
}

// warnOfLinks warns of each link that is not granted.
func (c *call) warnOfLinks(objects []object.Object, _ []api.Applied, texts map[object.Key][]string) error {
	for _, o := range objects {
		p, ok := o.(*object.Prompt)
		if !ok || p.Spec.LinkTarget == "" {
			continue
		}
		l, err := c.Store.Link(c.ctx(), p.Key())
		if errors.Is(err, abi.ErrNotFound) { // a dry run
			continue
		}
		if err != nil {
			return err
		}
		if c.linkStatus(l.Target, l.GrantedBy) == api.LinkPending {
			source, _, _, _ := p.Link()
			texts[p.Key()] = append(texts[p.Key()], fmt.Sprintf("the link is pending until someone who may edit the project %q grants it", source))
		}
	}
	return nil
}

// warnOfReferences warns of references to objects that do not exist. Those that the caller may
// not view are left out, so that no warning tells whether they exist.
func (c *call) warnOfReferences(objects []object.Object, _ []api.Applied, texts map[object.Key][]string) error {
	var all []object.Key
	seen := make(map[object.Key]bool)
	for _, o := range objects {
		seen[o.Key()] = true
	}
	for _, o := range objects {
		for _, key := range referencesOf(o) {
			if !seen[key] && c.canView(key) {
				all = append(all, key)
			}
			seen[key] = true
		}
	}
	exists, err := c.Store.Exist(c.ctx(), all)
	if err != nil {
		return err
	}
	for _, o := range objects {
		var missing []object.Key
		for _, key := range referencesOf(o) {
			if found, checked := exists[key]; checked && !found {
				missing = append(missing, key)
			}
		}
		if len(missing) > 0 {
			texts[o.Key()] = append(texts[o.Key()], fmt.Sprintf("%s: not found: %s", o.Key(), listOf(missing)))
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
	}
	return keys
}

// warnOfMentions warns of new accounts that stored groups and bindings name already.
func (c *call) warnOfMentions(objects []object.Object, applied []api.Applied, texts map[object.Key][]string) error {
	var created []object.Key
	written := make(map[object.Key]bool)
	for i, o := range objects {
		key := o.Key()
		written[key] = true
		if applied[i].Action == "created" && slices.Contains([]object.Kind{object.KindUser, object.KindServiceAccount, object.KindGroup}, key.Kind) {
			created = append(created, key)
		}
	}
	if created == nil {
		return nil
	}
	by, err := c.Access.Mentions(c.ctx(), created)
	if err != nil {
		return err
	}
	for _, key := range created {
		mentions := slices.DeleteFunc(by[key], func(m object.Key) bool { return written[m] || !c.canView(m) })
		if len(mentions) > 0 {
			texts[key] = append(texts[key], fmt.Sprintf("%s is new, and has rights by %s", key, listOf(mentions)))
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
