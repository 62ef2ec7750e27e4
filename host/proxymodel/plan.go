package proxymodel

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Plan is every project of a Snapshot with its ProxyModels made ready. It is
// immutable and safe for concurrent use; when Objects or roles change, a new one
// is made.
type Plan struct {
	projects map[string]*Project
	models   map[object.Name]compiled
	snap     *store.Snapshot
	roles    Roles
	next     *Kept
	broken   []*BrokenError
}

// compiled is a Model, the reason why there is none, or both: then the Model
// serves in place of the one with the errors.
type compiled struct {
	model *Model
	err   error
}

// mistakes are those of the file; none if it is fine.
func (c compiled) mistakes() strictyaml.Errors {
	var found strictyaml.Errors
	errors.As(c.err, &found)
	return found
}

// NewPlan makes the Plan. It does not fail: what is broken is replaced from kept,
// that of the Plan before. If kept is nil a broken ProxyModel is an error of the
// content that it should serve, and of nothing else.
func NewPlan(snap *store.Snapshot, roles Roles, kept *Kept) *Plan {
	p := &Plan{projects: make(map[string]*Project), models: make(map[object.Name]compiled), snap: snap, roles: roles, next: newKept()}
	for _, o := range snap.List(object.KindProxyModel) {
		m := o.(*object.ProxyModel)
		ready, err := Compile(m, roles)
		if err == nil {
			err = kept.checkFilters(m, ready)
		}
		if err != nil {
			p.models[m.Name()] = p.note(p.replaceModel(m, err, kept))
		} else {
			p.models[m.Name()] = compiled{model: ready}
		}
	}
	for _, o := range snap.List(object.KindProject) {
		project := o.(*object.Project)
		p.projects[string(project.Name())] = p.project(project, kept)
	}
	if kept == nil {
		kept = newKept()
	}
	p.keep(kept)
	return p
}

// note remembers what is broken, once if several places of a project are.
func (p *Plan) note(c compiled) compiled {
	broken, ok := c.err.(*BrokenError)
	if ok && !slices.ContainsFunc(p.broken, func(b *BrokenError) bool { return b.State() == broken.State() }) {
		p.broken = append(p.broken, broken)
	}
	return c
}

// Broken returns the invalid ProxyModels, and the projects that name a ProxyModel which
// does not exist, each with its replacement.
func (p *Plan) Broken() []*BrokenError { return p.broken }

// Resolve finds what is done to one piece of content. source is the prompt's
// name, the label server/tool or the URI.
//
// The project's override for the source decides: an exact one before a glob, of
// globs the first in the file; then the project's proxyModel. What does not
// apply to the content type has no steps.
//
// Errors: abi.ErrNotFound for an unknown project, *BrokenError for a ProxyModel
// that is broken or not there.
func (p *Plan) Resolve(project string, t abi.ContentType, source string) (*Model, error) {
	pr, err := p.Project(project)
	if err != nil {
		return nil, err
	}
	return pr.Resolve(t, source)
}

// Project returns a project made ready.
//
// Errors: abi.ErrNotFound.
func (p *Plan) Project(name string) (*Project, error) {
	if pr, ok := p.projects[name]; ok {
		return pr, nil
	}
	hint := ""
	if n := suggest.Nearest(name, p.snap.Names(object.KindProject)); n != "" {
		hint = fmt.Sprintf(", did you mean %q?", n)
	}
	return nil, fmt.Errorf("%w: project %.80q%s", abi.ErrNotFound, name, hint)
}

// Model returns a ProxyModel made ready, by name or alias.
//
// Errors: abi.ErrNotFound, *BrokenError for its mistakes.
func (p *Plan) Model(name string) (*Model, error) {
	m, ok := p.snap.ProxyModel(object.Name(name))
	if !ok {
		return nil, fmt.Errorf("%w: proxymodel %.80q%s", abi.ErrNotFound, name, p.nearestModel(name))
	}
	c := p.models[m.Name()]
	if c.err != nil {
		return nil, c.err
	}
	return c.model, nil
}

func (p *Plan) nearestModel(name string) string {
	if n := suggest.Nearest(name, p.snap.Names(object.KindProxyModel)); n != "" {
		return fmt.Sprintf(", did you mean %q?", n)
	}
	return ""
}

// Problems returns the mistakes of all ProxyModels, used or not, and the
// references of projects that lead nowhere.
func (p *Plan) Problems() strictyaml.Errors {
	var errs strictyaml.Errors
	for _, o := range p.snap.List(object.KindProxyModel) {
		errs = append(errs, p.models[o.Key().Name].mistakes()...)
	}
	return append(errs, p.snap.Dangling()...)
}

// Mistakes returns what is wrong with one ProxyModel, or with what one Project or
// link names: references that lead nowhere, or to a broken ProxyModel. It is nil
// for an object that is fine, unknown or of another kind.
func (p *Plan) Mistakes(key object.Key) strictyaml.Errors {
	o, ok := p.snap.Get(key)
	if !ok {
		return nil
	}
	switch o := o.(type) {
	case *object.ProxyModel:
		return p.models[o.Name()].mistakes()
	case *object.Project:
		return append(p.snap.DanglingRefs(o), p.brokenOf(o)...)
	case *object.Prompt:
		return p.snap.DanglingLink(o)
	}
	return nil
}

// brokenOf names each place of a Project that leads to a broken ProxyModel.
func (p *Plan) brokenOf(o *object.Project) strictyaml.Errors {
	var errs strictyaml.Errors
	for _, ref := range o.ModelRefs() {
		m, ok := p.snap.ProxyModel(ref.Name)
		if !ok {
			continue // reported as dangling
		}
		found := p.models[m.Name()].mistakes()
		if len(found) == 0 {
			continue
		}
		e := o.Errorf(ref.At, ref.Path, "%q is invalid: %s", ref.Name, found[0].Message)
		if found[0].Path != "" {
			e.Message = fmt.Sprintf("%q is invalid: %s %s", ref.Name, found[0].Path, found[0].Message)
		}
		e.Cause, e.Hint = "see "+found[0].Position(), "mcpctl describe proxymodel "+string(m.Name())
		errs = append(errs, e)
	}
	return errs
}

// Project is a project with the ProxyModels that serve its content. It is
// immutable and safe for concurrent use.
type Project struct {
	Name  string
	base  compiled
	rules [3]rules // by content type
}

// rules are the overrides for one content type.
type rules struct {
	exact map[string]compiled
	globs []globRule
}

type globRule struct {
	pattern string
	compiled
}

func (p *Plan) project(o *object.Project, kept *Kept) *Project {
	out := &Project{Name: string(o.Name()), base: p.ref(o, o.Spec.ProxyModel, "proxyModel", "", kept)}
	for _, t := range contentTypes {
		r := rules{exact: make(map[string]compiled)}
		for _, over := range o.Spec.Overrides.For(t) {
			c := p.ref(o, over.Model, "proxyModelOverrides."+over.Pattern, string(t)+" ", kept)
			if isGlob(over.Pattern) {
				r.globs = append(r.globs, globRule{over.Pattern, c})
			} else {
				r.exact[over.Pattern] = c
			}
		}
		out.rules[slot(t)] = r
	}
	return out
}

var contentTypes = []abi.ContentType{abi.Prompt, abi.ToolResult, abi.Resource}

func slot(t abi.ContentType) int {
	switch t {
	case abi.Prompt:
		return 0
	case abi.Resource:
		return 2
	}
	return 1
}

// ref makes the ProxyModel ready that a project names at a path, of content of a type.
func (p *Plan) ref(o *object.Project, ref object.Ref, path, of string, kept *Kept) compiled {
	at := placeKey{string(o.Name()), of + path}
	m, ok := p.snap.ProxyModel(ref.Name)
	if ok {
		p.next.refs[at] = m.Name()
		return p.models[m.Name()]
	}
	e := o.Errorf(ref.At, path, "%q not found%s", ref.Name, p.nearestModel(string(ref.Name)))
	e.Cause = "looked in proxymodels/ and the built-ins: " + listed(p.snap.Names(object.KindProxyModel))
	e.Hint = "mcpctl get proxymodels"
	return p.note(p.replaceRef(at, ref, &BrokenError{KindName: "project", Name: string(o.Name()), Err: e}, kept))
}

// Model returns the ProxyModel that serves what no override names; its
// controllers are those of the project's sessions.
//
// Errors: *BrokenError if there is none.
func (p *Project) Model() (*Model, error) {
	if p.base.model == nil {
		return nil, p.base.err
	}
	return p.base.model, nil
}

// Resolve is Plan.Resolve for this project.
func (p *Project) Resolve(t abi.ContentType, source string) (*Model, error) {
	c := p.choose(t, source)
	if c.model == nil {
		return nil, c.err
	}
	return c.model.For(t), nil
}

func (p *Project) choose(t abi.ContentType, source string) compiled {
	r := &p.rules[slot(t)]
	if c, ok := r.exact[source]; ok {
		return c
	}
	if t == abi.Prompt { // a server's prompt is server/name, an override may say the name alone
		if _, name, ok := strings.Cut(source, "/"); ok {
			if c, ok := r.exact[name]; ok {
				return c
			}
		}
	}
	for i := range r.globs {
		if matchGlob(r.globs[i].pattern, source) {
			return r.globs[i].compiled
		}
	}
	return p.base
}

// all returns what serves the project's content, by what applies to each type.
func (p *Project) all() []*Model {
	var out []*Model
	add := func(c compiled, t abi.ContentType) {
		if c.model != nil {
			out = append(out, c.model.For(t))
		}
	}
	for _, t := range contentTypes {
		r := p.rules[slot(t)]
		add(p.base, t)
		for _, c := range r.exact {
			add(c, t)
		}
		for _, g := range r.globs {
			add(g.compiled, t)
		}
	}
	return out
}

// Filters returns the filters of all ProxyModels that serve the project's content.
func (p *Project) Filters() (list []Step) {
	for _, m := range p.all() {
		for _, s := range m.Steps {
			if s.Kind == abi.KindFilter {
				list = append(list, s)
			}
		}
	}
	return list
}

// CanSection reports whether any content of the project may come with sections.
func (p *Project) CanSection() bool { return slices.ContainsFunc(p.all(), (*Model).CanSection) }

// Transforms reports whether any content of the project may be changed.
func (p *Project) Transforms() bool { return slices.ContainsFunc(p.all(), (*Model).Transforms) }
