package proxymodel

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/glob"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Plan contains all projects of a Snapshot with their compiled ProxyModels. It is
// immutable and safe for concurrent use. A new Plan is created when Objects or roles
// change.
type Plan struct {
	projects map[string]*Project
	models   map[object.Name]compiled
	snap     *store.Snapshot
	roles    Roles
	next     *Kept
	broken   []*BrokenError
	fallback Step // see Fallback
}

// compiled is a Model or an error. If both are set, the Model is the replacement for the
// invalid one.
type compiled struct {
	model *Model
	err   error
}

// configErrors returns the errors of the file.
func (c compiled) configErrors() strictyaml.Errors {
	var found strictyaml.Errors
	errors.As(c.err, &found)
	return found
}

// NewPlan creates a Plan. It does not fail: broken ProxyModels are replaced from kept,
// the Kept of the previous Plan. If kept is nil, a broken ProxyModel is an error for its
// own content only.
func NewPlan(snap *store.Snapshot, roles Roles, kept *Kept) *Plan {
	p := &Plan{projects: make(map[string]*Project), models: make(map[object.Name]compiled), snap: snap, roles: roles, next: newKept(), fallback: compileFallback(roles)}
	for _, o := range snap.List(object.KindProxyModel) {
		m := o.(*object.ProxyModel)
		ready, err := Compile(m, roles)
		if err == nil {
			err = kept.checkFilters(m, ready)
		}
		if err != nil {
			p.models[m.Name()] = p.recordBroken(p.replaceModel(m, err, kept))
		} else {
			p.models[m.Name()] = compiled{model: ready}
		}
	}
	for _, o := range snap.List(object.KindProject) {
		project := o.(*object.Project)
		p.projects[string(project.Name())] = p.compileProject(project, kept)
	}
	if kept == nil {
		kept = newKept()
	}
	p.recordValid(kept)
	return p
}

// recordBroken records a broken ProxyModel, once per state.
func (p *Plan) recordBroken(c compiled) compiled {
	broken, ok := c.err.(*BrokenError)
	if ok && !slices.ContainsFunc(p.broken, func(b *BrokenError) bool { return b.State() == broken.State() }) {
		p.broken = append(p.broken, broken)
	}
	return c
}

// Broken returns the invalid ProxyModels, and the projects that refer to a missing
// ProxyModel, each with its replacement.
func (p *Plan) Broken() []*BrokenError { return p.broken }

// Resolve returns the Model for one piece of content. source is the name of the prompt,
// server/tool, or the URI.
//
// The project's override for the source has precedence: an exact one before a glob, the
// first glob in the file before others. Otherwise the project's proxyModel is used. A
// Model that does not apply to the content type has no steps.
//
// It returns abi.ErrNotFound for an unknown project, and *BrokenError for a ProxyModel
// that is invalid or missing.
func (p *Plan) Resolve(project string, t abi.ContentType, source string) (*Model, error) {
	pr, err := p.Project(project)
	if err != nil {
		return nil, err
	}
	return pr.Resolve(t, source)
}

// Project returns a compiled project.
//
// It returns abi.ErrNotFound.
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

// Model returns a compiled ProxyModel by name or alias.
//
// It returns abi.ErrNotFound, or *BrokenError if the ProxyModel is invalid.
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

// Problems returns the errors of all ProxyModels, used or not, and the dangling
// references of projects.
func (p *Plan) Problems() strictyaml.Errors {
	var errs strictyaml.Errors
	for _, o := range p.snap.List(object.KindProxyModel) {
		errs = append(errs, p.models[o.Key().Name].configErrors()...)
	}
	return append(errs, p.snap.Dangling()...)
}

// ObjectErrors returns the errors of one ProxyModel, or of the references of a Project
// or a link: to missing objects or invalid ProxyModels. It returns nil for any other
// object.
func (p *Plan) ObjectErrors(key object.Key) strictyaml.Errors {
	o, ok := p.snap.Get(key)
	if !ok {
		return nil
	}
	switch o := o.(type) {
	case *object.ProxyModel:
		return p.models[o.Name()].configErrors()
	case *object.Project:
		return append(p.snap.DanglingRefs(o), p.errorsOfModels(o)...)
	case *object.Prompt:
		return p.snap.DanglingLink(o)
	}
	return nil
}

// errorsOfModels returns an error for each reference of a Project to an invalid
// ProxyModel.
func (p *Plan) errorsOfModels(o *object.Project) strictyaml.Errors {
	var errs strictyaml.Errors
	for _, ref := range o.ModelRefs() {
		m, ok := p.snap.ProxyModel(ref.Name)
		if !ok {
			continue // reported as dangling
		}
		found := p.models[m.Name()].configErrors()
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

// Project is a project with the ProxyModels for its content. It is immutable and safe
// for concurrent use.
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

func (p *Plan) compileProject(o *object.Project, kept *Kept) *Project {
	out := &Project{Name: string(o.Name()), base: p.resolveRef(o, o.Spec.ProxyModel, "proxyModel", "", kept)}
	for _, t := range contentTypes {
		r := rules{exact: make(map[string]compiled)}
		for _, over := range o.Spec.Overrides.For(t) {
			c := p.resolveRef(o, over.Model, "proxyModelOverrides."+over.Pattern, string(t)+" ", kept)
			if glob.HasWildcard(over.Pattern) {
				r.globs = append(r.globs, globRule{over.Pattern, c})
			} else {
				r.exact[over.Pattern] = c
			}
		}
		out.rules[indexOf(t)] = r
	}
	return out
}

var contentTypes = []abi.ContentType{abi.Prompt, abi.ToolResult, abi.Resource}

func indexOf(t abi.ContentType) int {
	switch t {
	case abi.Prompt:
		return 0
	case abi.Resource:
		return 2
	}
	return 1
}

// resolveRef returns the compiled ProxyModel of a reference in a project.
func (p *Plan) resolveRef(o *object.Project, ref object.Ref, path, of string, kept *Kept) compiled {
	at := placeKey{string(o.Name()), of + path}
	m, ok := p.snap.ProxyModel(ref.Name)
	if ok {
		p.next.refs[at] = m.Name()
		return p.models[m.Name()]
	}
	e := o.Errorf(ref.At, path, "%q not found%s", ref.Name, p.nearestModel(string(ref.Name)))
	e.Cause = "looked in proxymodels/ and the built-ins: " + joinNames(p.snap.Names(object.KindProxyModel))
	e.Hint = "mcpctl get proxymodels"
	return p.recordBroken(p.replaceRef(at, ref, &BrokenError{KindName: "project", Name: string(o.Name()), Err: e}, kept))
}

// Model returns the ProxyModel for content without an override. Its controllers are
// those of the project's sessions.
//
// It returns *BrokenError if there is none.
func (p *Project) Model() (*Model, error) {
	if p.base.model == nil {
		return nil, p.base.err
	}
	return p.base.model, nil
}

// Resolve is Plan.Resolve for this project.
func (p *Project) Resolve(t abi.ContentType, source string) (*Model, error) {
	c := p.selectModel(t, source)
	if c.model == nil {
		return nil, c.err
	}
	return c.model.For(t), nil
}

func (p *Project) selectModel(t abi.ContentType, source string) compiled {
	r := &p.rules[indexOf(t)]
	if c, ok := r.exact[source]; ok {
		return c
	}
	if t == abi.Prompt { // the prompt of a server is server/name; an override may contain only the name
		if _, name, ok := strings.Cut(source, "/"); ok {
			if c, ok := r.exact[name]; ok {
				return c
			}
		}
	}
	for i := range r.globs {
		if glob.Match(r.globs[i].pattern, source) {
			return r.globs[i].compiled
		}
	}
	return p.base
}

// IsValid reports whether all ProxyModels that serve the project's content are valid.
func (p *Project) IsValid() bool {
	_, valid := p.models()
	return valid
}

// allModels returns the valid Models for the project's content, for each content type.
func (p *Project) allModels() []*Model {
	out, _ := p.models()
	return out
}

// models also reports whether all are valid.
func (p *Project) models() (out []*Model, valid bool) {
	valid = true
	add := func(c compiled, t abi.ContentType) {
		if c.model != nil {
			out = append(out, c.model.For(t))
		} else {
			valid = false
		}
	}
	for _, t := range contentTypes {
		r := p.rules[indexOf(t)]
		add(p.base, t)
		for _, c := range r.exact {
			add(c, t)
		}
		for _, g := range r.globs {
			add(g.compiled, t)
		}
	}
	return out, valid
}

// Filters returns the filters of all ProxyModels that serve the project's content.
func (p *Project) Filters() (list []Step) {
	for _, m := range p.allModels() {
		for _, s := range m.Steps {
			if s.Kind == abi.KindFilter {
				list = append(list, s)
			}
		}
	}
	return list
}

// CanSection reports whether any content of the project may come with sections.
func (p *Project) CanSection() bool { return slices.ContainsFunc(p.allModels(), (*Model).CanSection) }

// ReadsArguments reports whether any stage of the project reads the arguments of calls of
// tools.
func (p *Project) ReadsArguments() bool {
	return slices.ContainsFunc(p.allModels(), (*Model).ReadsArguments)
}

// Transforms reports whether any content of the project may be changed.
func (p *Project) Transforms() bool { return slices.ContainsFunc(p.allModels(), (*Model).Transforms) }
