package connect

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

func backups(f *factory.Factory) (clientconfig.Backups, error) {
	home, err := f.Home()
	return clientconfig.Backups{Dir: filepath.Join(home, "backups"), Now: time.Now}, err
}

// NewCmdUndo makes the command.
func NewCmdUndo(f *factory.Factory) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "Take back the last change of a client's configuration",
		Long: `Bring a client's configuration file back to what it was before the last connect, disconnect or import, byte for
byte. Repeated, it goes further back. A file that somebody has changed since is left alone unless --force is given.`,
		Example: `  mcpctl undo
  mcpctl undo --force`,
		Args: factory.ExactArgs(),
		RunE: func(*cobra.Command, []string) error {
			b, err := backups(f)
			if err != nil {
				return err
			}
			file, err := b.Undo(force)
			if errors.Is(err, abi.ErrConflict) {
				return problem.From(err).WithHint("mcpctl undo --force")
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(f.IO.Out, "restored %s\n", file)
			return nil
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also if the file has changed since")
	return cmd
}
