// Package reload is `mcpctl reload`.
package reload

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// NewCmdReload makes the command; runF replaces its work in tests.
func NewCmdReload(f *factory.Factory, runF func(context.Context) error) *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: "Reload all files of the home",
		Long: `Make the daemon read all objects and stages of the home anew, and return once they are in force. It does so by
itself when a file changes; this is for file systems that do not tell, and for scripts that must know.`,
		Example: `  mcpctl reload
  cp shout.wasm ~/.mcpctl/stages/ && mcpctl reload`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runF != nil {
				return runF(cmd.Context())
			}
			client, err := f.Daemon()
			if err != nil {
				return err
			}
			if err := client.Reload(cmd.Context()); err != nil {
				return err
			}
			fmt.Fprintln(f.IO.Out, "reloaded")
			st, err := client.Status(cmd.Context())
			for _, p := range st.Problems { // what is not in force is not passed over
				fmt.Fprintf(f.IO.ErrOut, "warning: %s\n", iostreams.Line(p))
			}
			return err
		},
	}
}
