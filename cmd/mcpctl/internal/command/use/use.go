// Package use implements `mcpctl use`, which sets the proxymodel of a project.
package use

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/patch"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
)

// Options are the values of the command line.
type Options struct {
	F       *factory.Factory
	Model   string
	Project string
	DryRun  bool
}

// NewCmdUse creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdUse(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "use MODEL",
		Short: "Set the proxymodel of a project",
		Long: `Set the proxymodel of a project. Open sessions use it from their next call on. Without --project, the only project of
the home is changed. This is like "mcpctl patch project NAME --set proxyModel=MODEL", but the model must exist.`,
		Example: `  mcpctl use subindex --project home
  mcpctl use proxymodel/default -p home --dry-run`,
		Args:              kinds.OneOf("proxymodel", &opts.Model),
		ValidArgsFunction: kinds.CompleteOne(f, "proxymodel"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return useRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.Project, "project", "p", "", "project to change")
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "report the change without writing it")
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // fails only for an unknown flag
	return cmd
}

func useRun(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	if _, err := s.Object(ctx, "proxymodel", "", opts.Model); err != nil {
		return err
	}
	project, err := opts.project(ctx, s)
	if err != nil {
		return err
	}
	return patch.SetField(ctx, opts.F, s, project, "proxyModel", opts.Model, opts.DryRun)
}

// project returns the named project, or the only one of the home.
func (opts *Options) project(ctx context.Context, s api.Service) (api.Object, error) {
	if opts.Project != "" {
		return s.Object(ctx, "project", "", kinds.Bare("project", opts.Project))
	}
	all, err := s.Objects(ctx, "project", "")
	if err != nil || len(all) == 1 {
		return append(all, api.Object{})[0], err
	}
	if len(all) == 0 {
		return api.Object{}, problem.Usagef("no project to use %s: there is none yet", opts.Model).WithHint("mcpctl import")
	}
	names := make([]string, len(all))
	for i, o := range all {
		names[i] = o.Name
	}
	p := problem.Usagef("no project selected to use %s", opts.Model)
	p.Cause = "available projects are " + strings.Join(names, ", ")
	return api.Object{}, p.WithHint("mcpctl use %s --project %s", problem.Arg(opts.Model), problem.Arg(all[0].Name))
}
