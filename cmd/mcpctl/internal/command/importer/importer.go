// Package importer implements `mcpctl import`, which imports the MCP servers of a client's
// configuration.
package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/vault"
)

// Options contains the arguments and flags.
type Options struct {
	F       *factory.Factory
	Files   []string
	Client  string
	Project string
	Model   string
	Rename  []string // ENTRY=NAME
	Yes     bool
	DryRun  bool
	Dir     string // the working directory
}

// NewCmdImport creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdImport(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "import [FILE...]",
		Short: "Import the MCP servers of a client's configuration",
		Long: `Read MCP servers from a client's configuration, and write them as servers of this home and one project. Without
arguments, import reads the files of the client: for Claude Code, .mcp.json in this directory and ~/.claude.json. Values
that look like credentials in env, headers, arguments or addresses are moved to secrets.yaml (mode 0600) and replaced by
references. Entries that cannot be imported are reported and skipped (exit status 7). If another server of this home has
the name of an entry, the entry gets a free name, which the preview shows; --rename chooses a name. An entry that differs
from the project's server of the same name is skipped, because either may be newer (exit status 5); --rename imports it as
another server. If keys are duplicated, the last one is used, as in the clients. Settings without a counterpart in mcpctl
and disabled entries are reported. The client's files do not change; "mcpctl connect" removes the imported entries from
them.

A server runs in the directory in which the client would run it: its cwd; otherwise the directory of the project that the
file belongs to; otherwise (entries for all directories) the directory of the client. See docs/clients.md for the clients
and their files.`,
		Example: `  mcpctl import
  mcpctl import --client cursor
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
	fl.StringVar(&opts.Client, "client", "", "client whose files are read (default \"claude-code\")")
	fl.StringVarP(&opts.Project, "project", "p", "home", "project to which the servers are added")
	fl.StringVar(&opts.Model, "proxy-model", "subindex", "proxymodel of the project")
	fl.StringArrayVar(&opts.Rename, "rename", nil, "ENTRY=NAME: import an entry under another name (repeatable)")
	fl.BoolVarP(&opts.Yes, "yes", "y", false, "do not ask")
	fl.BoolVar(&opts.DryRun, "dry-run", false, "show the servers found without importing them")
	_ = cmd.RegisterFlagCompletionFunc("client", cobra.FixedCompletions(clients.Names(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // they fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("proxy-model", f.Names("proxymodel"))
	_ = cmd.RegisterFlagCompletionFunc("rename", cobra.NoFileCompletions)
	return cmd
}

// maxServers is the maximum number of servers per import: an apply accepts 1,000 documents, one of
// which is the project.
const maxServers = 999

func importRun(ctx context.Context, opts *Options) error {
	home, err := opts.F.Home()
	if err != nil {
		return err
	}
	v, err := vault.Open(home)
	if err != nil {
		return err
	}
	h, err := collect(opts, v)
	if err != nil {
		return err
	}
	for _, note := range h.notes {
		opts.note(note)
	}
	switch {
	case len(h.servers) == 0 && len(h.left) == 0:
		return h.nothing(opts)
	case len(h.servers) > maxServers:
		p := problem.New(abi.ErrLimit, "%s in the files, limit %d for one import", printer.Plural(len(h.servers), "server"), maxServers)
		p.Cause = "nothing was imported; all servers are written in one step: divide the entries into several files"
		return p.WithHint("mcpctl import FILE --project PROJECT")
	}
	done, err := opts.work(ctx, &h, v, home)
	if err != nil {
		return err
	}
	return h.verdict(opts.F.IO, done)
}

// note prints a note about an entry or a file.
func (opts *Options) note(text string) {
	fmt.Fprintf(opts.F.IO.ErrOut, "note: %s\n", iostreams.Line(text))
}

// nothing returns the error for sources without servers.
func (h *haul) nothing(opts *Options) error {
	sources, err := opts.sources()
	if err != nil {
		return err
	}
	var files []string
	for _, from := range sources {
		if !slices.Contains(files, from.Place.File) {
			files = append(files, from.Place.File)
		}
	}
	others := clients.Names()
	if len(opts.Files) == 0 {
		read := cmp.Or(opts.Client, others[0])
		others = slices.DeleteFunc(others, func(name string) bool { return name == read })
	}
	p := problem.New(abi.ErrNotFound, "no MCP servers found in %s", strings.Join(files, ", "))
	p.Cause = strings.Join(append(h.connected, "other clients: "+strings.Join(others, ", ")), "; ")
	return p.WithHint("mcpctl import --client NAME")
}

// work imports the servers that the home does not have. A dry run does not create a home.
func (opts *Options) work(ctx context.Context, h *haul, v *vault.Vault, home string) (outcome, error) {
	if _, err := os.Stat(filepath.Join(home, "servers")); opts.DryRun && err != nil {
		return takeOver(ctx, opts, nil, v, home, h)
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return outcome{}, err
	}
	defer done()
	ours, err := clients.LoadServers(home, opts.F.Env)
	if err != nil {
		return outcome{}, err
	}
	if err := h.renameConflicts(ctx, s, opts, ours); err != nil {
		return outcome{}, err
	}
	return takeOver(ctx, opts, s, v, home, h)
}

// takeOver shows the servers found and the skipped entries, asks for confirmation, and imports the
// servers. s may be nil for a dry run without a home.
func takeOver(ctx context.Context, opts *Options, s api.Service, v *vault.Vault, home string, h *haul) (outcome, error) {
	found := h.servers
	if len(found) == 0 {
		return outcome{}, nil
	}
	isSet := func(name string) bool { return opts.F.Env(name) != "" || v.Has(name) }
	for _, srv := range found {
		for _, n := range srv.notes(isSet) {
			opts.note(srv.file + ": " + n)
		}
	}
	show(opts.F.IO, found)
	h.showSkipped(opts.F.IO)
	if opts.DryRun && s == nil {
		return outcome{dryRun: true, imported: len(found)}, nil
	}
	docs, err := manifests(ctx, opts, s, found)
	if err != nil {
		return outcome{}, err
	}
	if opts.DryRun {
		applied, err := s.Apply(ctx, api.ApplyRequest{File: "import", YAML: docs, DryRun: true})
		return newOutcome(applied, true), err
	}
	if ok, err := opts.F.Confirm(opts.Yes, "Create %s and project %q?", printer.Plural(len(found), "server"), opts.Project); !ok || err != nil {
		return outcome{}, err
	}
	used := map[string]bool{}
	for _, srv := range found {
		for _, ref := range srv.hidden {
			used[ref] = true
		}
	}
	if err := v.Save(home, func(ref string) bool { return used[ref] }); err != nil {
		return outcome{}, err
	}
	applied, err := s.Apply(ctx, api.ApplyRequest{File: "import", YAML: docs})
	if errors.Is(err, abi.ErrConfig) { // rejected before anything was written
		err = errors.Join(err, v.Withdraw(home))
	}
	if err != nil {
		return outcome{}, err
	}
	opts.report(applied, found)
	return newOutcome(applied, false), nil
}

// show prints the entries of each file.
func show(io *iostreams.Streams, found []server) {
	for i, s := range found {
		if i == 0 || found[i-1].file != s.file {
			fmt.Fprintf(io.Out, "%s\n", iostreams.Line(s.file))
		}
		fmt.Fprintf(io.Out, "  %s\n", iostreams.Line(s.name))
		for _, row := range s.preview() {
			fmt.Fprintf(io.Out, "    %-8s %s\n", row[0], iostreams.Line(row[1]))
		}
	}
}

// manifests returns the servers and the project that contains them, as YAML documents.
func manifests(ctx context.Context, opts *Options, s api.Service, found []server) (string, error) {
	docs := make([]string, 0, len(found)+1)
	names := make([]string, 0, len(found))
	for _, srv := range found {
		doc, err := srv.spec.Manifest(srv.name)
		if err != nil {
			return "", err
		}
		docs, names = append(docs, string(doc)), append(names, srv.name)
	}
	project, err := opts.project(ctx, s, names)
	if err != nil {
		return "", err
	}
	return strings.Join(append(docs, string(project)), "\n---\n"), nil
}

// report prints what was written and the next command.
func (opts *Options) report(applied []api.Applied, found []server) {
	report.Applied(opts.F.IO, applied, false)
	for _, s := range found {
		if len(s.hidden) > 0 {
			fmt.Fprintf(opts.F.IO.ErrOut, "server/%s: credentials are in secrets.yaml as %s\n", s.name, strings.Join(s.hidden, ", "))
		}
	}
	fmt.Fprintf(opts.F.IO.ErrOut, "next: mcpctl connect %s --project %s\n", cmp.Or(opts.Client, clients.Names()[0]), opts.Project)
}
