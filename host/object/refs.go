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

// readRefs reads a list of names without duplicates.
func readRefs(m *strictyaml.Mapping, field string) []Ref {
	var out []Ref
	seen := make(map[Name]bool)
	for i, item := range m.List(field) {
		path := strictyaml.ItemPath(field, i)
		name := ReadName(m, item, path)
		if name == "" {
			continue
		}
		if seen[name] {
			m.Fail(item.At, path, "%q is written twice", name)
			continue
		}
		seen[name] = true
		out = append(out, Ref{name, item.At})
	}
	return out
}

// newNames returns the list of the names.
func newNames(refs []Ref) strictyaml.Value {
	names := make([]string, len(refs))
	for i, ref := range refs {
		names[i] = string(ref.Name)
	}
	return strictyaml.NewTexts(names)
}

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
