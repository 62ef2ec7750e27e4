// Package add implements `mcpctl add`, which creates a server and adds it to a project.
package add

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/vault"
)

// Options are the values of the command line.
type Options struct {
	F         *factory.Factory
	Name      string
	Command   []string // either Command or URL is set
	URL       string
	Project   string // "" is resolved by targetProject
	Env       []string
	SecretEnv []string
	Headers   []string
	Cwd       string
	DryRun    bool

	dir string // working directory of the command
}

// NewCmdAdd creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdAdd(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:        "add NAME [flags] -- COMMAND [ARG...] | URL",
		SuggestFor: []string{"create server"},
		Short:      "Add an MCP server to a project",
		Long: `Create a server and add it to a project: a command after --, or the URL of a server that uses streamable HTTP. Without
--project, the only project of the home is used, or "home", which is created if the home has no project.

Credentials in variables, headers, arguments and the URL are moved to secrets.yaml (mode 0600) and replaced by references.
--secret-env NAME reads the value from the environment of this shell, so that no history and no process list shows it.

If an argument is the name of a file or directory here, the server runs in this directory; --cwd sets another one.
"mcpctl delete server NAME" reverts all changes.`,
		Example: `  mcpctl add files -- npx -y @modelcontextprotocol/server-filesystem /srv/data
  mcpctl add github --secret-env GITHUB_TOKEN -- npx -y @modelcontextprotocol/server-github
  mcpctl add docs https://example.com/mcp --header 'X-Team: core' -p work`,
		Args:              opts.readArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if opts.dir, err = os.Getwd(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return addRun(cmd.Context(), opts)
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		err = cmd.Root().FlagErrorFunc()(cmd, err)
		line := withDash(os.Args, cmd.Flags().Args())
		switch {
		case line == "":
			return err
		case len(opts.Env)+len(opts.SecretEnv)+len(opts.Headers) > 0: // do not print the values, which may be credentials
			return problem.From(err).WithHint("repeat the command with -- before %s", problem.Arg(cmd.Flags().Arg(1)))
		}
		return problem.From(err).WithHint("%s", line)
	})
	fl := cmd.Flags()
	fl.StringVarP(&opts.Project, "project", "p", "", "project to which the server is added; created if it does not exist")
	fl.StringArrayVarP(&opts.Env, "env", "e", nil, "NAME=VALUE for the command (repeatable)")
	fl.StringArrayVar(&opts.SecretEnv, "secret-env", nil, "NAME or NAME=VALUE, stored in secrets.yaml (repeatable)")
	fl.StringArrayVar(&opts.Headers, "header", nil, "'NAME: VALUE' for the URL (repeatable)")
	fl.StringVar(&opts.Cwd, "cwd", "", "working directory of the command")
	fl.BoolVar(&opts.DryRun, "dry-run", false, "show the server without writing it")
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // all fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("cwd", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
	return cmd
}

// readArgs parses NAME and the command after --, or the URL.
func (opts *Options) readArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return problem.Usagef("add needs the name of the server").WithHint("mcpctl add --help")
	}
	opts.Name = args[0]
	rest, dash := args[1:], cmd.ArgsLenAtDash()
	isURL := len(rest) == 1 && (strings.HasPrefix(rest[0], "http://") || strings.HasPrefix(rest[0], "https://"))
	switch {
	case dash == 0:
		return problem.Usagef("the name of the server goes before --").WithHint("mcpctl add --help")
	case len(rest) == 0:
		return problem.Usagef("server %q needs a command or a URL", opts.Name).WithHint("mcpctl add %s -- COMMAND ARG...", problem.Arg(opts.Name))
	case isURL:
		opts.URL = rest[0]
	case strings.Contains(rest[0], "://"):
		return opts.urlError(rest)
	case dash == 1:
		opts.Command = rest
	default:
		return problem.Usagef("a command goes after --, and a URL begins with https:// or http://").
			WithHint("mcpctl add %s -- %s", problem.Arg(opts.Name), shellWords(rest))
	}
	return nil
}

// urlError returns the error of a URL of another scheme, or of one that is followed by arguments.
func (opts *Options) urlError(rest []string) error {
	scheme, _, _ := strings.Cut(rest[0], "://")
	p := problem.Usagef("the URL of server %q begins with %.20q", opts.Name, scheme+"://")
	p.Cause = "only http:// and https:// are supported"
	if scheme == "http" || scheme == "https" {
		p = problem.Usagef("the URL of server %q is followed by other arguments", opts.Name)
	}
	return p.WithHint("mcpctl add %s https://example.com/mcp", problem.Arg(opts.Name))
}

// withDash returns the command line with -- inserted before the command of the server, for a line
// whose
// flags were parsed as flags of add. read contains the arguments parsed before the error: the name
// and
// the command. The result is "" if a missing -- does not explain the error.
func withDash(line, read []string) string {
	if len(read) < 2 || strings.Contains(read[1], "://") {
		return ""
	}
	name := slices.Index(line, read[0])
	command := slices.Index(line[name+1:], read[1])
	if name < 0 || command < 0 {
		return ""
	}
	command += name + 1
	return "mcpctl " + shellWords(line[1:command]) + " -- " + shellWords(line[command:])
}

func shellWords(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = problem.Arg(a)
	}
	return strings.Join(quoted, " ")
}

func addRun(ctx context.Context, opts *Options) error {
	home, err := opts.F.Home()
	if err != nil {
		return err
	}
	v, err := vault.Open(home)
	if err != nil {
		return err
	}
	hide := &vault.Hider{Vault: v, Server: opts.Name}
	server, err := opts.manifest(hide)
	if err != nil {
		return err
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := checkServer(ctx, s, opts.Name, server); err != nil {
		return err
	}
	project, err := targetProject(ctx, s, opts.Project)
	if err != nil {
		return err
	}
	if err := checkRight(ctx, s, project); err != nil {
		return err
	}
	if err := opts.write(ctx, s, v, server, project); err != nil {
		return err
	}
	return opts.printResult(hide.Names, server, project.Name)
}

// write saves the credentials, writes the server and adds it to the project. If a step fails, the
// server and its credentials are removed again.
func (opts *Options) write(ctx context.Context, s api.Service, v *vault.Vault, server string, project api.Object) error {
	home, err := opts.F.Home()
	if err != nil {
		return err
	}
	if !opts.DryRun {
		if err := v.Save(home, func(string) bool { return true }); err != nil {
			return err
		}
	}
	applied, err := s.Apply(ctx, api.ApplyRequest{File: "server/" + opts.Name, YAML: server, DryRun: opts.DryRun})
	if err != nil {
		return errors.Join(problem.WithoutPositions(err), opts.withdraw(v, home))
	}
	report.Applied(opts.F.IO, applied, opts.DryRun)
	err = opts.join(ctx, s, project)
	if err == nil || applied[0].Action != "created" || opts.DryRun {
		return err
	}
	if failed := s.Delete(ctx, "server", "", opts.Name, true); failed != nil && !errors.Is(failed, abi.ErrNotFound) {
		return errors.Join(err, failed) // the server still refers to its credentials
	}
	fmt.Fprintf(opts.F.IO.ErrOut, "server/%s was deleted again\n", opts.Name)
	return errors.Join(err, opts.withdraw(v, home))
}

// withdraw removes the credentials that were saved for the server.
func (opts *Options) withdraw(v *vault.Vault, home string) error {
	if opts.DryRun {
		return nil
	}
	return v.Withdraw(home)
}

// checkServer returns an error if another server uses the name, or if apply would reject the
// manifest.
func checkServer(ctx context.Context, s api.Service, name, server string) error {
	applied, err := s.Apply(ctx, api.ApplyRequest{File: "server/" + name, YAML: server, DryRun: true})
	if err != nil {
		return problem.WithoutPositions(err)
	}
	if applied[0].Action != "configured" {
		return nil
	}
	p := problem.New(abi.ErrConflict, "a different server %q exists", name)
	p.Cause = "add does not change existing servers"
	return p.WithHint("mcpctl describe server %s", problem.Arg(name))
}

// printResult prints the names of the credentials, or the manifest in a dry run, and the next step.
func (opts *Options) printResult(secrets []string, server, project string) error {
	if opts.DryRun {
		return printManifest(opts.F.IO.Out, server)
	}
	if len(secrets) > 0 {
		fmt.Fprintf(opts.F.IO.ErrOut, "server/%s: credentials are in secrets.yaml as %s\n", opts.Name, strings.Join(secrets, ", "))
	}
	fmt.Fprintf(opts.F.IO.ErrOut, "next: mcpctl get tools --project %s\n", project)
	return nil
}
