package object

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/host/credential"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Unmask replaces each *** of a Server by the text that stored has there, so that the
// output of `get -o yaml` can be applied. A *** without a stored text is an error. stored
// may be nil. Objects of other Kinds are returned unchanged.
func Unmask(o, stored Object) (Object, strictyaml.Errors) {
	s, ok := o.(*Server)
	if !ok || !s.containsMask() {
		return o, nil
	}
	before, _ := stored.(*Server)
	if before == nil {
		before = &Server{}
	}
	u := unmasker{server: s}
	restored := *s
	restored.text = nil
	restored.Spec.URL = u.template("url", s.Spec.URL, before.Spec.URL, masked.url)
	restored.Spec.Command = u.arguments(s.Spec.Command, before.Spec.Command)
	restored.Spec.Cwd = u.template("cwd", s.Spec.Cwd, before.Spec.Cwd, masked.argument)
	restored.Spec.Env = u.mapping("env", s.Spec.Env, before.Spec.Env)
	restored.Spec.Headers = u.mapping("headers", s.Spec.Headers, before.Spec.Headers)
	return &restored, u.errs
}

// CheckMovedCredentials returns an error for each *** in the headers of a Server whose URL
// leads to another place than that of stored. Unmask would send the stored header there:
// to whoever may edit the Server, but may not see its credentials. stored may be nil.
func CheckMovedCredentials(o, stored Object) (errs strictyaml.Errors) {
	s, isServer := o.(*Server)
	before, wasServer := stored.(*Server)
	if !isServer || !wasServer || place(s) == place(before) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Spec.Headers)) {
		if t := s.Spec.Headers[name]; isMasked(t) {
			e := s.Errorf(t.At, "headers."+name, "is %s, and the url is changed; write the value or ${VAR}", credential.Mask)
			e.Cause = "the stored value belongs to the server of the stored url"
			errs = append(errs, e)
		}
	}
	return errs
}

// place returns the part of a Server's URL that decides who gets its headers. The query is
// masked in manifests.
func place(s *Server) string {
	address, _, _ := strings.Cut(s.Spec.URL.Source(), "?")
	return address
}

func (s *Server) containsMask() bool {
	return slices.ContainsFunc(s.templates(), func(f templateField) bool { return isMasked(f.value) })
}

func isMasked(t secret.Template) bool { return strings.Contains(t.Source(), credential.Mask) }

// unmasker restores the templates of one Server.
type unmasker struct {
	server *Server
	errs   strictyaml.Errors
}

// fail adds the error for a *** without a stored text.
func (u *unmasker) fail(at strictyaml.Position, path string) {
	u.errs = append(u.errs, u.server.Errorf(at, path, "is %s, which is a placeholder for a stored value; write the value or ${VAR}", credential.Mask))
}

// template restores one template; print is the function that masked it.
func (u *unmasker) template(path string, now, before secret.Template, print func(secret.Template) string) secret.Template {
	if !isMasked(now) {
		return now
	}
	if print(before) != now.Source() {
		u.fail(now.At, path)
	}
	return before
}

func (u *unmasker) mapping(path string, now, before map[string]secret.Template) map[string]secret.Template {
	out := maps.Clone(now)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		out[name] = u.template(path+"."+name, now[name], before[name], masked.template)
	}
	return out
}

// arguments restores each argument from a stored one that prints the same and follows the
// same argument. The position alone could give the value of one flag to another.
func (u *unmasker) arguments(now, before []secret.Template) []secret.Template {
	out := slices.Clone(now)
	texts, shown := sourceArguments(now), maskArguments(before)
	used := make([]bool, len(before))
	for i, arg := range texts {
		if !isMasked(now[i]) {
			continue
		}
		at := 0
		for at < len(shown) && (used[at] || shown[at] != arg || (i == 0) != (at == 0) || i > 0 && texts[i-1] != shown[at-1]) {
			at++
		}
		if at == len(shown) {
			u.fail(now[i].At, "command["+strconv.Itoa(i)+"]")
			continue
		}
		out[i], used[at] = before[at], true
	}
	return out
}
