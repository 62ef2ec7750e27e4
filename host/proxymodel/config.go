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

// compileConfig checks the config of an entry against the manifest of its role, fills in
// the defaults and prints it canonically. If the manifest has no list of config fields
// (nil, not empty), any config is valid.
func (c *compiler) compileConfig(e object.Entry, role abi.Role, path entryPath) []byte {
	fields := e.Config.Fields
	if role.Config != nil {
		fields = c.checkFields(e.Config, role, path.config)
	}
	out := []byte{'{'}
	for _, f := range sortFields(fields) {
		next, err := appendField(out, f)
		if err != nil {
			c.fail(f.Value.At, path.config+"."+f.Name, "is invalid: %s", strings.TrimPrefix(err.Error(), abi.ErrConfig.Error()+": "))
			continue
		}
		out = next
	}
	return append(out, '}')
}

// checkFields returns the checked fields, with defaults for absent ones. null selects
// the default, except for fields of type json.
func (c *compiler) checkFields(config strictyaml.Value, role abi.Role, path string) []strictyaml.Field {
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
			c.fail(config.At, path+"."+f.Name, "has a default in the manifest of %q that is not JSON: %v", role.Name, errors.Unwrap(err))
			continue
		}
		out = append(out, strictyaml.Field{Name: f.Name, Value: def})
	}
	c.failUnknownKeys(config, known, role.Name, path)
	return out
}

func (c *compiler) failUnknownKeys(config strictyaml.Value, known []string, role, path string) {
	for _, f := range config.Fields {
		if slices.Contains(known, f.Name) {
			continue
		}
		hint := ", known: " + joinNames(known)
		if len(known) == 0 {
			hint = ", it takes no config"
		}
		if n := suggest.Nearest(f.Name, known); n != "" {
			hint = fmt.Sprintf(", did you mean %q?", n)
		}
		c.fail(f.At, path+"."+f.Name, "is not a setting of %q%s", role, hint)
	}
}
