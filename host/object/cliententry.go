package object

import (
	"encoding/json"
	"maps"
	"slices"
)

// ClientEntry is the Server as an entry of a client's configuration file, for
// projects whose client starts the servers itself. References stay references:
// the client fills them in.
func (s *Server) ClientEntry() (json.RawMessage, error) {
	var p pairs
	if !s.Spec.URL.IsZero() {
		p = p.add("type", text("http")).add("url", text(s.Spec.URL.source()))
		p = p.addIf(len(s.Spec.Headers) > 0, "headers", templateMap(s.Spec.Headers, asWritten))
		return p.value().MarshalJSON()
	}
	p = p.add("type", text("stdio")).add("command", text(s.Spec.Command[0].source()))
	p = p.add("args", strs(asWritten.arguments(s.Spec.Command[1:])))
	p = p.addIf(!s.Spec.Cwd.IsZero(), "cwd", text(s.Spec.Cwd.source()))
	p = p.addIf(len(s.Spec.Env) > 0, "env", templateMap(s.Spec.Env, asWritten))
	return p.value().MarshalJSON()
}

// Variables are the references of a Server, sorted, each once.
func (s *Server) Variables() []string {
	names := make(map[string]bool)
	for _, part := range s.templates() {
		for _, name := range part.value.Variables() {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// RequiredVariables are the references of a Server without a default, sorted, each once.
func (s *Server) RequiredVariables() []string {
	var names []string
	for _, part := range s.templates() {
		names = append(names, part.value.Required()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// PlainCredentials are the fields that hold what looks like a credential in clear,
// where a reference could stand: env.TOKEN, command[3]. The default of a reference is in
// clear too.
func (s *Server) PlainCredentials() []string {
	var fields []string
	args := make([]string, len(s.Spec.Command))
	for i, t := range s.Spec.Command {
		args[i] = t.withDefaults()
	}
	for _, c := range Credentials(args...) {
		fields = append(fields, at("command", c.Arg))
	}
	for _, part := range s.templates() {
		text := part.value.withDefaults()
		named := IsCredentialName(part.name) && text != "" && len(part.value.Required()) == 0
		if named || part.name != "" && len(Credentials(text)) > 0 {
			fields = append(fields, part.path)
		}
	}
	return slices.Compact(fields)
}

// part is one Template of a Server. Its name is what a value is called: a variable
// or a header; "" for an argument.
type part struct {
	path, name string
	value      Template
}

func (s *Server) templates() []part {
	var list []part
	for i, t := range s.Spec.Command {
		list = append(list, part{at("command", i), "", t})
	}
	if !s.Spec.Cwd.IsZero() {
		list = append(list, part{"cwd", "cwd", s.Spec.Cwd})
	}
	if !s.Spec.URL.IsZero() {
		list = append(list, part{"url", "url", s.Spec.URL})
	}
	for field, values := range map[string]map[string]Template{"env": s.Spec.Env, "headers": s.Spec.Headers} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			list = append(list, part{field + "." + name, name, values[name]})
		}
	}
	return list
}
