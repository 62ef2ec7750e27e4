package create

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/host/object"
)

// ProjectOptions are the arguments and flags for a project.
type ProjectOptions struct {
	F          *factory.Factory
	Name       string
	Servers    []string
	ProxyModel string
	Gated      bool
	NoGated    bool

	target target
}

// NewCmdProject makes the command; runF replaces its work in tests.
func NewCmdProject(f *factory.Factory, runF func(context.Context, *ProjectOptions) error) *cobra.Command {
	opts := &ProjectOptions{F: f}
	cmd := &cobra.Command{
		Use:   "project NAME",
		Short: "Create a project, to which one entry of a client connects",
		Long: `Create a project of one or more servers. If the project has prompts, it is gated unless --no-gated is given: before it
opens the tools, it asks each session for 5 keywords about its task, and answers with the prompts that match them.

The project is a file of this machine, unless --team is given.`,
		Example: `  mcpctl create project home --servers files,notes --no-gated
  mcpctl create project work --servers files --proxy-model subindex --gated
  mcpctl create project web --servers wiki --team`,
		Args:              factory.OneArg("NAME", &opts.Name),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.Gated && opts.NoGated {
				return problem.Usagef("--gated and --no-gated exclude each other").WithHint("mcpctl create project --help")
			}
			if err := opts.target.check(f); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return projectRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&opts.Servers, "servers", nil, "its servers, separated by commas")
	fl.StringVar(&opts.ProxyModel, "proxy-model", string(object.DefaultProxyModel), "proxymodel that transforms the results for the model")
	fl.BoolVar(&opts.Gated, "gated", false, "sessions begin with begin_session, which is the default")
	fl.BoolVar(&opts.NoGated, "no-gated", false, "sessions see all tools at once")
	opts.target.addFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("servers", factory.ListOf(f.Names("server"))) // both fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("proxy-model", f.Names("proxymodel"))
	return cmd
}

func projectRun(ctx context.Context, o *ProjectOptions) error {
	s, done, err := o.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := free(ctx, s, "project", "", o.Name); err != nil {
		return err
	}
	servers := o.Servers
	if servers == nil {
		servers = []string{}
	}
	spec := map[string]any{"servers": servers, "proxyModel": o.ProxyModel}
	if o.Gated || o.NoGated {
		spec["gated"] = o.Gated
	}
	return apply(ctx, o.F, s, o.target, "Project", map[string]any{"name": o.Name}, spec)
}
