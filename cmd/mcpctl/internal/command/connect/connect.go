// Package connect implements `mcpctl connect`, `disconnect` and `undo`: it writes the entry of a
// project to a client's configuration and removes it.
package connect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studiomcp"
)

// Options contains the arguments and flags.
type Options struct {
	F       *factory.Factory
	Client  string
	Project string
	Scope   string // "" selects the scope automatically
	HTTP    bool
	Keep    bool
	Yes     bool
	DryRun  bool
	Dir     string // the working directory
	Remove  bool   // disconnect
	Studio  bool   // the entry of Model Studio
	Hook    bool   // the hook of the client's own tools

	client  clients.Client
	env     clients.Env
	details api.ProjectDetails
	others  map[string]api.ProjectDetails // the other projects of the home
	deleted bool                          // the project is no longer in the home
}

// NewCmdConnect creates the command. If runF is not nil, it is called instead of the
// implementation.
func NewCmdConnect(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "connect CLIENT",
		Short: "Add a project to a client's configuration",
		Long: `Add the entry of a project to the configuration of an MCP client, under the project's name. Entries of the same
servers are removed, because the client would otherwise have each tool twice and could bypass the project's stages; --keep
keeps them. The change is shown and confirmed first. A copy of the file is kept, and "mcpctl undo" reverts the change.
For a project with proxyMode "direct", the entries of its servers are written instead.
--studio adds Model Studio of the project instead, as server ` + studiomcp.Name + `: tools with which a second model watches the
project's traffic and changes its proxymodel and stages. See docs/studio-mcp.md.
--hook adds a hook to the client's settings instead, with which the results of its own tools, such as Bash and Read, go
through the project too. See docs/hook.md.
Clients: ` + strings.Join(clients.Names(), ", ") + `. See docs/clients.md for their files.`,
		Example: `  mcpctl connect claude-code --project home
  mcpctl connect cursor --project home --scope project --yes
  mcpctl connect claude-code --project home --hook
  mcpctl connect claude-code --project home --studio`,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context(), runF) },
	}
	opts.addFlags(cmd)
	cmd.Flags().BoolVar(&opts.HTTP, "http", false, "write an HTTP entry (for a shared daemon) instead of a stdio entry")
	cmd.Flags().BoolVar(&opts.Keep, "keep", false, "keep the client's own entries of the project's servers")
	cmd.MarkFlagsMutuallyExclusive("studio", "http")
	cmd.MarkFlagsMutuallyExclusive("hook", "http")
	return cmd
}

// NewCmdDisconnect creates the command. If runF is not nil, it is called instead of the
// implementation.
func NewCmdDisconnect(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f, Remove: true}
	cmd := &cobra.Command{
		Use:   "disconnect CLIENT",
		Short: "Remove a project from a client's configuration",
		Long: `Remove the entry of a project from the configuration of an MCP client, and restore the entries that connect removed.
Nothing else in the file changes. "mcpctl undo" reverts the change. With --studio, remove the entry of Model Studio,
and with --hook the hook of the client's own tools.`,
		Example: `  mcpctl disconnect claude-code --project home
  mcpctl disconnect claude-code --project home --scope user --yes`,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context(), runF) },
	}
	opts.addFlags(cmd)
	return cmd
}

func (opts *Options) addFlags(cmd *cobra.Command) {
	cmd.Args = factory.OneArg("CLIENT", &opts.Client)
	cmd.ValidArgs = clients.Names()
	fl := cmd.Flags()
	fl.StringVarP(&opts.Project, "project", "p", "", "project (may be omitted if there is only one)")
	fl.StringVar(&opts.Scope, "scope", "", "local: this directory, only for you; user: all directories; project: a file of this directory, shared by all its users (default: the scope from which the servers were imported or in which the project was connected last, otherwise the client's narrowest private scope)")
	fl.BoolVar(&opts.Studio, "studio", false, "the entry of Model Studio, "+studiomcp.Name+", instead of the entry of the project")
	fl.BoolVar(&opts.Hook, "hook", false, "the hook of the client's own tools, instead of the entry of the project")
	cmd.MarkFlagsMutuallyExclusive("studio", "hook")
	fl.BoolVarP(&opts.Yes, "yes", "y", false, "do not ask")
	fl.BoolVar(&opts.DryRun, "dry-run", false, "show the change without writing it")
	_ = cmd.RegisterFlagCompletionFunc("project", opts.F.Names("project")) // both fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{clients.Local, clients.User, clients.Project}, cobra.ShellCompDirectiveNoFileComp))
}

func (opts *Options) run(ctx context.Context, runF func(context.Context, *Options) error) error {
	c, ok := clients.Find(opts.Client)
	if !ok {
		return clients.Unknown(opts.Client, opts.verb())
	}
	opts.client = c
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
	home, err := opts.F.UserHome()
	if err != nil {
		return err
	}
	opts.env = clients.Env{Home: home, Dir: opts.Dir, OS: runtime.GOOS, Var: opts.F.Env}
	if opts.Scope != "" {
		if _, err := opts.place(opts.Scope); err != nil {
			return err
		}
	}
	return connectRun(ctx, opts)
}

func connectRun(ctx context.Context, opts *Options) error {
	plan, err := newPlan(opts)
	if err != nil {
		return err
	}
	if opts.Hook {
		if plan.places, err = opts.hookPlaces(); err != nil {
			return err
		}
		if opts.Remove {
			if err := (hookPlan{plan}).disconnect(); err != nil { // it needs no project
				return err
			}
			return plan.write()
		}
	}
	if opts.Studio && opts.Remove {
		return studioPlan{plan}.disconnect() // it needs no project, which may be deleted
	}
	if err := opts.loadProject(ctx, plan); err != nil {
		return err
	}
	switch {
	case opts.Remove:
		err = plan.disconnect()
	case opts.Studio:
		err = studioPlan{plan}.connect()
	case opts.Hook:
		err = hookPlan{plan}.connect()
	default:
		err = plan.connect()
	}
	if err != nil {
		return err
	}
	return plan.write()
}

// loadProject loads the selected project.
func (opts *Options) loadProject(ctx context.Context, p *plan) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	project, err := opts.project(ctx, s)
	if errors.Is(err, abi.ErrNotFound) && opts.Remove && opts.Project != "" {
		// A deleted project can still be disconnected.
		opts.deleted = true
		if there, fault := p.isConnected(); there || fault != nil {
			return fault
		}
	}
	if err != nil {
		return err
	}
	opts.Project = project.Name
	if err := json.Unmarshal(project.Details, &opts.details); err != nil {
		return err
	}
	return opts.loadOthers(ctx, s)
}

// loadOthers loads the other projects of the home.
func (opts *Options) loadOthers(ctx context.Context, s api.Service) error {
	all, err := s.Objects(ctx, "project", "")
	if err != nil {
		return err
	}
	opts.others = make(map[string]api.ProjectDetails)
	for _, other := range all {
		var d api.ProjectDetails
		if other.Name != opts.Project && json.Unmarshal(other.Details, &d) == nil {
			opts.others[other.Name] = d
		}
	}
	return nil
}

func (opts *Options) project(ctx context.Context, s api.Service) (api.Object, error) {
	if opts.Project != "" {
		return s.Object(ctx, "project", "", opts.Project)
	}
	all, err := s.Objects(ctx, "project", "")
	if err != nil {
		return api.Object{}, err
	}
	switch len(all) {
	case 0:
		return api.Object{}, problem.New(abi.ErrNotFound, "no project in this home").WithHint("mcpctl import")
	case 1:
		return all[0], nil
	}
	studio := ""
	if opts.Studio {
		studio = " --studio"
	}
	if opts.Hook {
		studio = " --hook"
	}
	return api.Object{}, problem.Usagef("this home has %d projects, select one", len(all)).WithHint("mcpctl %s %s --project %s%s", opts.verb(), opts.Client, all[0].Name, studio)
}

func (opts *Options) verb() string {
	if opts.Remove {
		return "disconnect"
	}
	return "connect"
}

// place returns the place for a scope.
func (opts *Options) place(scope string) (clients.Place, error) {
	p, ok := opts.client.Place(opts.env, scope)
	if !ok {
		scopes := opts.client.Scopes()
		want := strings.Join(scopes, ", ")
		if n := len(scopes) - 1; n > 0 {
			want = strings.Join(scopes[:n], ", ") + " or " + scopes[n]
		}
		return p, problem.Usagef("unknown scope %q of %s, want %s", scope, opts.client.Title, want).WithHint("mcpctl %s %s --scope %s", opts.verb(), opts.Client, scopes[0])
	}
	return p, nil
}

// warn prints a line to standard error.
func (opts *Options) warn(format string, args ...any) {
	fmt.Fprintf(opts.F.IO.ErrOut, format+"\n", args...)
}
