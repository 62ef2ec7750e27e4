package create

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/corrected"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// TestOptions are the arguments and flags of the command.
type TestOptions struct {
	F          *factory.Factory
	Correction string
	Stage      string
	Name       string
}

// NewCmdTest makes the command; runF replaces its work in tests.
func NewCmdTest(f *factory.Factory, runF func(context.Context, *TestOptions) error) *cobra.Command {
	opts := &TestOptions{F: f}
	cmd := &cobra.Command{
		Use:   "test CORRECTION",
		Short: "Create a test of a stage from an edited answer",
		Long: `Create a test of a stage from a correction, an answer that was held and edited in Model Studio: the original is the
input, the edited text is the expected output. The file testdata/NAME.txtar is written into the directory of the stage,
and "mcpctl stage test" fails until the stage returns the edited text.

Without --stage it is the last stage of the proxymodel that was built on this machine. An id may be abbreviated.`,
		Example: `  mcpctl get corrections
  mcpctl create test 20261128-18 --stage shout --name no-footer`,
		Args:              factory.ExactArgs("CORRECTION"),
		ValidArgsFunction: f.Names("correction"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Correction = args[0]
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return createTest(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Stage, "stage", "", "stage to test")
	cmd.Flags().StringVar(&opts.Name, "name", "", "name of the test, default correction-ID")
	_ = cmd.RegisterFlagCompletionFunc("stage", f.Names("stage")) // fails only for an unknown flag
	return cmd
}

func createTest(ctx context.Context, opts *TestOptions) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	t, err := corrected.Write(ctx, s, opts.Correction, opts.Stage, opts.Name)
	if err != nil {
		return err
	}
	fmt.Fprintf(opts.F.IO.ErrOut, "created %s\nnext: mcpctl stage test %s\n", t.File, problem.Arg(t.Dir))
	return nil
}
