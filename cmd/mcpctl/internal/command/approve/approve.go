// Package approve implements `mcpctl approve`, which turns a prompt proposed by a model into a
// prompt.
package approve

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/report"
)

// Options contains the arguments and flags.
type Options struct {
	F       *factory.Factory
	Names   []string
	Project string
	DryRun  bool
}

// NewCmdApprove creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdApprove(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "approve promptrequest NAME...",
		Short: "Accept a prompt proposed by a model",
		Long: `Create a prompt from a proposal of a model, and delete the proposal. A prompt of the same name is replaced. Read the
proposal first: prompts are sent to every session of the project.`,
		Example: `  mcpctl describe promptrequest naming
  mcpctl approve promptrequest naming --project home`,
		Args: func(_ *cobra.Command, args []string) error {
			kind, names, err := kinds.Named("approve", args)
			if err == nil && kind != "promptrequest" {
				err = problem.Usagef("a %s needs no approval, only a promptrequest does", kind).WithHint("mcpctl get promptrequests")
			}
			opts.Names = names
			return err
		},
		ValidArgsFunction: kinds.CompleteOnly(f, "promptrequest"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return approveRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.Project, "project", "p", "", "project of the promptrequest, if the name is not unique")
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "report the changes without writing them")
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // fails only for an unknown flag
	return cmd
}

func approveRun(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	for _, name := range opts.Names {
		a, err := s.Approve(ctx, opts.Project, name, opts.DryRun)
		if err != nil {
			return err
		}
		report.Applied(opts.F.IO, []api.Applied{a}, opts.DryRun)
	}
	return nil
}
