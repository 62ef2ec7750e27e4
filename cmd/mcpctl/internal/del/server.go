package del

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/patch"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/host/object"
)

// reference matches a ${NAME} or ${NAME:-default} of a manifest.
var reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)`)

func referencesIn(text []byte) []string {
	var names []string
	for _, m := range reference.FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	return names
}

// secretsOf returns the names that a server refers to; none for other kinds, and none
// with --keep-secrets.
func secretsOf(ctx context.Context, opts *Options, s api.Service, name string) []string {
	if opts.Kind != "server" || opts.KeepSecrets {
		return nil
	}
	o, err := s.Object(ctx, "server", "", name)
	if err != nil {
		return nil // Delete reports it
	}
	return referencesIn(o.Manifest)
}

// checkProjects returns an error if a server cannot be taken out of a project afterwards.
func checkProjects(ctx context.Context, opts *Options, s api.Service, projects []string) error {
	if opts.Kind != "server" {
		return nil
	}
	for _, project := range projects {
		o, err := s.Object(ctx, "project", "", project)
		if err != nil {
			return err
		}
		if err := patch.CheckFile(o); err != nil {
			return err
		}
	}
	return nil
}

// releaseServer takes a deleted server out of its projects, and removes its secrets
// that nothing else refers to.
func releaseServer(ctx context.Context, opts *Options, s api.Service, name string, projects, secrets []string) error {
	for _, project := range projects {
		o, err := s.Object(ctx, "project", "", project)
		if err != nil {
			return err
		}
		var d api.ProjectDetails
		if err := json.Unmarshal(o.Details, &d); err != nil {
			return err
		}
		rest := slices.DeleteFunc(d.Servers, func(other string) bool { return other == name })
		if err := patch.SetField(ctx, opts.F, s, o, "servers", rest, false); err != nil {
			return err
		}
	}
	return removeSecrets(ctx, opts, s, secrets)
}

func removeSecrets(ctx context.Context, opts *Options, s api.Service, names []string) error {
	if len(names) == 0 {
		return nil
	}
	home, err := opts.F.Home()
	if err != nil {
		return err
	}
	used, err := referencesOfHome(ctx, s, home)
	if err != nil {
		return err
	}
	unused := slices.DeleteFunc(names, func(n string) bool { return slices.Contains(used, n) })
	removed, err := vault.Remove(home, unused)
	if len(removed) > 0 {
		fmt.Fprintf(opts.F.IO.ErrOut, "secrets.yaml: removed %s, nothing else refers to them\n", strings.Join(removed, ", "))
	}
	return err
}

// referencesOfHome are the names that the remaining servers and config.yaml refer to.
func referencesOfHome(ctx context.Context, s api.Service, home string) ([]string, error) {
	servers, err := s.Objects(ctx, "server", "")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, o := range servers {
		text, err := os.ReadFile(filepath.Join(home, o.File)) // as written: a file with errors counts too
		if err != nil {
			text = o.Manifest
		}
		names = append(names, referencesIn(text)...)
	}
	settings, err := os.ReadFile(filepath.Join(home, object.SettingsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return append(names, referencesIn(settings)...), nil
}
