package store

import (
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Dangling returns an error for each reference of a Project and each link of a Prompt
// whose target does not exist. Such an Object stays active, because the target may be
// added later.
func (s *Snapshot) Dangling() strictyaml.Errors {
	var errs strictyaml.Errors
	for _, o := range s.List(object.KindProject) {
		errs = append(errs, s.DanglingRefs(o.(*object.Project))...)
	}
	for _, o := range s.List(object.KindPrompt) {
		errs = append(errs, s.DanglingLink(o.(*object.Prompt))...)
	}
	return errs
}

// DanglingLink is Dangling for one Prompt. It does not check whether the server has the
// resource.
func (s *Snapshot) DanglingLink(p *object.Prompt) strictyaml.Errors {
	project, server, _, ok := p.Link()
	if !ok || s.IsTeam(p.Key()) { // the team server reads it, also from a project that is not visible here
		return nil
	}
	target, ok := s.Project(project)
	if !ok && s.team != nil { // the user is logged in to a team server
		e := p.Errorf(p.LinkAt(), "linkTarget", "project %q is not in a file, and not visible to you on the team server: mcpctl auth can-i view project %s", project, project)
		e.Cause = "to view it there needs a right, or it does not exist"
		return strictyaml.Errors{e}
	}
	if !ok {
		e := p.Errorf(p.LinkAt(), "linkTarget", "project %q not found%s", project, suggest.DidYouMean(string(project), s.Names(object.KindProject)))
		e.Hint = "mcpctl get projects"
		return strictyaml.Errors{e}
	}
	var names []string
	for _, ref := range target.Spec.Servers {
		if ref.Name == server {
			return nil
		}
		names = append(names, string(ref.Name))
	}
	e := p.Errorf(p.LinkAt(), "linkTarget", "project %q has no server %q%s", project, server, suggest.DidYouMean(string(server), names))
	e.Hint = "mcpctl describe project " + string(project)
	return strictyaml.Errors{e}
}

// DanglingRefs is Dangling for one Project.
func (s *Snapshot) DanglingRefs(p *object.Project) strictyaml.Errors {
	var errs strictyaml.Errors
	for _, ref := range p.ServerRefs() {
		switch _, ok := s.Server(ref.Name); {
		case ok:
		case s.IsTeam(p.Key()):
			errs = append(errs, invisibleError(p, ref))
		default:
			errs = append(errs, s.danglingError(p, ref, object.KindServer))
		}
	}
	for _, ref := range p.ModelRefs() {
		if _, ok := s.ProxyModel(ref.Name); !ok {
			errs = append(errs, s.danglingError(p, ref, object.KindProxyModel))
		}
	}
	return errs
}

// invisibleError is the error of a server that a project of the team server uses and that the
// team server does not show.
func invisibleError(p *object.Project, ref object.FieldRef) *strictyaml.FieldError {
	e := p.Errorf(ref.At, ref.Path, "%q is not visible to you on the team server, so you have no right to run it, or it does not exist: mcpctl auth can-i run server %s --project %s",
		ref.Name, ref.Name, p.Name())
	e.Cause = "sessions of the project do not have its tools"
	return e
}

func (s *Snapshot) danglingError(p *object.Project, ref object.FieldRef, kind object.Kind) *strictyaml.FieldError {
	e := p.Errorf(ref.At, ref.Path, "%q not found%s", ref.Name, suggest.DidYouMean(string(ref.Name), s.Names(kind)))
	e.Cause = "looked in " + kind.Dir() + "/"
	if kind == object.KindProxyModel {
		e.Cause += " and the built-ins"
		e.Hint = "mcpctl get proxymodels"
	} else {
		e.Hint = "mcpctl get servers"
	}
	return e
}
