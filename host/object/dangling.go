package object

// fieldRef is a Ref and the field of its Project that holds it.
type fieldRef struct {
	Ref
	path string
}

func (p *Project) serverRefs() []fieldRef {
	var refs []fieldRef
	for i, r := range p.Spec.Servers {
		refs = append(refs, fieldRef{r, at("servers", i)})
	}
	return refs
}

// modelRefs are all places of a Project that name a ProxyModel.
func (p *Project) modelRefs() []fieldRef {
	refs := []fieldRef{{p.Spec.ProxyModel, "proxyModel"}}
	for _, list := range []struct {
		of   string
		rows []Override
	}{{"prompts", p.Spec.Overrides.Prompts}, {"toolResults", p.Spec.Overrides.ToolResults}, {"resources", p.Spec.Overrides.Resources}} {
		for _, o := range list.rows {
			refs = append(refs, fieldRef{o.Model, "proxyModelOverrides." + list.of + "." + clip(o.Pattern, 80)})
		}
	}
	return refs
}

// Dangling returns the references of Projects and the links of Prompts that lead
// nowhere. Such an Object stays active: what it names may come with the next file.
func (s *Snapshot) Dangling() Errors {
	var errs Errors
	for _, o := range s.List(KindProject) {
		errs = append(errs, s.DanglingOf(o.(*Project))...)
	}
	for _, o := range s.List(KindPrompt) {
		errs = append(errs, s.DanglingLink(o.(*Prompt))...)
	}
	return errs
}

// DanglingLink is Dangling for one Prompt. Whether the server has the resource is
// not known here.
func (s *Snapshot) DanglingLink(p *Prompt) Errors {
	project, server, _, ok := p.Link()
	if !ok {
		return nil
	}
	at := p.src.find(p.at, p.Spec.LinkTarget)
	target, ok := s.Project(project)
	if !ok {
		e := p.Errorf(at, "linkTarget", "project %q not found%s", project, didYouMean(string(project), s.Names(KindProject)))
		e.Hint = "mcpctl get projects"
		return Errors{e}
	}
	var names []string
	for _, ref := range target.Spec.Servers {
		if ref.Name == server {
			return nil
		}
		names = append(names, string(ref.Name))
	}
	e := p.Errorf(at, "linkTarget", "project %q has no server %q%s", project, server, didYouMean(string(server), names))
	e.Hint = "mcpctl describe project " + string(project)
	return Errors{e}
}

// DanglingOf is Dangling for one Project.
func (s *Snapshot) DanglingOf(p *Project) Errors {
	var errs Errors
	for _, ref := range p.serverRefs() {
		if _, ok := s.Server(ref.Name); !ok {
			errs = append(errs, s.dangling(p, ref, KindServer))
		}
	}
	for _, ref := range p.modelRefs() {
		if _, ok := s.ProxyModel(ref.Name); !ok {
			errs = append(errs, s.dangling(p, ref, KindProxyModel))
		}
	}
	return errs
}

func (s *Snapshot) dangling(p *Project, ref fieldRef, kind Kind) *FieldError {
	names := s.Names(kind)
	e := p.Errorf(ref.At, ref.path, "%q not found%s", ref.Name, didYouMean(string(ref.Name), names))
	e.Cause = "looked in " + kind.Folder() + "/"
	if kind == KindProxyModel {
		e.Cause += " and the built-ins"
		e.Hint = "mcpctl get proxymodels"
	} else {
		e.Hint = "mcpctl get servers"
	}
	return e
}

// EachModel calls yield with the names of the ProxyModels that a Project uses,
// and with the error of a place that names one.
func (p *Project) EachModel(yield func(name Name, errorf func(format string, args ...any) *FieldError)) {
	for _, ref := range p.modelRefs() {
		yield(ref.Name, func(format string, args ...any) *FieldError { return p.Errorf(ref.At, ref.path, format, args...) })
	}
}
