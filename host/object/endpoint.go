package object

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Endpoint is a Server with its references expanded, ready to connect to. All its
// values print as ***.
type Endpoint struct {
	Command []secret.Value
	Cwd     secret.Value // empty if not set
	Env     map[string]secret.Value
	URL     secret.Value
	Headers map[string]secret.Value
}

// Argv returns the command as the arguments of a process.
func (e Endpoint) Argv() []string {
	out := make([]string, len(e.Command))
	for i, c := range e.Command {
		out[i] = c.Reveal()
	}
	return out
}

// Resolve expands the references of a Server. It is called for each connection, so a
// changed variable takes effect at the next start of the server.
//
// It returns strictyaml.Errors with one error for each value whose variables are not set
// (secret.ErrVariable) or whose expanded text is invalid (abi.ErrConfig).
func (s *Server) Resolve(lookup secret.Lookup) (Endpoint, error) {
	r := resolver{server: s, lookup: lookup}
	var e Endpoint
	for i, t := range s.Spec.Command {
		e.Command = append(e.Command, r.expand(t, strictyaml.ItemPath("command", i)))
	}
	if !s.Spec.Cwd.IsZero() {
		e.Cwd = r.cwd()
	}
	if !s.Spec.URL.IsZero() {
		e.URL = r.expand(s.Spec.URL, "url")
		if why := URLFault(e.URL.Reveal()); why != "" && len(r.errs) == 0 {
			r.fail(s.Spec.URL.At, "url", "with its variables expanded "+why)
		}
	}
	e.Env = r.expandAll(s.Spec.Env, "env")
	e.Headers = r.expandAll(s.Spec.Headers, "headers")
	for name, v := range e.Headers {
		if strings.ContainsAny(v.Reveal(), "\r\n\x00") {
			r.fail(s.Spec.Headers[name].At, "headers."+name, "contains a line break")
		}
	}
	r.errs.Sort()
	return e, r.errs.Err()
}

// resolver expands the templates of one Server.
type resolver struct {
	server *Server
	lookup secret.Lookup
	errs   strictyaml.Errors
}

func (r *resolver) fail(at strictyaml.Position, path, message string) {
	r.errs = append(r.errs, r.server.Errorf(at, path, "%s", message))
}

func (r *resolver) expand(t secret.Template, path string) secret.Value {
	v, err := t.Expand(r.lookup)
	if err != nil {
		r.errs = append(r.errs, r.unsetError(t, path))
	}
	return v
}

func (r *resolver) expandAll(values map[string]secret.Template, path string) map[string]secret.Value {
	out := make(map[string]secret.Value, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out[name] = r.expand(values[name], path+"."+name)
	}
	return out
}

func (r *resolver) cwd() secret.Value {
	expanded := r.expand(r.server.Spec.Cwd, "cwd")
	if len(r.errs) > 0 {
		return expanded
	}
	dir, err := r.server.resolveCwd(expanded.Reveal())
	if err != nil {
		r.errs = append(r.errs, err)
	}
	return secret.New(dir)
}

// unsetError returns the error for a Template with variables that are not set.
func (r *resolver) unsetError(t secret.Template, path string) *strictyaml.FieldError {
	var missing []string
	for _, name := range t.Required() {
		if _, ok := r.lookup(name); !ok && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	e := r.server.Errorf(t.At, path, "needs %s, not set", strings.Join(missing, ", "))
	if slices.Equal(missing, []string{secret.ClientDirVariable}) {
		e.Message = "needs " + secret.ClientDirVariable + ", which only a client that starts mcpctl mcp has; write a default as ${" + secret.ClientDirVariable + ":-/dir}"
		return e
	}
	e.Cause = "looked in the daemon's environment and " + secret.FileName
	e.Hint = "mcpctl config set-secret " + missing[0]
	e.SetKind(secret.ErrVariable)
	return e
}
