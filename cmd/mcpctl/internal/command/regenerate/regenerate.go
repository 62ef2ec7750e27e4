// Package regenerate implements `mcpctl regenerate`, which lets an LLM write the summary and
// chapters of
// a prompt again.
package regenerate

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
)

// Options contains the arguments and flags.
type Options struct {
	F       *factory.Factory
	Names   []string
	Project string
}

// NewCmdRegenerate creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdRegenerate(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "regenerate prompt NAME...",
		Short: "Regenerate the summary and chapters of a prompt",
		Long: `Let an LLM write the summary and the chapters of a prompt again. A daemon regenerates them in the background and keeps
the old ones until then; without a daemon, the old ones are removed and the next daemon regenerates them. Summaries and
chapters in the file of a prompt are not changed.`,
		Example: `  mcpctl regenerate prompt naming
  mcpctl regenerate prompt naming rules --project home`,
		Args: func(_ *cobra.Command, args []string) error {
			kind, names, err := kinds.Named("regenerate", args)
			if err == nil && kind != kinds.Prompt {
				err = problem.Usagef("a %s has nothing to regenerate, only prompts have a generated summary", kind).WithHint("mcpctl get prompts")
			}
			opts.Names = names
			return err
		},
		ValidArgsFunction: kinds.CompleteOnly(f, kinds.Prompt),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return regenerateRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.Project, "project", "p", "", "project of the prompt, if the name is not unique")
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // fails only for an unknown flag
	return cmd
}

func regenerateRun(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	outcome := "regenerated"
	if _, daemon := s.(*api.Client); !daemon {
		outcome = "removed, the next daemon regenerates it"
	}
	for _, name := range opts.Names {
		if err := s.RegenerateSummary(ctx, opts.Project, name); err != nil {
			return err
		}
		fmt.Fprintf(opts.F.IO.Out, "summary of prompt/%s %s\n", iostreams.Line(name), outcome)
	}
	return nil
}
