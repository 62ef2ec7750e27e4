package object

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// UsesClientDir reports whether the Server refers to the directory of the client. Its
// process then depends on the client that connects.
func (s *Server) UsesClientDir() bool {
	return slices.Contains(s.Variables(), secret.ClientDirVariable)
}

// withClientDir returns a lookup that also returns the directory of a client, which is ""
// if the client has none. No other source sets secret.ClientDirVariable.
func withClientDir(lookup secret.Lookup, dir string) secret.Lookup {
	return func(name string) (secret.Value, bool) {
		if name == secret.ClientDirVariable {
			return secret.New(dir), dir != ""
		}
		return lookup(name)
	}
}

// ResolveFor is Resolve for a client in a directory, which is "" if the client has none.
//
// It returns the errors of Resolve, and abi.ErrConfig if the server uses the directory
// and the directory is invalid.
func (s *Server) ResolveFor(clientDir string, lookup secret.Lookup) (Endpoint, error) {
	if clientDir != "" && s.UsesClientDir() {
		if err := checkClientDir(clientDir); err != nil {
			return Endpoint{}, fmt.Errorf("%w: %w", abi.ErrConfig, err)
		}
	}
	return s.Resolve(withClientDir(lookup, clientDir))
}

// Fault returns the errors of Resolve that do not depend on the directory of the client.
// With such an error, no client can use the Server.
func (s *Server) Fault(lookup secret.Lookup) error {
	anyClient := *s
	if s.UsesClientDir() && slices.Contains(s.Spec.Cwd.Variables(), secret.ClientDirVariable) {
		anyClient.Spec.Cwd = secret.Template{}
	}
	_, err := anyClient.Resolve(withClientDir(lookup, string(filepath.Separator)))
	return err
}

// readProcess reads the fields of a server with a command: its directory and the
// variables that it inherits.
func readProcess(m *strictyaml.Mapping, s *Server, hasCommand, hasURL bool) {
	if cwd, ok := m.Get("cwd"); ok {
		s.Spec.Cwd = readCwd(m, cwd)
	}
	s.Spec.PassEnv = readPassEnv(m)
	for _, name := range []string{"cwd", "passEnv"} {
		if v, ok := m.Get(name); ok && hasURL && !hasCommand {
			m.Fail(v.At, name, "belongs to a server with a command; a server with a url has no process here")
		}
	}
}

func readCwd(m *strictyaml.Mapping, v strictyaml.Value) secret.Template {
	if !m.HasType(v, "cwd", strictyaml.String) {
		return secret.Template{}
	}
	t, ok := secret.ReadTemplate(m, v, "cwd")
	if ok && !t.StartsWithReference() && !isRooted(v.Text) {
		e := m.Fail(v.At, "cwd", "is not an absolute path, want /dir, ~/dir or ${%s}", secret.ClientDirVariable)
		e.Cause = "a relative path would have no meaning, because the daemon has no working directory"
	}
	return t
}

func readPassEnv(m *strictyaml.Mapping) []string {
	var names []string
	for i, item := range m.List("passEnv") {
		path := strictyaml.ItemPath("passEnv", i)
		switch {
		case !m.HasType(item, path, strictyaml.String):
		case !secret.IsVariable(item.Text):
			m.Fail(item.At, path, "%s", secret.NotVariable)
		case item.Text == secret.ClientDirVariable:
			m.Fail(item.At, path, "is not a variable of the environment; use env: {%s: ${%s}}", secret.ClientDirVariable, secret.ClientDirVariable)
		case slices.Contains(names, item.Text):
			m.Fail(item.At, path, "is listed twice")
		default:
			names = append(names, item.Text)
		}
	}
	return names
}

// checkClientDirUse reports references to the client's directory where it is unknown, and
// warns about relative paths in a command without cwd.
func checkClientDirUse(m *strictyaml.Mapping, s *Server) {
	for _, part := range s.templates() {
		if !slices.Contains(part.value.Variables(), secret.ClientDirVariable) {
			continue
		}
		if len(s.Spec.Command) == 0 {
			m.Fail(part.value.At, part.path, "contains ${%s}, which is only allowed in cwd, command and env of a server with a command", secret.ClientDirVariable)
		} else if s.Spec.Shared {
			m.Fail(part.value.At, part.path, "contains ${%s}, which a shared server cannot use: its one process serves clients in different directories", secret.ClientDirVariable)
		}
	}
	if !s.Spec.Cwd.IsZero() {
		return
	}
	for i, t := range s.Spec.Command {
		if isRelativePath(t.Source()) {
			m.Warn(t.At, strictyaml.ItemPath("command", i), "is a relative path and cwd is not set: it refers to $MCPCTL_HOME/work/%s", s.key.Name)
		}
	}
}

// isRelativePath reports whether an argument is a path relative to the working directory.
func isRelativePath(arg string) bool {
	return arg == "." || arg == ".." || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../")
}

func isRooted(path string) bool {
	return filepath.IsAbs(path) || strings.HasPrefix(path, "/") || path == "~" || strings.HasPrefix(path, "~/")
}

// resolveCwd returns the directory of an expanded cwd.
//
// It returns an error if the directory is not absolute or does not exist. The error
// shows the references and not their values, which may be credentials.
func (s *Server) resolveCwd(expanded string) (string, *strictyaml.FieldError) {
	dir := expanded
	if rest, ok := strings.CutPrefix(expanded, "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", s.Errorf(s.Spec.Cwd.At, "cwd", "begins with ~, but the user's home directory is unknown")
		}
		dir = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(dir) {
		return "", s.Errorf(s.Spec.Cwd.At, "cwd", "is not an absolute path with its variables expanded: %.200q", s.printableCwd(dir))
	}
	if why := dirFault(dir); why != "" {
		return "", s.Errorf(s.Spec.Cwd.At, "cwd", "is %.200q, %s", s.printableCwd(dir), why)
	}
	return filepath.Clean(dir), nil
}

// printableCwd returns dir for an error. If cwd refers to variables other than the
// client's directory, it returns cwd with its references instead.
func (s *Server) printableCwd(dir string) string {
	for _, name := range s.Spec.Cwd.Variables() {
		if name != secret.ClientDirVariable {
			return s.Spec.Cwd.MaskDefaults()
		}
	}
	return dir
}

// dirFault returns the reason why a path cannot be a working directory, or "".
func dirFault(path string) string {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "a directory that does not exist"
	case err != nil:
		return "a directory that cannot be read"
	case !info.IsDir():
		return "which is not a directory"
	}
	return ""
}

// maxClientDir is the maximum length in bytes of the path of a client's directory,
// PATH_MAX of Linux.
const maxClientDir = 4096

// checkClientDir returns an error if a directory that a client sent is not an absolute
// path to an existing directory.
func checkClientDir(dir string) error {
	switch {
	case len(dir) > maxClientDir:
		return fmt.Errorf("the client's directory is a path of %d bytes, want at most %d", len(dir), maxClientDir)
	case strings.ContainsRune(dir, 0):
		return errors.New("the client's directory contains a NUL character")
	case !filepath.IsAbs(dir):
		return fmt.Errorf("the client's directory %.200q is not an absolute path", dir)
	}
	if why := dirFault(dir); why != "" {
		return fmt.Errorf("the client's directory is %.200q, %s", dir, why)
	}
	return nil
}
