package live

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Problems returns the problems of files, proxymodels, references, modules, servers and
// LLM providers, used or not. While modules are loaded, no proxymodel is reported for a
// stage that may be among them.
func (c *Config) Problems() []store.Problem {
	s := c.state.Load()
	list := append([]store.Problem(nil), s.problems...)
	invalid := s.Snapshot.Dangling() // no module can repair these
	if !s.Early && !c.isCompiling() {
		invalid = s.Plan.Problems()
	}
	for _, e := range invalid {
		list = append(list, store.Problem{File: e.File, Err: e})
	}
	list = append(list, s.brokenModels()...)
	list = append(list, c.failedModules()...)
	for _, o := range s.Snapshot.List(object.KindServer) {
		if s.Snapshot.IsTeam(o.Key()) {
			continue // reported once for all of them, see addTeam
		}
		if err := c.ServerFault(string(o.Key().Name)); err != nil {
			list = append(list, store.Problem{File: o.File(), Key: o.Key(), Err: err})
		}
	}
	return append(list, c.llmProblems()...)
}

// isCompiling reports whether a module is being loaded.
func (c *Config) isCompiling() bool {
	for _, st := range c.opts.Modules.Status() {
		if st.State == registry.StateCompiling {
			return true
		}
	}
	return false
}

// failedModules returns the files of stages/ that cannot be used, each once.
func (c *Config) failedModules() []store.Problem {
	var list []store.Problem
	reported := make(map[string]bool)
	for _, st := range c.opts.Modules.Status() {
		if st.State != registry.StateFailed || reported[st.File+st.Why] {
			continue
		}
		reported[st.File+st.Why] = true
		list = append(list, store.Problem{File: path.Join("stages", st.File), Err: errors.New(st.Why)})
	}
	return list
}

// Problem returns the error of an object: of its file, otherwise of its content. It is
// nil if the object is valid.
func (c *Config) Problem(key object.Key) error {
	s := c.state.Load()
	if _, err := c.FileFault(key); err != nil {
		return err
	}
	if err := s.team.faults[key]; err != nil {
		return err
	}
	if key.Kind == object.KindServer {
		return c.ServerFault(string(key.Name))
	}
	err := s.Plan.ObjectErrors(key).Err()
	switch {
	case err != nil && s.Early && c.opts.Offline: // a module that is not loaded yet may have the stage
		if err := c.Ready(context.Background()); err != nil {
			return err
		}
		return c.Problem(key)
	case key.Kind == object.KindProxyModel && (s.Early || c.isCompiling()):
		return nil
	}
	return err
}

// FileFault returns the file of an object and why it is invalid; nil if it is not.
func (c *Config) FileFault(key object.Key) (file string, err error) {
	for _, p := range c.state.Load().problems {
		if p.Key == key && !p.Warning {
			return p.File, p.Err
		}
	}
	return "", nil
}

// ServerFault returns an error if no connection to a server can be opened: a variable is not
// set, or it is a server of mcpd that cannot be used. It is nil for an unknown server.
func (c *Config) ServerFault(name string) error {
	s := c.state.Load()
	srv, ok := s.Snapshot.Server(object.Name(name))
	if !ok {
		return nil
	}
	if s.Snapshot.IsTeam(srv.Key()) {
		return s.TeamFault(srv)
	}
	return s.explainSecrets(srv.Fault(s.secrets))
}

// explainSecrets adds the cause to the error of variables that are not set because
// secrets.yaml could not be read.
func (s *State) explainSecrets(err error) error {
	if s.secretsErr == nil || !errors.Is(err, secret.ErrVariable) {
		return err
	}
	var several strictyaml.Errors
	if !errors.As(err, &several) {
		return err
	}
	out := make(strictyaml.Errors, len(several))
	for i, e := range several {
		explained := *e
		explained.Cause = secret.FileName + " is not read: " + oneLine(s.secretsErr)
		out[i] = &explained
	}
	return out
}

// oneLine returns the text of an error, with its hint, on one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\nhint: ", "; ") }

// missingError returns the error of a server with a missing variable for clients: one line
// without the name of a file.
func missingError(name string, err error) error {
	if !errors.As(err, new(*strictyaml.FieldError)) {
		return err
	}
	return fmt.Errorf("%w: %s: see mcpctl describe server %s", abi.ErrConfig, forClient(err), name)
}

// forClient returns the first error of a field in one line, without file and source.
func forClient(err error) string {
	var invalid *strictyaml.FieldError
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	text := invalid.Message
	if invalid.Path != "" {
		text = invalid.Path + " " + text
	}
	return text
}

// llmProblems returns the errors of providers, and of projects that name a provider that
// does not exist.
func (c *Config) llmProblems() (list []store.Problem) {
	for _, err := range c.opts.LLM.Faults() {
		list = append(list, store.Problem{File: homedir.SettingsFile, Err: err})
	}
	var names []string
	for _, p := range c.opts.LLM.Providers() {
		names = append(names, p.Name)
	}
	for _, o := range c.state.Load().Snapshot.List(object.KindProject) {
		choice := o.(*object.Project).Spec.LLMProvider
		if choice == nil || *choice == "none" || slices.Contains(names, *choice) {
			continue
		}
		text := fmt.Sprintf("%v: llmProvider %q is not in %s", o.Key(), *choice, homedir.SettingsFile)
		if near := suggest.Nearest(*choice, names); near != "" {
			text += fmt.Sprintf(", did you mean %q?", near)
		}
		list = append(list, store.Problem{File: o.File(), Key: o.Key(), Err: fmt.Errorf("%w: %s", abi.ErrConfig, text)})
	}
	return list
}
