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

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/patch"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
)

// reference matches a reference ${NAME} or ${NAME:-default} in a manifest.
var reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)`)

func referencesIn(text []byte) []string {
	var names []string
	for _, m := range reference.FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	return names
}

// secretsOf returns the names to which a server refers. It returns nil for other kinds or with
// --keep-secrets.
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

// checkProjects returns an error if a project that uses a server cannot be written without it. isTeam
// reports whether the team server has the server: the deletion of a file changes no project there.
func checkProjects(ctx context.Context, opts *Options, s api.Service, name string, isTeam bool, projects []string) error {
	if opts.Kind != "server" {
		return nil
	}
	for _, project := range projects {
		o, err := s.Object(ctx, "project", "", project)
		if err != nil {
			return err
		}
		if o.Source == api.SourceTeam && !isTeam {
			continue
		}
		if _, err := release(ctx, opts, s, name, o, true); err != nil {
			p := *problem.From(err)
			p.Message = fmt.Sprintf("server/%s was not deleted: %s", name, p.Message)
			return &p
		}
	}
	return nil
}

// release removes a server from the list of a project.
func release(ctx context.Context, opts *Options, s api.Service, name string, project api.Object, dryRun bool) ([]api.Applied, error) {
	home, err := opts.F.Home()
	if err != nil {
		return nil, err
	}
	var d api.ProjectDetails
	if err := json.Unmarshal(project.Details, &d); err != nil {
		return nil, err
	}
	rest := slices.DeleteFunc(d.Servers, func(other string) bool { return other == name })
	return patch.ChangeField(ctx, home, s, project, "servers", rest, dryRun)
}

// releasedBy returns the projects from which a server is removed after its file was deleted. It
// returns none if the team server has a server of this name, which is used from then on, and
// otherwise only projects that are files: the projects of the team server belong to all members.
func releasedBy(ctx context.Context, opts *Options, s api.Service, name string, projects []string) ([]string, error) {
	if len(projects) == 0 {
		return nil, nil
	}
	switch _, err := s.Object(ctx, "server", "", name); {
	case err == nil:
		fmt.Fprintf(opts.F.IO.ErrOut, "server %q of the team server takes its place\n", name)
		return nil, nil
	case !errors.Is(err, abi.ErrNotFound):
		return nil, err
	}
	var files []string
	for _, project := range projects {
		o, err := s.Object(ctx, "project", "", project)
		if err != nil {
			return nil, err
		}
		if o.Source != api.SourceTeam {
			files = append(files, project)
			continue
		}
		fmt.Fprintf(opts.F.IO.ErrOut, "warning: server %q is still used by project %s of the team server\n", name, iostreams.Line(project))
	}
	return files, nil
}

// releaseServer removes a deleted server from its projects, and removes its unused secrets.
func releaseServer(ctx context.Context, opts *Options, s api.Service, name string, projects, secrets []string) error {
	for _, project := range projects {
		o, err := s.Object(ctx, "project", "", project)
		if err != nil {
			return err
		}
		applied, err := release(ctx, opts, s, name, o, false)
		if err != nil {
			return err
		}
		opts.results.Add(applied...)
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
	used, err := referencesOfHome(ctx, opts, s, home)
	if err != nil {
		return fmt.Errorf("secrets.yaml: nothing was removed, because its users cannot be read: %w", err)
	}
	unused := slices.DeleteFunc(names, func(n string) bool { return slices.Contains(used, n) })
	removed, err := vault.Remove(home, unused)
	if len(removed) > 0 {
		fmt.Fprintf(opts.F.IO.ErrOut, "secrets.yaml: removed %s because nothing else refers to them\n", strings.Join(removed, ", "))
	}
	return err
}

// referencesOfHome returns the names to which the remaining servers and config.yaml refer. It also
// reads
// the files of servers, because a file with errors is not loaded as a server but will need its
// secrets
// when it is corrected.
func referencesOfHome(ctx context.Context, opts *Options, s api.Service, home string) ([]string, error) {
	servers, err := s.Objects(ctx, "server", "")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, o := range servers {
		names = append(names, referencesIn(o.Manifest)...)
	}
	files := []string{filepath.Join(home, homedir.SettingsFile)}
	dir := filepath.Join(home, object.KindServer.Dir())
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if e.Type().IsRegular() || e.Type() == fs.ModeSymlink {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	for _, file := range files {
		text, err := opts.F.ReadFile(file)
		if err != nil && !errors.Is(err, abi.ErrNotFound) {
			return nil, err
		}
		names = append(names, referencesIn(text)...)
	}
	return names, nil
}
