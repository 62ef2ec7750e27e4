package host

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/trial"
)

// flagConfig makes the config of a role from key=value pairs: checked, defaults
// filled in, canonical.
func flagConfig(role abi.Role, pairs map[string]string) ([]byte, error) {
	if role.Kind == abi.KindController {
		return nil, fmt.Errorf("%w: %q is a %s, want a stage or filter", abi.ErrConfig, role.Name, role.Kind)
	}
	return trial.Config(role, FlagConfig(role, pairs))
}

// FlagConfig reads values as the manifest of a role wants its keys; nothing is checked.
func FlagConfig(role abi.Role, pairs map[string]string) map[string]json.RawMessage {
	config := make(map[string]json.RawMessage, len(pairs))
	for key, value := range pairs {
		config[key] = flagValue(role, key, value)
	}
	return config
}

// flagValue reads a value as the manifest's type of its key wants it.
func flagValue(role abi.Role, key, value string) json.RawMessage {
	for _, f := range role.Config {
		if f.Name != key {
			continue
		}
		switch f.Type {
		case "string", "enum":
			return quoted(value)
		case "strings":
			return quoted(strings.Split(value, ","))
		}
	}
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	return quoted(value)
}

// quoted is a string, or a list of some, as JSON.
func quoted(v any) json.RawMessage {
	b, _ := json.Marshal(v) // always encodes
	return b
}
