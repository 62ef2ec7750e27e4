package object

import (
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Ref is the name of another Object and the position at which it was read.
type Ref struct {
	Name Name
	At   strictyaml.Position
}

// MarshalText returns the name.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.Name), nil }

// FieldRef is a Ref with the path of its field in a Project.
type FieldRef struct {
	Ref
	Path string
}

// ServerRefs returns the references to Servers.
func (p *Project) ServerRefs() []FieldRef {
	var refs []FieldRef
	for i, r := range p.Spec.Servers {
		refs = append(refs, FieldRef{r, strictyaml.ItemPath("servers", i)})
	}
	return refs
}

// ModelRefs returns the references to ProxyModels.
func (p *Project) ModelRefs() []FieldRef {
	refs := []FieldRef{{p.Spec.ProxyModel, "proxyModel"}}
	for _, list := range []struct {
		field     string
		overrides []Override
	}{{"prompts", p.Spec.Overrides.Prompts}, {"toolResults", p.Spec.Overrides.ToolResults}, {"resources", p.Spec.Overrides.Resources}} {
		for _, o := range list.overrides {
			refs = append(refs, FieldRef{o.Model, "proxyModelOverrides." + list.field + "." + strictyaml.Clip(o.Pattern, 80)})
		}
	}
	return refs
}
