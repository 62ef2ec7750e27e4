package add

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/vault"
)

// manifest returns the Server of the command line as JSON, with references in place of credentials.
func (opts *Options) manifest(hide *vault.Hider) (string, error) {
	spec, err := opts.commandSpec(hide)
	if opts.URL != "" {
		spec, err = opts.urlSpec(hide)
	}
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"kind": "Server", "metadata": map[string]any{"name": opts.Name}, "spec": spec})
	return string(text), err
}

func (opts *Options) commandSpec(hide *vault.Hider) (map[string]any, error) {
	if len(opts.Headers) > 0 && opts.URL == "" {
		return nil, problem.Usagef("--header requires a URL; use --env for a command").WithHint("mcpctl add --help")
	}
	env, err := opts.environment(hide)
	if err != nil {
		return nil, err
	}
	cwd, err := opts.workingDir()
	if err != nil {
		return nil, err
	}
	spec := map[string]any{"command": hide.Arguments(slices.Clone(opts.Command))}
	if len(env) > 0 {
		spec["env"] = env
	}
	if cwd != "" {
		spec["cwd"] = cwd
	}
	return spec, nil
}

// environment parses --env and --secret-env.
func (opts *Options) environment(hide *vault.Hider) (map[string]string, error) {
	env := make(map[string]string)
	for _, pair := range opts.Env {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, problem.Usagef("--env %.40q, want NAME=VALUE", name).WithHint("mcpctl add --help")
		}
		env[name] = value
	}
	hide.Values(env)
	for _, pair := range opts.SecretEnv {
		name, value, given := strings.Cut(pair, "=")
		if !given {
			value = opts.F.Env(name)
		}
		if value == "" || name == "" {
			return nil, problem.Usagef("--secret-env %.40s has no value: the variable is not set in this shell", name).
				WithHint("export %s=...", problem.Arg(name))
		}
		env[name] = hide.Hide(name, value)
	}
	return env, nil
}

// workingDir returns --cwd as an absolute path. Without the flag, it returns the present directory
// if an
// argument refers to a file in it, otherwise "".
func (opts *Options) workingDir() (string, error) {
	switch {
	case strings.HasPrefix(opts.Cwd, "~/") || strings.HasPrefix(opts.Cwd, "${"):
		return opts.Cwd, nil // the daemon resolves both
	case opts.Cwd != "":
		dir, err := filepath.Abs(opts.Cwd)
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", problem.Usagef("--cwd %s is not a directory", opts.Cwd).WithHint("mcpctl add --help")
		}
		return dir, nil
	case opts.namesFileHere():
		return opts.dir, nil
	}
	return "", nil
}

// namesFileHere reports whether the program or an argument is a relative path to an existing file.
func (opts *Options) namesFileHere() bool {
	for i, arg := range opts.Command {
		if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
			arg = value
		}
		if arg == "" || arg[0] == '-' || filepath.IsAbs(arg) || i == 0 && !strings.ContainsRune(arg, filepath.Separator) {
			continue // a bare program is looked up in PATH
		}
		if _, err := os.Stat(filepath.Join(opts.dir, arg)); err == nil {
			return true
		}
	}
	return false
}

func (opts *Options) urlSpec(hide *vault.Hider) (map[string]any, error) {
	if len(opts.Env)+len(opts.SecretEnv) > 0 || opts.Cwd != "" {
		return nil, problem.Usagef("--env, --secret-env and --cwd require a command; use --header for a URL").WithHint("mcpctl add --help")
	}
	if u, err := url.Parse(opts.URL); err == nil && u.User != nil {
		return nil, problem.Usagef("the URL contains a user or password; use a header instead").
			WithHint("mcpctl add %s %s --header 'Authorization: Basic ...'", problem.Arg(opts.Name), problem.Arg((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()))
	}
	headers := make(map[string]string)
	for _, h := range opts.Headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, problem.Usagef("invalid --header, want 'NAME: VALUE'").WithHint("mcpctl add --help")
		}
		headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	hide.Values(headers)
	spec := map[string]any{"url": hide.Arguments([]string{opts.URL})[0]}
	if len(headers) > 0 {
		spec["headers"] = headers
	}
	return spec, nil
}

func printManifest(w io.Writer, server string) error {
	if _, err := fmt.Fprintln(w, "---"); err != nil {
		return err
	}
	return printer.YAML(w, json.RawMessage(server))
}
