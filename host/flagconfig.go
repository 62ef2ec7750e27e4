package host

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxymodel"
)

// flagConfig makes the config of a role from key=value pairs: checked, defaults
// filled in, canonical. It goes the way of a proxymodel with this one stage, so
// that both say the same about a mistake.
func flagConfig(role abi.Role, pairs map[string]string) ([]byte, error) {
	config := make(map[string]any, len(pairs))
	for key, value := range pairs {
		config[key] = flagValue(role, key, value)
	}
	doc, err := json.Marshal(map[string]any{"kind": "ProxyModel", "metadata": map[string]any{"name": "lab"},
		"spec": map[string]any{"controller": "none", "stages": []any{map[string]any{"type": role.Name, "config": config}}}})
	if err != nil {
		return nil, err
	}
	objects, _, err := object.Decode("", doc)
	if err != nil {
		return nil, err
	}
	model, err := proxymodel.Compile(objects[0].(*object.ProxyModel), roleTable{role.Name: role})
	if err != nil {
		return nil, err
	}
	if len(model.Steps) != 1 {
		return nil, fmt.Errorf("%w: %q is a %s, want a stage or filter", abi.ErrConfig, role.Name, role.Kind)
	}
	return model.Steps[0].Config, nil
}

// flagValue reads a value as the manifest's type of its key wants it.
func flagValue(role abi.Role, key, value string) any {
	for _, f := range role.Config {
		if f.Name != key {
			continue
		}
		switch f.Type {
		case "string", "enum":
			return value
		case "strings":
			return strings.Split(value, ",")
		}
	}
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	return value
}
