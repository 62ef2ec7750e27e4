package secret

import (
	"strings"

	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// ReadTemplate reads a value that may contain credentials, so its errors never show it.
// Numbers and booleans are read as the text in the file. path is relative to m.
func ReadTemplate(m *strictyaml.Mapping, v strictyaml.Value, path string) (Template, bool) {
	if v.Type != strictyaml.String && v.Type != strictyaml.Number && v.Type != strictyaml.Bool {
		m.Fail(v.At, m.Path(path), "is %s, want a string", v.Type.WithArticle())
		return Template{}, false
	}
	_, why := splitTemplate(v.Text)
	if why == "" && strings.ContainsRune(v.Text, 0) {
		why = "contains a NUL character"
	}
	if why != "" {
		m.Fail(v.At, m.Path(path), "%s", why)
		return Template{}, false
	}
	return Template{raw: &v.Text, At: v.At}, true
}

// ReadTemplates reads a mapping of names to templates. A name that is not valid is an
// error with the text fault.
func ReadTemplates(m *strictyaml.Mapping, name string, valid func(string) bool, fault string) map[string]Template {
	v, ok := m.Get(name)
	if !ok || !m.HasType(v, name, strictyaml.Map) || len(v.Fields) == 0 {
		return nil
	}
	out := make(map[string]Template, len(v.Fields))
	for _, field := range v.Fields {
		path := name + "." + strictyaml.Clip(field.Name, 80)
		if !valid(field.Name) {
			m.Fail(field.At, m.Path(path), "%s", fault)
			continue
		}
		if t, ok := ReadTemplate(m, field.Value, path); ok {
			out[field.Name] = t
		}
	}
	return out
}
