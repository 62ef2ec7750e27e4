// Package approve implements `mcpctl approve`, which turns a prompt proposed by a model into a
// prompt, and accepts changed definitions of a server's tools.
package approve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/report"
)

// Options contains the arguments and flags.
type Options struct {
	F       *factory.Factory
	Kind    string // one of approved
	Names   []string
	Project string
	Output  string
	DryRun  bool
	Yes     bool
}

// approved lists the kinds that are approved.
var approved = []string{"promptrequest", "server"}

// NewCmdApprove creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdApprove(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "approve (promptrequest|server) NAME...",
		Short: "Accept a prompt proposed by a model, or changed tools of a server",
		Long: `A promptrequest is a proposal of a model: a prompt is created from it, replacing one of the same name, and the proposal is
deleted. Read the proposal first: prompts are sent to every session of the project. "mcpctl delete promptrequest" rejects
it. On a team server, approving needs the right to edit the promptrequest and the prompt, and rejecting the right to
delete the promptrequest.

The tools of a server are recorded in tools.lock when it first lists them. If a definition changes later, or a tool is
added, the change is reported until it is approved; with "pinning: hold" in the server, clients keep seeing the approved
definition and cannot call the tool. The command prints the differences and asks before it approves exactly those.`,
		Example: `  mcpctl approve promptrequest naming --project home
  mcpctl approve server github --dry-run`,
		Args: func(_ *cobra.Command, args []string) (err error) {
			opts.Kind, opts.Names, err = kinds.Named("approve", args)
			if err == nil && !slices.Contains(approved, opts.Kind) {
				err = problem.Usagef("a %s needs no approval, only a promptrequest or a server does", opts.Kind).WithHint("mcpctl get promptrequests")
			}
			return err
		},
		ValidArgsFunction: completeNames(f),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := printer.Check(opts.Output); err != nil {
				return err
			}
			if opts.Kind == "server" && opts.Project != "" {
				return problem.Usagef("--project is for promptrequests, a server belongs to no project").WithHint("mcpctl approve server %s", problem.Arg(opts.Names[0]))
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			if opts.Kind == "server" {
				return approveTools(cmd.Context(), opts)
			}
			return approvePrompts(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.Project, "project", "p", "", "project of the promptrequest, if the name is not unique")
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "report the changes without writing them")
	cmd.Flags().BoolVarP(&opts.Yes, "yes", "y", false, "approve the tools of a server without asking")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // fails only for an unknown flag
	return cmd
}

// completeNames completes one of the kinds, then the names of its objects.
func completeNames(f *factory.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			kind, err := kinds.Parse(args[0])
			if err != nil || !slices.Contains(approved, kind) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return f.Names(kind)(cmd, args[1:], prefix)
		}
		list := slices.DeleteFunc(slices.Clone(approved), func(kind string) bool { return !strings.HasPrefix(kind, prefix) })
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// approvePrompts accepts proposals of models.
func approvePrompts(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	l := printer.Listing{}
	all := []api.Applied{}
	for _, name := range opts.Names {
		a, err := s.Approve(ctx, opts.Project, name, opts.DryRun)
		if err != nil {
			return err
		}
		all = append(all, a)
		l.Names = append(l.Names, fmt.Sprintf("%s/%s", a.Kind, a.Name))
		if isText(opts.Output) {
			report.Applied(opts.F.IO, []api.Applied{a}, opts.DryRun)
		}
	}
	if isText(opts.Output) {
		return nil
	}
	for _, a := range all {
		report.Warnings(opts.F.IO, a)
	}
	l.Value = all
	return printer.Print(opts.F.IO, opts.Output, l)
}

// isText reports whether an output format is for people.
func isText(output string) bool { return output == "table" || output == "wide" }
