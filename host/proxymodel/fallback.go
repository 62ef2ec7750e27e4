package proxymodel

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// fallbackStage is the stage that indexes answers above the limit of a project that the
// project's own stages have not indexed.
const fallbackStage = "section-split"

// Fallback returns the step that indexes content which no stage of its ProxyModel has
// indexed. ok is false if no module has its role.
func (p *Plan) Fallback() (step Step, ok bool) { return p.fallback, p.fallback.Type != "" }

// compileFallback returns the step for Fallback with its default config, without a size
// below which it passes content; the zero Step if there is none.
func compileFallback(roles Roles) Step {
	role, ok := roles.Role(fallbackStage)
	if !ok || role.Kind != abi.KindStage {
		return Step{}
	}
	e := object.Entry{Type: object.Ref{Name: fallbackStage}}
	if slices.ContainsFunc(role.Config, func(f abi.ConfigField) bool { return f.Name == "minSize" }) {
		e.Config = strictyaml.Builder{}.Add("minSize", strictyaml.NewInt(0)).Value()
	}
	c := compiler{model: &object.ProxyModel{}, roles: roles}
	step := c.newStep(e, role, entryPath{"type", "config"})
	if len(c.errs) > 0 {
		return Step{} // a local module of this name has a config without defaults
	}
	return step
}
