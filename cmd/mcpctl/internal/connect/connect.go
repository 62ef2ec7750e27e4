// Package connect is `mcpctl connect`, `disconnect` and `undo`: it writes our
// entry into a client's configuration, and takes it out again.
package connect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/host/object"
)

// Options are what the command line said.
type Options struct {
	F       *factory.Factory
	Client  string
	Project string
	Scope   string
	HTTP    bool
	Yes     bool
	DryRun  bool
	Dir     string // the working folder
	Remove  bool   // disconnect
}

// NewCmdConnect makes the command; runF replaces its work in tests.
func NewCmdConnect(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "connect CLIENT",
		Short: "Write a project into a client's configuration",
		Long: `Write the entry of a project into the configuration of an MCP client, under the project's name. The change is
shown first and asked about; a copy of the file is kept, and "mcpctl undo" takes the change back. A project with
proxyMode "direct" writes its servers themselves instead. Clients: claude-code.`,
		Example: `  mcpctl connect claude-code --project home
  mcpctl connect claude-code --project home --scope user --yes`,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context(), runF) },
	}
	opts.addFlags(cmd)
	cmd.Flags().BoolVar(&opts.HTTP, "http", false, "an HTTP entry (for a shared daemon) instead of the stdio entry")
	return cmd
}

// NewCmdDisconnect makes the command; runF replaces its work in tests.
func NewCmdDisconnect(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f, Remove: true}
	cmd := &cobra.Command{
		Use:   "disconnect CLIENT",
		Short: "Take a project out of a client's configuration",
		Long: `Take the entry of a project out of the configuration of an MCP client; nothing else in the file changes. "mcpctl
undo" brings it back.`,
		Example: `  mcpctl disconnect claude-code --project home
  mcpctl disconnect claude-code --project home --scope user --yes`,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context(), runF) },
	}
	opts.addFlags(cmd)
	return cmd
}

func (opts *Options) addFlags(cmd *cobra.Command) {
	cmd.Args = factory.OneArg("CLIENT", &opts.Client)
	cmd.ValidArgs = clients
	fl := cmd.Flags()
	fl.StringVarP(&opts.Project, "project", "p", "", "project (may be left out if there is one only)")
	fl.StringVar(&opts.Scope, "scope", "local", "local: this folder, you alone; user: all folders; project: .mcp.json, for all who work here")
	fl.BoolVarP(&opts.Yes, "yes", "y", false, "do not ask")
	fl.BoolVar(&opts.DryRun, "dry-run", false, "show the change, write nothing")
	_ = cmd.RegisterFlagCompletionFunc("project", opts.F.Names("project"))                                                                        // both fail only
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"local", "user", "project"}, cobra.ShellCompDirectiveNoFileComp)) // for an unknown flag
}

// clients are those whose files we know.
var clients = []string{"claude-code"}

func (opts *Options) run(ctx context.Context, runF func(context.Context, *Options) error) error {
	if opts.Client != "claude-code" {
		p := problem.New(abi.ErrNotFound, "unknown client %q", opts.Client)
		p.Cause = "known is claude-code; for others add a stdio entry that runs: mcpctl mcp --project NAME"
		return p.WithHint("mcpctl %s %s", opts.verb(), cmp.Or(object.Nearest(opts.Client, clients), clients[0]))
	}
	if opts.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		opts.Dir = dir
	}
	if runF != nil {
		return runF(ctx, opts)
	}
	return connectRun(ctx, opts)
}

func connectRun(ctx context.Context, opts *Options) error {
	project, err := opts.project(ctx)
	if err != nil {
		return err
	}
	file, path, err := opts.target()
	if err != nil {
		return err
	}
	f, err := clientconfig.Read(file, clientconfig.JSON)
	if err != nil {
		return err
	}
	entries, err := opts.entries(project)
	if err != nil {
		return err
	}
	if err := opts.edit(f, entries, path); err != nil {
		return clientconfig.InFile(file, err)
	}
	return opts.write(f)
}

// project finds the project that is meant.
func (opts *Options) project(ctx context.Context) (api.Object, error) {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return api.Object{}, err
	}
	defer done()
	if opts.Project != "" {
		return opts.named(ctx, s)
	}
	all, err := s.Objects(ctx, "project", "")
	if err != nil {
		return api.Object{}, err
	}
	switch len(all) {
	case 0:
		return api.Object{}, problem.New(abi.ErrNotFound, "no project in this home").WithHint("mcpctl import")
	case 1:
		opts.Project = all[0].Name
		return all[0], nil
	}
	return api.Object{}, problem.Usagef("%d projects in this home, which one?", len(all)).WithHint("mcpctl %s %s --project %s", opts.verb(), opts.Client, all[0].Name)
}

// named finds the project by its name. One that is gone has left its entry behind,
// which can be taken out all the same.
func (opts *Options) named(ctx context.Context, s api.Service) (api.Object, error) {
	project, err := s.Object(ctx, "project", "", opts.Project)
	if err == nil || !opts.Remove || !errors.Is(err, abi.ErrNotFound) {
		return project, err
	}
	file, path, fault := opts.target()
	if fault != nil {
		return project, fault
	}
	f, fault := clientconfig.Read(file, clientconfig.JSON)
	if fault != nil {
		return project, fault
	}
	entries, fault := f.Entries(path...)
	if fault != nil {
		return project, clientconfig.InFile(file, fault)
	}
	if !slices.ContainsFunc(entries, func(e clientconfig.Entry) bool { return e.Name == opts.Project && opts.runsUs(e.Raw) }) {
		return project, err
	}
	return api.Object{Name: opts.Project, Details: json.RawMessage("{}")}, nil
}

// runsUs reports whether an entry is what connect writes for the project.
func (opts *Options) runsUs(entry json.RawMessage) bool {
	var e struct {
		Args []string
		URL  string
	}
	return json.Unmarshal(entry, &e) == nil &&
		(slices.Equal(e.Args, []string{"mcp", "--project", opts.Project}) || strings.HasSuffix(e.URL, "/projects/"+opts.Project+"/mcp"))
}

func (opts *Options) verb() string {
	if opts.Remove {
		return "disconnect"
	}
	return "connect"
}

// target is the file of the scope and where in it the entries are.
func (opts *Options) target() (file string, path []string, err error) {
	home := opts.F.Env("HOME")
	switch opts.Scope {
	case "local":
		return filepath.Join(home, ".claude.json"), []string{"projects", opts.Dir, "mcpServers"}, nil
	case "user":
		return filepath.Join(home, ".claude.json"), []string{"mcpServers"}, nil
	case "project":
		return filepath.Join(opts.Dir, ".mcp.json"), []string{"mcpServers"}, nil
	}
	return "", nil, problem.Usagef("unknown scope %q, want local, user or project", opts.Scope).WithHint("mcpctl %s --help", opts.verb())
}

// edit writes the project's entries, or removes them.
func (opts *Options) edit(f *clientconfig.File, entries []entry, path []string) error {
	for _, e := range entries {
		var err error
		if opts.Remove {
			err = f.Remove(e.name, path...)
		} else {
			err = f.Set(e.name, e.value, path...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write shows the change, asks, and writes.
func (opts *Options) write(f *clientconfig.File) error {
	if !f.Changed() {
		fmt.Fprintf(opts.F.IO.ErrOut, "%s is as wanted already\n", f.Name)
		return nil
	}
	printDiff(opts.F.IO, f)
	if opts.DryRun {
		return nil
	}
	if ok, err := opts.F.Confirm(opts.Yes, "Write %s?", f.Name); !ok || err != nil {
		return err
	}
	b, err := backups(opts.F)
	if err != nil {
		return err
	}
	if err := b.Write(f); err != nil {
		return err
	}
	fmt.Fprintf(opts.F.IO.ErrOut, "wrote %s; \"mcpctl undo\" takes this change back\n", f.Name)
	if opts.Scope == "project" && !opts.Remove {
		fmt.Fprintln(opts.F.IO.ErrOut, "Claude Code asks once for approval of a project's .mcp.json; until then the entry is pending")
	}
	return nil
}
