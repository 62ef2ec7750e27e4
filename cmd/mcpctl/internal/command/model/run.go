// Package model is `mcpctl proxymodel`: runs and validates proxymodels.
package model

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/lab"
)

// NewCmdProxyModel makes the group.
func NewCmdProxyModel(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "proxymodel",
		Aliases: []string{"pm"},
		Short:   "Run, validate and compare proxymodels",
		Long: `Work on proxymodels: show the text that a client would receive, drill down into it, check a proxymodel before it is used
(all three without a daemon), compare several on the servers of a project.`,
		Example: `  mcpctl proxymodel run subindex --file big.json
  mcpctl proxymodel validate subindex`,
	}
	cmd.AddCommand(NewCmdRun(f, nil), NewCmdValidate(f, nil), NewCmdBenchmark(f, nil))
	return cmd
}

// RunOptions are the arguments and flags of the command.
type RunOptions struct {
	F          *factory.Factory
	Model      string
	File       string
	Source     string
	Arguments  string
	Section    string
	HasSection bool
	Tree       bool
	Depth      int
	Output     string
	JSON       bool
}

// NewCmdRun makes the command; runF replaces its work in tests.
func NewCmdRun(f *factory.Factory, runF func(context.Context, *RunOptions) error) *cobra.Command {
	opts := &RunOptions{F: f}
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Show the text that a client would receive",
		Long: `Run a whole proxymodel over a file or standard input, offline, and print the text that a client would receive. With
--section print the answer of read_section: to a listed id, any path, "?words" to search, or "id!" for the whole; a part
is printed byte for byte. "mcpctl explain section-ids" describes the names of sections. With --tree print the sections as
a tree; an id that begins with … continues that of the line above.

The name of the file is passed to the stages, as the path in the arguments of a tool call would be. On a terminal ids,
titles and sizes have colours and control characters are shown; elsewhere the text is exactly the client's.`,
		Example: `  mcpctl proxymodel run subindex --file big.json
  mcpctl proxymodel run subindex --file big.json --tree --depth 3
  mcpctl proxymodel run subindex --file big.json --section '?mqtt'`,
		Args:              kinds.OneOf("proxymodel", &opts.Model),
		ValidArgsFunction: kinds.CompleteOne(f, "proxymodel"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.HasSection = cmd.Flags().Changed("section")
			opts.Tree = opts.Tree || cmd.Flags().Changed("depth")
			if err := opts.check(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return modelRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&opts.File, "file", "f", "-", "file to read, - for standard input")
	fl.StringVar(&opts.Source, "source", "stdin/input", "source of the content, as the stages see it: server/tool")
	factory.AddArgumentsFlag(cmd, &opts.Arguments)
	fl.StringVar(&opts.Section, "section", "", "print this section instead")
	fl.BoolVar(&opts.Tree, "tree", false, "print the sections as a tree")
	fl.IntVar(&opts.Depth, "depth", 2, "levels of the tree; implies --tree")
	fl.StringVarP(&opts.Output, "output", "o", runFormat(f.Env), "format: "+strings.Join(runFormats, ", "))
	fl.BoolVar(&opts.JSON, "json", false, "print the MCP result object")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(runFormats, cobra.ShellCompDirectiveNoFileComp)) // both fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("depth", cobra.FixedCompletions([]string{"1", "2", "3", "4"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// runFormats are the values of -o: the text a client gets, or that with its
// metadata and figures.
var runFormats = []string{"text", "json", "yaml"}

// runFormat returns the format that MCPCTL_OUTPUT selects: tables become text here.
func runFormat(env func(string) string) string {
	preset := env("MCPCTL_OUTPUT")
	if preset == "" || slices.Contains([]string{"table", "wide", "name"}, preset) {
		return "text"
	}
	return preset
}

// check is the error for options that do not go together, before any work is done.
func (o *RunOptions) check() error {
	const help = "mcpctl proxymodel run --help"
	switch {
	case !slices.Contains(runFormats, o.Output):
		p := problem.Usagef("unknown output format %q", o.Output)
		p.Cause = "known are " + strings.Join(runFormats, ", ") + "; it comes from -o or MCPCTL_OUTPUT"
		return p.WithHint(help)
	case o.Tree && o.Depth < 1:
		return problem.Usagef("--depth %d, want 1 or more", o.Depth).WithHint(help)
	case o.Tree && (o.JSON || o.Output != "text"):
		return problem.Usagef("--tree is drawn for people, --json and -o %s are for programs", o.Output).WithHint(help)
	case o.JSON && o.Output != "text":
		return problem.Usagef("--json is the MCP result object, -o %s is text and figures: choose one", o.Output).WithHint(help)
	}
	return nil
}

func modelRun(ctx context.Context, opts *RunOptions) error {
	arguments, err := factory.Arguments(opts.Arguments, "mcpctl proxymodel run --help")
	if err != nil {
		return err
	}
	input, err := opts.F.ReadFile(opts.File)
	if err != nil {
		return err
	}
	done := opts.F.IO.Progress("reading " + factory.Shown(opts.File))
	defer done()
	h, err := opts.F.Host(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	run := lab.ModelRun{Model: opts.Model, Type: abi.ToolResult, Source: opts.Source, Arguments: arguments, Input: input}
	if opts.File != "-" {
		run.Hint = opts.File
	}
	if opts.HasSection {
		run.Section = &opts.Section
	}
	res, err := h.Lab().RunModel(ctx, run)
	if err != nil {
		return err
	}
	var tree []*node
	if opts.Tree && !res.IsError {
		if tree, err = grow(flow.Answer{Text: res.Text, Meta: res.Meta}, opts.Depth, maxTreeLines, res.Read); err != nil {
			return err
		}
	}
	why := ""
	if !opts.HasSection {
		why = shownWhole(input, res, stepsOf(ctx, h, opts.Model))
	}
	done()
	return show(opts, input, res, tree, why)
}
