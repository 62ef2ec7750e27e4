package serve

import (
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/host/wasm"
)

// newCmdCompile returns the command with which the daemon compiles a module in a process of
// its own.
func newCmdCompile(exit func(int)) *cobra.Command {
	return &cobra.Command{
		Use:    "compile DIR KIND",
		Short:  "Compile the module in standard input into a cache",
		Args:   cobra.ExactArgs(2),
		Hidden: true,
		Run: func(cmd *cobra.Command, args []string) {
			exit(wasm.CompileInto(cmd.Context(), args[0], args[1], cmd.InOrStdin(), cmd.OutOrStdout()))
		},
	}
}

// compiler returns the command line that compiles a module: this program.
func compiler(log *slog.Logger) []string {
	self, err := os.Executable()
	if err != nil {
		log.Warn("modules are compiled in the process of the daemon, because its program is not known", "cause", err)
		return nil
	}
	return []string{self, "compile"}
}
