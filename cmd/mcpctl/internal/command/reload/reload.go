// Package reload implements `mcpctl reload`.
package reload

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// NewCmdReload creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdReload(f *factory.Factory, runF func(context.Context) error) *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: "Reload all files of the home",
		Long: `Make the daemon read all objects and stages of the home again, and return when they are in effect. The daemon reloads
changed files automatically; this command is for file systems without change notifications, and for scripts that must
wait.`,
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
			for _, p := range st.Problems { // report objects that are not in effect
				fmt.Fprintf(f.IO.ErrOut, "warning: %s\n", iostreams.Line(p))
			}
			return err
		},
	}
}
