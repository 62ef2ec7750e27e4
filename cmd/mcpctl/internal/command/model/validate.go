package model

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/lab"
)

// ValidateOptions are the arguments and flags of the command.
type ValidateOptions struct {
	F     *factory.Factory
	Model string
	Files []string
}

// NewCmdValidate makes the command; runF replaces its work in tests.
func NewCmdValidate(f *factory.Factory, runF func(context.Context, *ValidateOptions) error) *cobra.Command {
	opts := &ValidateOptions{F: f}
	cmd := &cobra.Command{
		Use:   "validate NAME | -f FILE",
		Short: "Check a proxymodel",
		Long: `Check that every stage of a proxymodel exists and fits the ABI, that its config is valid, and that it runs: on sample
content, and on the examples of local stages. With a running daemon the names of the tools of projects that use the
proxymodel are checked as well. All errors are reported at once; the exit status is 7 if there is one.`,
		Example: `  mcpctl proxymodel validate subindex
  mcpctl proxymodel validate -f smart.yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(opts.Files) > 0 {
				return factory.ExactArgs()(cmd, args)
			}
			return kinds.OneOf("proxymodel", &opts.Model)(cmd, args)
		},
		ValidArgsFunction: kinds.CompleteOne(f, "proxymodel"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return validateRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringArrayVarP(&opts.Files, "filename", "f", nil, "YAML file with proxymodels, - for standard input; may be repeated")
	_ = cmd.MarkFlagFilename("filename", "yaml", "yml") // fails only for an unknown flag
	return cmd
}

func validateRun(ctx context.Context, opts *ValidateOptions) error {
	wanted := []lab.ModelCheck{{Name: opts.Model}}
	if len(opts.Files) > 0 {
		wanted = wanted[:0]
	}
	for _, file := range opts.Files {
		yaml, err := opts.F.ReadFile(file)
		if err != nil {
			return err
		}
		wanted = append(wanted, lab.ModelCheck{File: factory.Shown(file), YAML: yaml})
	}
	h, err := opts.F.Host(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	examples := examplesOf(ctx, h)
	var checks []lab.Check
	for _, w := range wanted {
		w.Samples = examples
		more, err := h.Lab().ValidateModel(ctx, w)
		if err != nil {
			return err
		}
		checks = append(checks, more...)
	}
	if opts.Model != "" {
		more, err := daemonChecks(ctx, opts)
		if err != nil {
			return err
		}
		checks = append(checks, more...)
	}
	return printChecks(opts.F.IO, checks)
}

// daemonChecks are those that only a daemon that has asked the servers can make.
func daemonChecks(ctx context.Context, opts *ValidateOptions) ([]lab.Check, error) {
	client, err := opts.F.Daemon()
	if err != nil || !client.Running(ctx) {
		return nil, err
	}
	return checkNames(ctx, client, opts.Model)
}

func printChecks(io *iostreams.Streams, checks []lab.Check) error {
	failed := 0
	for _, c := range checks {
		if c.Err != nil {
			failed++
			problem.Print(io.ErrOut, c.Err, false)
			continue
		}
		fmt.Fprintf(io.Out, "ok    %s\n", c.What)
	}
	if failed > 0 {
		return problem.New(abi.ErrConfig, "%d of %s failed", failed, printer.Plural(len(checks), "check"))
	}
	return nil
}
