package modelcmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// ValidateOptions are what the command line said.
type ValidateOptions struct {
	F     *factory.Factory
	Model string
	File  string
}

// NewCmdValidate makes the command; runF replaces its work in tests.
func NewCmdValidate(f *factory.Factory, runF func(context.Context, *ValidateOptions) error) *cobra.Command {
	opts := &ValidateOptions{F: f}
	cmd := &cobra.Command{
		Use:   "validate NAME | -f FILE",
		Short: "Check a proxymodel",
		Long: `Check that every stage of a proxymodel exists, that its config is valid, and that it runs: a dry run over sample
content shows what each stage does. All mistakes are reported at once; exit status 7 if there is one.`,
		Example: `  mcpctl proxymodel validate subindex
  mcpctl proxymodel validate -f smart.yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			if opts.File != "" {
				return factory.ExactArgs()(cmd, args)
			}
			if err := factory.ExactArgs("NAME")(cmd, args); err != nil {
				return err
			}
			opts.Model = args[0]
			return nil
		},
		ValidArgsFunction: f.Names("proxymodel"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return validateRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.File, "filename", "f", "", "YAML file with the proxymodel, - for standard input")
	return cmd
}

func validateRun(ctx context.Context, opts *ValidateOptions) error {
	var yaml []byte
	if opts.File != "" {
		var err error
		if yaml, err = opts.F.ReadFile(opts.File); err != nil {
			return err
		}
	}
	h, err := opts.F.Host(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	checks, err := h.ValidateModel(ctx, opts.Model, opts.File, yaml)
	if err != nil {
		return err
	}
	failed := 0
	for _, c := range checks {
		if c.Err != nil {
			failed++
			problem.Print(opts.F.IO.ErrOut, c.Err, false)
			continue
		}
		fmt.Fprintf(opts.F.IO.Out, "ok    %s\n", c.What)
	}
	if failed > 0 {
		return problem.New(abi.ErrConfig, "%d of %d checks failed", failed, len(checks))
	}
	return nil
}
