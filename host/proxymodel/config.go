package proxymodel

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/manifest"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// config checks the config of an entry against its role's manifest, fills in the
// defaults and prints it canonically. A role whose manifest lists no config
// field at all (nil, not empty) takes any.
func (c *compiler) config(e object.Entry, role abi.Role, path entryPath) []byte {
	fields := e.Config.Fields
	if role.Config != nil {
		fields = c.fill(e.Config, role, path.config)
	}
	out := []byte{'{'}
	for _, f := range sorted(fields) {
		next, err := appendField(out, f)
		if err != nil {
			c.fail(f.Value.At, path.config+"."+f.Name, "cannot be carried: %s", strings.TrimPrefix(err.Error(), abi.ErrConfig.Error()+": "))
			continue
		}
		out = next
	}
	return append(out, '}')
}

// fill returns the checked fields with the defaults of those that are absent.
// null stands for the default, where the field is not JSON itself.
func (c *compiler) fill(config strictyaml.Value, role abi.Role, path string) []strictyaml.Field {
	var out []strictyaml.Field
	known := make([]string, 0, len(role.Config))
	for _, f := range role.Config {
		known = append(known, f.Name)
		v, given := config.Lookup(f.Name)
		if given && (v.Type != strictyaml.Null || f.Type == "json") {
			if why := manifest.ConfigFault(f, v); why != "" {
				c.fail(v.At, path+"."+f.Name, "%s", why)
			}
			out = append(out, strictyaml.Field{Name: f.Name, Value: v})
			continue
		}
		if len(f.Default) == 0 {
			continue
		}
		def, err := strictyaml.ParseJSON(f.Default)
		if err != nil {
			c.fail(config.At, path+"."+f.Name, "has a default in the manifest of %q that is no JSON: %v", role.Name, errors.Unwrap(err))
			continue
		}
		out = append(out, strictyaml.Field{Name: f.Name, Value: def})
	}
	c.unknownKeys(config, known, role.Name, path)
	return out
}

func (c *compiler) unknownKeys(config strictyaml.Value, known []string, role, path string) {
	for _, f := range config.Fields {
		if slices.Contains(known, f.Name) {
			continue
		}
		hint := ", known: " + listed(known)
		if len(known) == 0 {
			hint = ", it takes no config"
		}
		if n := suggest.Nearest(f.Name, known); n != "" {
			hint = fmt.Sprintf(", did you mean %q?", n)
		}
		c.fail(f.At, path+"."+f.Name, "is not a setting of %q%s", role, hint)
	}
}
