package lab

import (
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxymodel"
)

// Config returns the config of a role for the given keys: checked, with defaults,
// in canonical JSON. It compiles a proxymodel with this one role, so the errors are
// those of proxymodels.
//
// Errors: strictyaml.Errors.
func Config(role abi.Role, keys map[string]json.RawMessage) ([]byte, error) {
	if keys == nil {
		keys = map[string]json.RawMessage{}
	}
	entry := []any{map[string]any{"type": role.Name, "config": keys}}
	spec := map[string]any{"controller": "none", "stages": entry}
	if role.Kind == abi.KindController {
		spec = map[string]any{"controller": entry, "stages": []any{}}
	}
	doc, err := json.Marshal(map[string]any{"kind": "ProxyModel", "metadata": map[string]any{"name": "lab"}, "spec": spec})
	if err != nil {
		return nil, fmt.Errorf("%w: %v", abi.ErrConfig, err)
	}
	objects, _, err := object.Decode("", doc)
	if err != nil {
		return nil, err
	}
	model, err := proxymodel.Compile(objects[0].(*object.ProxyModel), only{role})
	if err != nil {
		return nil, err
	}
	if role.Kind == abi.KindController {
		return model.Controllers[0].Config, nil
	}
	return model.Steps[0].Config, nil
}

// only implements proxymodel.Roles with one role.
type only struct{ role abi.Role }

// Role implements proxymodel.Roles.
func (o only) Role(name string) (abi.Role, bool) { return o.role, name == o.role.Name }

// Names implements proxymodel.Roles.
func (o only) Names() []string { return []string{o.role.Name} }
