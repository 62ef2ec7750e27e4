package serve

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
)

func newCmdKeys() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Manage the keys of stored credentials",
		Long:  "Manage the keys that encrypt stored credentials. They are in the file keys of the home, which is not part of a backup.",
		Example: `  mcpd keys rotate
  mcpd keys rotate --db postgres://mcpd@db.example.com/mcpd`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(newCmdRotate())
	return cmd
}

func newCmdRotate() *cobra.Command {
	var p place
	cmd := &cobra.Command{
		Use:   "rotate",
		Short: "Encrypt all credentials with a new key",
		Long: `Add a key to the file keys of the home and encrypt all credentials with it. Old keys stay in the file, since copies
of the database need them. On SQLite the server must not run. With PostgreSQL, stop the replicas, and copy the file to
each of them before they start again.`,
		Example: `  mcpd keys rotate
  mcpd keys rotate --db postgres://mcpd@db.example.com/mcpd`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := p.open(cmd.Context())
			if err != nil {
				return err
			}
			defer o.Close()
			if err := o.db.CheckSchema(cmd.Context()); err != nil {
				return err
			}
			file := filepath.Join(o.home, "keys")
			if err := keyring.Rotate(file); err != nil {
				return err
			}
			keys, err := keyring.Open(file)
			if err != nil {
				return err
			}
			n, err := store.New(o.db, keys).Reencrypt(cmd.Context(), "mcpd keys rotate")
			if err != nil {
				return err
			}
			cmd.Printf("encrypted %d credentials with the new key %s\n", n, keys.Current())
			if o.db.Engine() == database.PostgreSQL {
				cmd.Printf("copy %s to all replicas before they start again\n", file)
			}
			return nil
		},
	}
	cmd.SetOut(os.Stdout)
	p.addFlags(cmd)
	return cmd
}
