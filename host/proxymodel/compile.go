package proxymodel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Compile checks a ProxyModel and prepares it for use.
//
// It returns strictyaml.Errors with all errors of the ProxyModel.
func Compile(m *object.ProxyModel, roles Roles) (*Model, error) {
	c := compiler{model: m, roles: roles}
	out := &Model{Name: string(m.Name()), BuiltIn: m.IsBuiltIn(), Cacheable: m.Spec.Cacheable, appliesTo: m.Spec.AppliesTo}
	for i, e := range m.Spec.Controllers {
		if s, ok := c.compileController(e, controllerPath(m, i)); ok {
			out.Controllers = append(out.Controllers, s)
		}
	}
	for i, e := range m.Spec.Stages {
		out.Steps = append(out.Steps, c.compileStage(e, entryPath{fmt.Sprintf("stages[%d].type", i), fmt.Sprintf("stages[%d].config", i)}))
	}
	c.checkFilterOrder(out.Steps)
	if len(c.errs) > 0 {
		c.errs.Sort()
		return nil, c.errs
	}
	return out.finish(), nil
}

// Validate returns all errors of a ProxyModel: roles that do not exist or are in the
// wrong place, and invalid config.
func Validate(m *object.ProxyModel, roles Roles) strictyaml.Errors {
	_, err := Compile(m, roles)
	errs, _ := err.(strictyaml.Errors)
	return errs
}

// compiler collects the errors of one ProxyModel.
type compiler struct {
	model *object.ProxyModel
	roles Roles
	errs  strictyaml.Errors
}

func (c *compiler) fail(at strictyaml.Position, path, format string, args ...any) *strictyaml.FieldError {
	if c.errs.Full() {
		return &strictyaml.FieldError{} // not reported, but the caller may write to it
	}
	e := c.model.Errorf(at, path, format, args...)
	c.errs = append(c.errs, e)
	return e
}

// entryPath is the paths of the two parts of an entry in errors.
type entryPath struct{ typ, config string }

// controllerPath returns the paths of a controller for the form that the file uses.
func controllerPath(m *object.ProxyModel, i int) entryPath {
	if len(m.Spec.Controllers) == 1 && m.Spec.Controllers[0].At == m.Spec.Controllers[0].Type.At {
		return entryPath{"controller", "controllerConfig"}
	}
	return entryPath{fmt.Sprintf("controller[%d].type", i), fmt.Sprintf("controller[%d].config", i)}
}

// compileController returns the Step of a controller. It reports false if there is no
// such controller.
func (c *compiler) compileController(e object.Entry, path entryPath) (Step, bool) {
	name := string(e.Type.Name)
	if e.OnFailure == object.OnFailurePlaceholder {
		c.fail(e.At, path.typ, "%q has onFailure placeholder, a controller allows pass or block", name)
	}
	role, ok := c.roles.Role(name)
	switch {
	case !ok:
		c.failUnknownRole(e, path, abi.KindController)
		return Step{}, false
	case role.Kind != abi.KindController:
		c.fail(e.Type.At, path.typ, "%q is a %s, it belongs in stages", name, role.Kind)
		return Step{}, false
	}
	return c.newStep(e, role, path), true
}

func (c *compiler) compileStage(e object.Entry, path entryPath) Step {
	name := string(e.Type.Name)
	role, ok := c.roles.Role(name)
	switch {
	case !ok:
		c.failUnknownRole(e, path, "")
		return Step{}
	case role.Kind == abi.KindController:
		c.fail(e.Type.At, path.typ, "%q is a controller, name it under controller", name)
		return Step{}
	}
	if role.Kind == abi.KindFilter && e.OnFailure == object.OnFailurePlaceholder {
		c.fail(e.At, path.typ, "%q is a filter: a placeholder would name the content that it should have redacted, want block or pass", name)
	}
	return c.newStep(e, role, path)
}

// newStep returns the Step of an entry with a known role.
func (c *compiler) newStep(e object.Entry, role abi.Role, path entryPath) Step {
	s := Step{Type: role.Name, Kind: role.Kind, OnFailure: e.OnFailure, Limits: e.Limits,
		Transforms: role.Kind != abi.KindController && role.Transforming(), Arguments: role.ReadsArguments(), LLM: cmp.Or(role.LLM, abi.LLMNone),
		Hooks: role.Hooks, GatedOnly: role.GatedOnly}
	if s.OnFailure == "" {
		s.OnFailure = object.OnFailurePass
		if role.Kind == abi.KindFilter {
			s.OnFailure = object.OnFailureBlock
		}
	}
	s.Config = c.compileConfig(e, role, path)
	return s
}

// failUnknownRole reports a role that does not exist or has a rejected module. It
// suggests only controllers for a controller, and only other roles for a stage.
func (c *compiler) failUnknownRole(e object.Entry, path entryPath, kind abi.RoleKind) {
	if a, ok := c.roles.(Absences); ok && a.Absent(string(e.Type.Name)) != "" {
		err := c.fail(e.Type.At, path.typ, "%q does not serve: %s", e.Type.Name, a.Absent(string(e.Type.Name)))
		err.Hint = "mcpctl describe stage " + string(e.Type.Name)
		return
	}
	var names []string
	for _, n := range c.roles.Names() {
		if r, ok := c.roles.Role(n); ok && (r.Kind == abi.KindController) == (kind == abi.KindController) {
			names = append(names, n)
		}
	}
	if kind == abi.KindController {
		names = append(names, "none")
	}
	slices.Sort(names)
	hint := ""
	if n := suggest.Nearest(string(e.Type.Name), names); n != "" {
		hint = fmt.Sprintf(", did you mean %q?", n)
	}
	err := c.fail(e.Type.At, path.typ, "%q not found%s", e.Type.Name, hint)
	err.Cause = "looked in stages/ and the built-ins: " + joinNames(names)
	err.Hint = "mcpctl get stages"
}

// maxNames is the maximum number of names that an error lists.
const maxNames = 12

func joinNames(names []string) string {
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > maxNames:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
	}
	return strings.Join(names, ", ")
}

// checkFilterOrder reports each filter after a stage: content that a stage has put into
// a section would reach the client unredacted.
func (c *compiler) checkFilterOrder(steps []Step) {
	stage := ""
	for i, s := range steps {
		switch {
		case s.Kind == abi.KindStage && stage == "":
			stage = s.Type
		case s.Kind == abi.KindFilter && stage != "":
			c.fail(c.model.Spec.Stages[i].Type.At, fmt.Sprintf("stages[%d].type", i),
				"%q is a filter after the stage %q, filters come first", s.Type, stage)
		}
	}
}
