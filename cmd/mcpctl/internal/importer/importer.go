// Package importer is `mcpctl import`: takes over the MCP servers of a client's
// configuration.
package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/atomicfile"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/report"
)

// Options are what the command line said.
type Options struct {
	F       *factory.Factory
	Files   []string
	Project string
	Model   string
	Yes     bool
	DryRun  bool
	Dir     string // the working folder
}

// NewCmdImport makes the command; runF replaces its work in tests.
func NewCmdImport(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "import [FILE...]",
		Short: "Take over the MCP servers of a client's configuration",
		Long: `Read MCP servers from a client's configuration (.mcp.json of this folder and ~/.claude.json, unless files are
named), and make them servers of this home and one project. Values that look like credentials go to secrets.yaml
(mode 0600) and are named by reference. The client's files are not touched; "mcpctl connect" does that.`,
		Example: `  mcpctl import
  mcpctl import .mcp.json --project home --yes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Files = args
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			opts.Dir = dir
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return importRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&opts.Project, "project", "p", "home", "project to make")
	fl.StringVar(&opts.Model, "proxy-model", "subindex", "proxymodel of the project")
	fl.BoolVarP(&opts.Yes, "yes", "y", false, "do not ask")
	fl.BoolVar(&opts.DryRun, "dry-run", false, "show what was found, write nothing")
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // both fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("proxy-model", f.Names("proxymodel"))
	return cmd
}

func importRun(ctx context.Context, opts *Options) error {
	found, err := collect(opts)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return problem.New(abi.ErrNotFound, "no MCP servers found in %s", strings.Join(opts.sources(), ", ")).WithHint("mcpctl import FILE")
	}
	if err := show(opts.F.IO, found); err != nil || opts.DryRun {
		return err
	}
	if ok, err := opts.F.Confirm(opts.Yes, "Make %d servers and project %q?", len(found), opts.Project); !ok || err != nil {
		return err
	}
	if err := keepSecrets(opts.F, found); err != nil {
		return err
	}
	return apply(ctx, opts, found)
}

// sources are the files to read: as named, else where Claude Code keeps them.
func (opts *Options) sources() []string {
	if len(opts.Files) > 0 {
		return opts.Files
	}
	return []string{filepath.Join(opts.Dir, ".mcp.json"), filepath.Join(opts.F.Env("HOME"), ".claude.json")}
}

// collect reads all sources; of two servers with one name the first counts.
func collect(opts *Options) ([]server, error) {
	var found []server
	for _, file := range opts.sources() {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			if len(opts.Files) > 0 {
				return nil, problem.New(abi.ErrNotFound, "%v", err)
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, path := range [][]string{{"mcpServers"}, {"projects", opts.Dir, "mcpServers"}} {
			entries, err := clientconfig.Entries(text, path...)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			for _, e := range entries {
				s, err := readServer(e)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", file, err)
				}
				if s.isOurs() || slices.ContainsFunc(found, func(o server) bool { return o.name == s.name }) {
					continue
				}
				found = append(found, s)
			}
		}
	}
	return found, nil
}

// show prints names and programs, never values of env or headers.
func show(io *iostreams.Streams, found []server) error {
	t := iostreams.NewTable("NAME", "TRANSPORT", "TARGET", "SECRETS")
	for _, s := range found {
		t.Row(s.name, s.transport(), s.target(), strings.Join(s.secretNames(), ","))
	}
	return t.Fprint(io.Out)
}

// keepSecrets adds what looks like a credential to secrets.yaml; what is there
// by the same name stays.
func keepSecrets(f *factory.Factory, found []server) error {
	var lines bytes.Buffer
	home, err := f.Home()
	if err != nil {
		return err
	}
	file := filepath.Join(home, "secrets.yaml")
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, s := range found {
		for _, name := range s.secretNames() {
			if bytes.Contains(append([]byte("\n"), old...), []byte("\n"+name+":")) {
				continue
			}
			value, err := json.Marshal(s.secrets[name]) // JSON strings are YAML strings
			if err != nil {
				return err
			}
			fmt.Fprintf(&lines, "%s: %s\n", name, value)
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		old = append(old, '\n')
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, append(old, lines.Bytes()...), 0o600)
}

// apply writes the servers and the project that holds them all.
func apply(ctx context.Context, opts *Options, found []server) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	docs := make([]string, 0, len(found)+1)
	names := make([]string, 0, len(found))
	for _, srv := range found {
		doc, err := srv.manifest()
		if err != nil {
			return err
		}
		docs, names = append(docs, string(doc)), append(names, srv.name)
	}
	project, err := json.Marshal(map[string]any{"kind": "Project", "metadata": map[string]any{"name": opts.Project},
		"spec": map[string]any{"servers": names, "gated": false, "proxyModel": opts.Model}})
	if err != nil {
		return err
	}
	docs = append(docs, string(project))
	applied, err := s.Apply(ctx, api.ApplyRequest{File: "import", YAML: strings.Join(docs, "\n---\n")})
	if err != nil {
		return err
	}
	report.Applied(opts.F.IO, applied, false)
	fmt.Fprintf(opts.F.IO.ErrOut, "next: mcpctl connect claude-code --project %s\n", opts.Project)
	return nil
}
