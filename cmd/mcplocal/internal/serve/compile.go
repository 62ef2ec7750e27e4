package serve

import (
	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/host/wasm"
)

// newCmdCompile returns the command with which the daemon compiles a module in a process of
// its own.
func newCmdCompile(exit func(int)) *cobra.Command {
	var background bool
	cmd := &cobra.Command{
		Use:    "compile DIR KIND",
		Short:  "Compile the module in standard input into a cache",
		Args:   cobra.ExactArgs(2),
		Hidden: true,
		Run: func(cmd *cobra.Command, args []string) {
			if background {
				wasm.GiveWay()
			}
			exit(wasm.CompileInto(cmd.Context(), args[0], args[1], cmd.InOrStdin(), cmd.OutOrStdout()))
		},
	}
	cmd.Flags().BoolVar(&background, "background", false, "let other processes compute first")
	return cmd
}
