package serve

import (
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/host/wasm"
)

// newCmdWorker returns the command with which the daemon runs the guests of a module in a
// process of its own.
func newCmdWorker() *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Run the guests of a module for the daemon",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return wasm.ServeGuests(cmd.Context(), os.Stdin, os.Stdout)
		},
	}
}

// programs returns the command lines of a compiler and a worker: this program.
func programs(log *slog.Logger, isolated bool) (compiler, worker []string) {
	self, err := os.Executable()
	if err != nil {
		log.Warn("local modules are compiled and run in the process of the daemon, because its program is not known", "cause", err)
		return nil, nil
	}
	compiler = []string{self, "compile", "--background"} // sessions go on meanwhile
	if isolated {
		worker = []string{self, "worker"}
	}
	return compiler, worker
}
