package lab

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// configFromFlags returns the config of a role from key=value pairs: checked, with
// defaults, in canonical JSON.
func configFromFlags(role abi.Role, pairs map[string]string) ([]byte, error) {
	if role.Kind == abi.KindController {
		return nil, fmt.Errorf("%w: %q is a %s, want a stage or filter", abi.ErrConfig, role.Name, role.Kind)
	}
	return Config(role, FlagConfig(role, pairs))
}

// FlagConfig converts key=value pairs to the types that the manifest of a role declares.
// It checks nothing.
func FlagConfig(role abi.Role, pairs map[string]string) map[string]json.RawMessage {
	config := make(map[string]json.RawMessage, len(pairs))
	for key, value := range pairs {
		config[key] = convertFlag(role, key, value)
	}
	return config
}

// convertFlag converts a value to the declared type of its key.
func convertFlag(role abi.Role, key, value string) json.RawMessage {
	for _, f := range role.Config {
		if f.Name != key {
			continue
		}
		switch f.Type {
		case "string", "enum":
			return encode(value)
		case "strings":
			return encode(strings.Split(value, ","))
		}
	}
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	return encode(value)
}

// encode returns a string or a list of strings as JSON.
func encode(v any) json.RawMessage {
	b, _ := json.Marshal(v) // always encodes
	return b
}
