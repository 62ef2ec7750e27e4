// Package modelcmd is `mcpctl proxymodel`: runs and validates proxymodels.
package modelcmd

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host"
)

// NewCmdProxyModel makes the group.
func NewCmdProxyModel(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "proxymodel",
		Aliases: []string{"pm"},
		Short:   "Run, validate and compare proxymodels",
		Long: `Work on proxymodels: see what a client would get to read of a text, drill down into it, check a proxymodel
before it is used (all three without a daemon), compare several on the servers of a project.`,
		Example: `  mcpctl proxymodel run subindex --file big.json
  mcpctl proxymodel validate subindex`,
	}
	cmd.AddCommand(NewCmdRun(f, nil), NewCmdValidate(f, nil), NewCmdBenchmark(f, nil))
	return cmd
}

// RunOptions are what the command line said.
type RunOptions struct {
	F          *factory.Factory
	Model      string
	File       string
	Source     string
	Section    string
	HasSection bool
	JSON       bool
}

// NewCmdRun makes the command; runF replaces its work in tests.
func NewCmdRun(f *factory.Factory, runF func(context.Context, *RunOptions) error) *cobra.Command {
	opts := &RunOptions{F: f}
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Show what a client would get to read of a text",
		Long: `Run a whole proxymodel over a file or standard input, offline, and print what a client would get. With --section
print what read_section would answer: a listed id, any path, "?words" to search, "id!" for the whole.`,
		Example: `  mcpctl proxymodel run subindex --file big.json
  mcpctl proxymodel run subindex --file big.json --section '?mqtt'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := factory.ExactArgs("NAME")(cmd, args); err != nil {
				return err
			}
			opts.Model = args[0]
			return nil
		},
		ValidArgsFunction: f.Names("proxymodel"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.HasSection = cmd.Flags().Changed("section")
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return modelRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&opts.File, "file", "f", "-", "file to read, - for standard input")
	fl.StringVar(&opts.Source, "source", "stdin/input", "source the stages are told, server/tool")
	fl.StringVar(&opts.Section, "section", "", "print this section instead")
	fl.BoolVar(&opts.JSON, "json", false, "print the MCP result object")
	return cmd
}

func modelRun(ctx context.Context, opts *RunOptions) error {
	input, err := opts.F.ReadFile(opts.File)
	if err != nil {
		return err
	}
	h, err := opts.F.Host(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	run := host.ModelRun{Model: opts.Model, Type: abi.ToolResult, Source: opts.Source, Input: input}
	if opts.File != "-" {
		run.Hint = opts.File
	}
	if opts.HasSection {
		run.Section = &opts.Section
	}
	res, err := h.RunModel(ctx, run)
	if err != nil {
		return err
	}
	return printResult(opts, res)
}

func printResult(opts *RunOptions, res host.ModelResult) error {
	for _, st := range res.Report.Stages {
		if st.Error != "" {
			fmt.Fprintf(opts.F.IO.ErrOut, "warning: %s\n", iostreams.Line(st.Error))
		}
	}
	if opts.JSON {
		return printer.JSON(opts.F.IO.Out, json.RawMessage(res.MCP))
	}
	if _, err := opts.F.IO.Out.Write(res.Text); err != nil {
		return err
	}
	if res.IsError {
		return problem.New(abi.ErrNotFound, "section %q not found", opts.Section).WithHint("mcpctl proxymodel run %s --file %s --section '?words'", opts.Model, opts.File)
	}
	return nil
}
