package object

import (
	"maps"
	"slices"
	"strings"
)

// Endpoint is a Server with its references filled in: what is needed to reach
// it. Everything in it prints as ***.
type Endpoint struct {
	Command []Secret
	Cwd     Secret // empty: the server has none
	Env     map[string]Secret
	URL     Secret
	Headers map[string]Secret
}

// Resolve fills in the references of a Server. It is called at each use, so a
// changed variable counts at the next start of the server.
//
// Errors: Errors with one entry for each value whose variables are not set
// (ErrVariable) or whose filled-in text is of no use (abi.ErrConfig).
func (s *Server) Resolve(lookup Lookup) (Endpoint, error) {
	var errs Errors
	expand := func(t Template, path string) Secret {
		v, err := t.Expand(lookup)
		if err != nil {
			errs = append(errs, s.unset(t, path, lookup))
		}
		return v
	}
	var e Endpoint
	for i, t := range s.Spec.Command {
		e.Command = append(e.Command, expand(t, at("command", i)))
	}
	if !s.Spec.Cwd.IsZero() {
		e.Cwd = expand(s.Spec.Cwd, "cwd")
		if len(errs) == 0 {
			dir, err := s.resolveCwd(e.Cwd.Reveal())
			if err != nil {
				errs = append(errs, err)
			}
			e.Cwd = NewSecret(dir)
		}
	}
	if !s.Spec.URL.IsZero() {
		e.URL = expand(s.Spec.URL, "url")
		if why := urlFault(e.URL.Reveal()); why != "" && len(errs) == 0 {
			errs = append(errs, s.Errorf(s.Spec.URL.At, "url", "with its variables filled in %s", why))
		}
	}
	all := func(m map[string]Template, path string) map[string]Secret {
		out := make(map[string]Secret, len(m))
		for _, name := range slices.Sorted(maps.Keys(m)) {
			out[name] = expand(m[name], path+"."+name)
		}
		return out
	}
	e.Env = all(s.Spec.Env, "env")
	e.Headers = all(s.Spec.Headers, "headers")
	for name, v := range e.Headers {
		if strings.ContainsAny(v.Reveal(), "\r\n\x00") {
			errs = append(errs, s.Errorf(s.Spec.Headers[name].At, "headers."+name, "holds a line break"))
		}
	}
	errs.Sort()
	return e, errs.Err()
}

// unset is the error of a Template with variables that are not set.
func (s *Server) unset(t Template, path string, lookup Lookup) *FieldError {
	var missing []string
	for _, name := range t.Required() {
		if _, ok := lookup(name); !ok && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	e := s.Errorf(t.At, path, "needs %s, not set", strings.Join(missing, ", "))
	if slices.Equal(missing, []string{ClientDirVariable}) {
		e.Message = "needs " + ClientDirVariable + ", which only a client that starts mcpctl mcp has; a default is written ${" + ClientDirVariable + ":-/dir}"
		return e
	}
	e.Cause = "looked in the daemon's environment and " + SecretsFile
	e.Hint = "mcpctl config set-secret " + missing[0]
	e.kind = ErrVariable
	return e
}

// Argv returns the command as the strings that a process gets.
func (e Endpoint) Argv() []string {
	out := make([]string, len(e.Command))
	for i, c := range e.Command {
		out[i] = c.Reveal()
	}
	return out
}
