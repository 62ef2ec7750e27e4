package object

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/host/credential"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// ClientEntry returns the Server as an entry of a client's configuration file, for
// projects whose client starts the servers itself. References are kept, because the
// client expands them.
func (s *Server) ClientEntry() (json.RawMessage, error) {
	var b strictyaml.Builder
	if !s.Spec.URL.IsZero() {
		b = b.Add("type", strictyaml.NewText("http")).Add("url", strictyaml.NewText(s.Spec.URL.Source()))
		b = b.AddIf(len(s.Spec.Headers) > 0, "headers", unmasked.mapping(s.Spec.Headers))
		return b.Value().MarshalJSON()
	}
	command := sourceArguments(s.Spec.Command)
	b = b.Add("type", strictyaml.NewText("stdio")).Add("command", strictyaml.NewText(command[0]))
	b = b.Add("args", strictyaml.NewTexts(command[1:]))
	b = b.AddIf(!s.Spec.Cwd.IsZero(), "cwd", strictyaml.NewText(s.Spec.Cwd.Source()))
	b = b.AddIf(len(s.Spec.Env) > 0, "env", unmasked.mapping(s.Spec.Env))
	return b.Value().MarshalJSON()
}

// Variables returns the variables that a Server refers to, sorted, without duplicates.
func (s *Server) Variables() []string {
	return s.collectVariables(secret.Template.Variables)
}

// RequiredVariables returns the variables that a Server refers to without a default,
// sorted, without duplicates.
func (s *Server) RequiredVariables() []string {
	return s.collectVariables(secret.Template.Required)
}

func (s *Server) collectVariables(variables func(secret.Template) []string) []string {
	var names []string
	for _, f := range s.templates() {
		names = append(names, variables(f.value)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// PlainCredentials returns the fields that contain a possible credential in clear text
// where a reference could be used: env.TOKEN, command[3]. The default of a reference
// is clear text too.
func (s *Server) PlainCredentials() []string {
	var fields []string
	args := make([]string, len(s.Spec.Command))
	for i, t := range s.Spec.Command {
		args[i] = t.WithDefaults()
	}
	for _, c := range credential.Find(args...) {
		fields = append(fields, strictyaml.ItemPath("command", c.Arg))
	}
	for _, f := range s.templates() {
		text := f.value.WithDefaults()
		named := credential.IsName(f.name) && text != "" && len(f.value.Required()) == 0
		if named || f.name != "" && len(credential.Find(text)) > 0 {
			fields = append(fields, f.path)
		}
	}
	return slices.Compact(fields)
}

// templateField is one Template of a Server. name is the variable or header that the
// value belongs to, or "" for an argument.
type templateField struct {
	path, name string
	value      secret.Template
}

func (s *Server) templates() []templateField {
	var list []templateField
	for i, t := range s.Spec.Command {
		list = append(list, templateField{strictyaml.ItemPath("command", i), "", t})
	}
	if !s.Spec.Cwd.IsZero() {
		list = append(list, templateField{"cwd", "cwd", s.Spec.Cwd})
	}
	if !s.Spec.URL.IsZero() {
		list = append(list, templateField{"url", "url", s.Spec.URL})
	}
	for field, values := range map[string]map[string]secret.Template{"env": s.Spec.Env, "headers": s.Spec.Headers} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			list = append(list, templateField{field + "." + name, name, values[name]})
		}
	}
	return list
}
