package host

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Problems is everything that is not as it should be at this moment: files,
// proxymodels and references, used or not, modules that could not be loaded,
// servers that lack a variable, stages that fail, a disk that takes no originals.
//
// While modules are being loaded no proxymodel is blamed for a stage that may be
// among them.
func (h *Host) Problems() []store.Problem {
	s := h.state.Load()
	list := append([]store.Problem(nil), s.problems...)
	mistakes := s.snapshot.Dangling()
	if s.early || h.compiling() {
		// only what no module can mend
	} else {
		mistakes = s.plan.Problems()
	}
	for _, e := range mistakes {
		list = append(list, store.Problem{File: e.File, Err: e})
	}
	list = append(list, s.brokenModels()...)
	list = append(list, h.failedModules()...)
	for _, o := range s.snapshot.List(object.KindServer) {
		if err := h.ServerFault(string(o.Key().Name)); err != nil {
			list = append(list, store.Problem{File: o.File(), Key: o.Key(), Err: err})
		}
		for _, note := range h.ListNotes(string(o.Key().Name)) {
			list = append(list, store.Problem{File: o.File(), Key: o.Key(), Err: fmt.Errorf("server %q: %s", o.Key().Name, note), Warning: true})
		}
	}
	list = append(list, h.llmProblems()...)
	for _, f := range h.failures.Current() {
		list = append(list, store.Problem{Err: f.Err()})
	}
	if why := h.contents.Stats().Failure; why != "" {
		list = append(list, store.Problem{Err: fmt.Errorf("originals cannot be stored, so results go out whole and untransformed: %s", why)})
	}
	return list
}

// compiling reports whether a module is being loaded.
func (h *Host) compiling() bool {
	for _, st := range h.modules.Status() {
		if st.State == registry.StateCompiling {
			return true
		}
	}
	return false
}

// failedModules are the files of stages/ that do not serve, each once.
func (h *Host) failedModules() []store.Problem {
	var list []store.Problem
	told := make(map[string]bool)
	for _, st := range h.modules.Status() {
		if st.State != registry.StateFailed || told[st.File+st.Why] {
			continue
		}
		told[st.File+st.Why] = true
		list = append(list, store.Problem{File: path.Join("stages", st.File), Err: errors.New(st.Why)})
	}
	return list
}

// Problem is what is wrong with an object: with its file, or else with what it
// says. It is nil if nothing is.
func (h *Host) Problem(key object.Key) error {
	s := h.state.Load()
	if _, err := h.FileFault(key); err != nil {
		return err
	}
	if key.Kind == object.KindServer {
		return h.ServerFault(string(key.Name))
	}
	if key.Kind == object.KindProxyModel && (s.early || h.compiling()) {
		return nil
	}
	return s.plan.ObjectErrors(key).Err()
}

// FileFault returns the file of an object and why it is invalid; nil if it is not.
func (h *Host) FileFault(key object.Key) (file string, err error) {
	for _, p := range h.state.Load().problems {
		if p.Key == key && !p.Warning {
			return p.File, p.Err
		}
	}
	return "", nil
}

// ServerFault says why no connection to a server can be opened, for a variable
// that it needs is not set. It is nil for a server that is fine or unknown.
func (h *Host) ServerFault(name string) error {
	s := h.state.Load()
	srv, ok := s.snapshot.Server(object.Name(name))
	if !ok {
		return nil
	}
	return s.blameSecrets(srv.Fault(s.secrets))
}

// blameSecrets names the true cause of variables that are not set, where it is
// that secrets.yaml could not be read.
func (s *state) blameSecrets(err error) error {
	if s.secretsErr == nil || !errors.Is(err, secret.ErrVariable) {
		return err
	}
	var several strictyaml.Errors
	if !errors.As(err, &several) {
		return err
	}
	out := make(strictyaml.Errors, len(several))
	for i, e := range several {
		blamed := *e
		blamed.Cause = secret.FileName + " is not read: " + oneLine(s.secretsErr)
		out[i] = &blamed
	}
	return out
}

// oneLine returns the text of an error, with its hint, on one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\nhint: ", "; ") }

// unreachable returns the error of a server that lacks something, as a client may
// read it: one line that names what is missing, no file.
func unreachable(name string, err error) error {
	if !errors.As(err, new(*strictyaml.FieldError)) {
		return err
	}
	return fmt.Errorf("%w: %s: see mcpctl describe server %s", abi.ErrConfig, forClient(err), name)
}

// forClient is the first error of a field in one line, without file and source.
func forClient(err error) string {
	var invalid *strictyaml.FieldError
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	what := invalid.Message
	if invalid.Path != "" {
		what = invalid.Path + " " + what
	}
	return what
}
