// Package hold implements `mcpctl hold` and `mcpctl release`: answers that wait for a
// person, from scripts. Model Studio does the same in a terminal.
package hold

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/eventquery"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Options are the arguments and flags of hold.
type Options struct {
	F       *factory.Factory
	Project string
	All     bool
	Query   string
	Off     bool
}

// NewCmdHold makes the command; runF replaces its work in tests.
func NewCmdHold(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "hold PROJECT",
		Short: "Hold answers until they are released, edited or dropped",
		Long: `Hold the answers of a project: all of them, or those that a query selects ("mcpctl help query"). Without a flag, print
what is held. A held answer waits for "mcpctl release" or for Model Studio; if nobody decides, it is sent unchanged after
45 s, or after 10 minutes if the client accepts progress and a studio is connected. At most 100 answers or 64 MiB are
held.`,
		Example: `  mcpctl hold home --all
  mcpctl hold home -l 'tool:demo/* size:>10k'
  mcpctl hold home --off`,
		Args:              kinds.OneOf("project", &opts.Project),
		ValidArgsFunction: kinds.CompleteOne(f, "project"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return holdRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVar(&opts.All, "all", false, "hold all answers")
	cmd.Flags().BoolVar(&opts.Off, "off", false, "hold no more answers; those that are held stay held")
	eventquery.AddFlag(cmd, f, &opts.Query, "hold the answers that this query selects")
	cmd.MarkFlagsMutuallyExclusive("all", "off", "query")
	return cmd
}

func holdRun(ctx context.Context, opts *Options) error {
	daemon, err := opts.F.Daemon()
	if err != nil {
		return err
	}
	s := daemon.Studio()
	rule, err := s.HoldRule(ctx, opts.Project)
	if err == nil && (opts.All || opts.Off || opts.Query != "") {
		rule, err = s.SetHoldRule(ctx, opts.Project, api.HoldRule{All: opts.All, Query: opts.Query})
	}
	if err != nil {
		return err
	}
	what := "no answers"
	switch {
	case rule.All:
		what = "all answers"
	case rule.Query != "":
		what = "answers that match " + rule.Query
	}
	fmt.Fprintf(opts.F.IO.Out, "project %s: holds %s, %d held now\n", opts.Project, what, rule.Pending)
	if rule.Passed > 0 {
		fmt.Fprintf(opts.F.IO.ErrOut, "warning: %s not held, because 100 answers or 64 MiB are the limit\n", printer.Plural(rule.Passed, "answer"))
	}
	if rule.Pending > 0 {
		fmt.Fprintf(opts.F.IO.ErrOut, "next: mcpctl get holds; mcpctl release --project %s --all\n", problem.Arg(cmp.Or(opts.Project)))
	}
	return nil
}
