// Package regenerate is `mcpctl regenerate`: it lets an LLM write the summary and chapters of a prompt again.
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

// Options are what the command line said.
type Options struct {
	F       *factory.Factory
	Names   []string
	Project string
}

// NewCmdRegenerate makes the command; runF replaces its work in tests.
func NewCmdRegenerate(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "regenerate prompt NAME...",
		Short: "Regenerate the summary and chapters of a prompt",
		Long: `Have an LLM write the summary and the chapters of a prompt anew, whatever it wrote before. A daemon does so in the
background, and the old ones stay until it has; without one the old ones are dropped, and the next daemon makes them.
What the file of a prompt says itself is not touched.`,
		Example: `  mcpctl regenerate prompt naming
  mcpctl regenerate prompt naming rules --project home`,
		Args: func(_ *cobra.Command, args []string) error {
			kind, names, err := kinds.Named("regenerate", args)
			if err == nil && kind != kinds.Prompt {
				err = problem.Usagef("nothing of a %s is made by an LLM, the summary of a prompt is", kind).WithHint("mcpctl get prompts")
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
	cmd.Flags().StringVarP(&opts.Project, "project", "p", "", "project of the prompt, if several have one of the name")
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // fails only for an unknown flag
	return cmd
}

func regenerateRun(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	what := "regenerated"
	if _, daemon := s.(*api.Client); !daemon {
		what = "dropped, the next daemon regenerates it"
	}
	for _, name := range opts.Names {
		if err := s.RegenerateSummary(ctx, opts.Project, name); err != nil {
			return err
		}
		fmt.Fprintf(opts.F.IO.Out, "summary of prompt/%s %s\n", iostreams.Line(name), what)
	}
	return nil
}
