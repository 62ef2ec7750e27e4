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
)

// ClientDirVariable is the reference to the working directory of the client that a
// session belongs to. Only clients that start `mcpctl mcp` have one. It is never read
// from the environment or from secrets.yaml.
const ClientDirVariable = "MCPCTL_CLIENT_CWD"

// UsesClientDir reports whether a reference to the client's directory is in the
// Server: its process then depends on who connects.
func (s *Server) UsesClientDir() bool {
	return slices.Contains(s.Variables(), ClientDirVariable)
}

// withClientDir adds the directory of a client to a lookup, "" if the client has none.
// Nothing else sets ClientDirVariable.
func withClientDir(lookup Lookup, dir string) Lookup {
	return func(name string) (Secret, bool) {
		if name == ClientDirVariable {
			return NewSecret(dir), dir != ""
		}
		return lookup(name)
	}
}

// ResolveFor is Resolve for a client in a directory, "" if the client has none.
//
// Errors: those of Resolve; abi.ErrConfig if the server uses the directory and it is
// of no use.
func (s *Server) ResolveFor(clientDir string, lookup Lookup) (Endpoint, error) {
	if clientDir != "" && s.UsesClientDir() {
		if err := checkClientDir(clientDir); err != nil {
			return Endpoint{}, fmt.Errorf("%w: %w", abi.ErrConfig, err)
		}
	}
	return s.Resolve(withClientDir(lookup, clientDir))
}

// Fault returns why no client at all could be connected to the Server, nil if one
// could: errors of Resolve that do not depend on the directory of the client.
func (s *Server) Fault(lookup Lookup) error {
	anyClient := *s
	if s.UsesClientDir() && slices.Contains(s.Spec.Cwd.Variables(), ClientDirVariable) {
		anyClient.Spec.Cwd = Template{}
	}
	_, err := anyClient.Resolve(withClientDir(lookup, string(filepath.Separator)))
	return err
}

// readProcess reads what belongs to a server with a command only: where it runs and
// which variables it inherits.
func (f *fields) readProcess(s *Server, hasCommand, hasURL bool) {
	if cwd, ok := f.get("cwd"); ok {
		s.Spec.Cwd = f.readCwd(cwd)
	}
	s.Spec.PassEnv = f.readPassEnv()
	for _, name := range []string{"cwd", "passEnv"} {
		if v, ok := f.get(name); ok && hasURL && !hasCommand {
			f.fail(v.At, name, "belongs to a server with a command; a server with a url has no process here")
		}
	}
}

func (f *fields) readCwd(v Value) Template {
	if !f.typed(v, "cwd", String) {
		return Template{}
	}
	t, ok := f.template(v, "cwd")
	if parts := t.parts(); ok && (len(parts) == 0 || !parts[0].ref) && !isRooted(v.Text) {
		e := f.fail(v.At, "cwd", "is not an absolute path, want /dir, ~/dir or ${%s}", ClientDirVariable)
		e.Cause = "the daemon has no directory of its own that a relative path could refer to"
	}
	return t
}

func (f *fields) readPassEnv() []string {
	var names []string
	for i, item := range f.list("passEnv") {
		path := at("passEnv", i)
		switch {
		case !f.typed(item, path, String):
		case !isVariable(item.Text):
			f.fail(item.At, path, "is not a variable's name, want letters, digits and _")
		case item.Text == ClientDirVariable:
			f.fail(item.At, path, "is not a variable of the environment; use env: {%s: ${%s}}", ClientDirVariable, ClientDirVariable)
		case slices.Contains(names, item.Text):
			f.fail(item.At, path, "is listed twice")
		default:
			names = append(names, item.Text)
		}
	}
	return names
}

// checkUseOfClientDir refuses ${MCPCTL_CLIENT_CWD} where no client's directory is known, and
// warns of relative paths in a command without cwd.
func (f *fields) checkUseOfClientDir(s *Server) {
	for _, part := range s.templates() {
		if !slices.Contains(part.value.Variables(), ClientDirVariable) {
			continue
		}
		if len(s.Spec.Command) == 0 {
			f.fail(part.value.At, part.path, "holds ${%s}, which only cwd, command and env of a server with a command may hold", ClientDirVariable)
		} else if s.Spec.Shared {
			f.fail(part.value.At, part.path, "holds ${%s}, which a shared server cannot use: its one process serves clients in different directories", ClientDirVariable)
		}
	}
	if !s.Spec.Cwd.IsZero() {
		return
	}
	for i, t := range s.Spec.Command {
		if isRelativePath(t.source()) {
			f.warn(t.At, at("command", i), "is a relative path and cwd is not set: it refers to $MCPCTL_HOME/work/%s", s.key.Name)
		}
	}
}

// isRelativePath reports whether an argument is meant relative to a directory.
func isRelativePath(arg string) bool {
	return arg == "." || arg == ".." || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../")
}

func isRooted(path string) bool {
	return filepath.IsAbs(path) || strings.HasPrefix(path, "/") || path == "~" || strings.HasPrefix(path, "~/")
}

// resolveCwd returns the directory that a filled-in cwd names.
//
// Errors: a *FieldError that names the directory if it is not absolute or is not there,
// with its references as written: their values may be credentials.
func (s *Server) resolveCwd(filled string) (string, *FieldError) {
	dir := filled
	if rest, ok := strings.CutPrefix(filled, "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", s.Errorf(s.Spec.Cwd.At, "cwd", "begins with ~, but the user's home directory is not known")
		}
		dir = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(dir) {
		return "", s.Errorf(s.Spec.Cwd.At, "cwd", "is not an absolute path with its variables filled in: %.200q", s.shownCwd(dir))
	}
	if why := dirFault(dir); why != "" {
		return "", s.Errorf(s.Spec.Cwd.At, "cwd", "is %.200q, %s", s.shownCwd(dir), why)
	}
	return filepath.Clean(dir), nil
}

// shownCwd returns dir for an error: as written, if it holds the value of a variable
// other than the client's directory.
func (s *Server) shownCwd(dir string) string {
	for _, name := range s.Spec.Cwd.Variables() {
		if name != ClientDirVariable {
			return s.Spec.Cwd.maskDefaults()
		}
	}
	return dir
}

// dirFault says why a path is no directory to run in, "" if it is one.
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

// maxClientDir bounds the path of a client's directory, in bytes: PATH_MAX of Linux.
const maxClientDir = 4096

// checkClientDir returns an error if a directory that a client sent is of no use: it
// must be an absolute path to an existing directory.
func checkClientDir(dir string) error {
	switch {
	case len(dir) > maxClientDir:
		return fmt.Errorf("the client's directory is a path of %d bytes, want at most %d", len(dir), maxClientDir)
	case strings.ContainsRune(dir, 0):
		return errors.New("the client's directory holds a NUL character")
	case !filepath.IsAbs(dir):
		return fmt.Errorf("the client's directory %.200q is not an absolute path", dir)
	}
	if why := dirFault(dir); why != "" {
		return fmt.Errorf("the client's directory is %.200q, %s", dir, why)
	}
	return nil
}
