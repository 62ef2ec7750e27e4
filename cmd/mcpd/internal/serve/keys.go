package serve

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/homedir"
)

func newCmdKeys() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Manage the keys of stored credentials",
		Long:  "Manage the keys that encrypt stored credentials. They are in the file keys of the home, which is not part of a backup.",
		Example: `  mcpd keys rotate
  mcpd keys add keys.old`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(newCmdRotate(), newCmdAddKeys(), newCmdReseal())
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
			keys, save, err := keyring.PrepareRotation(file)
			if err != nil {
				return err
			}
			isSaved := false
			n, err := store.New(o.db, keys).Reencrypt(cmd.Context(), "mcpd keys rotate", func() error {
				err := save()
				isSaved = isSaved || err == nil
				return err
			})
			if isSaved && err != nil { // the database may have committed: the key must stay
				cmd.PrintErrf("the new key %s is in %s, which must be the same on all replicas; run mcpd keys rotate again\n", keys.Current(), file)
			}
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

func newCmdAddKeys() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add FILE",
		Short: "Add the keys of another file",
		Long: `Add the keys of another file, such as a copy from before the file keys of the home was lost, to the file keys. The
keys that it has stay, since they encrypt what was written meanwhile. The server must not run. With PostgreSQL, copy the
file to all replicas before they start again.`,
		Example: `  mcpd keys add keys.old
  mcpd keys add /mnt/safe/mcpd-keys`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return problem.Usagef("want one file of keys").WithHint("mcpd keys add keys.old")
			}
			home, err := homeDir()
			if err != nil {
				return err
			}
			if err := homedir.Prepare(home); err != nil {
				return err
			}
			lock, err := homedir.Dir(home).Lock()
			if err != nil {
				return inUse(home)
			}
			defer lock.Close()
			file := filepath.Join(home, "keys")
			added, err := keyring.Add(file, args[0])
			if err != nil {
				return err
			}
			if len(added) == 0 {
				cmd.Printf("%s has all keys of %s\n", file, args[0])
				return nil
			}
			cmd.Printf("added to %s: %s\n", file, strings.Join(added, ", "))
			return nil
		},
	}
	cmd.SetOut(os.Stdout)
	return cmd
}

func newCmdReseal() *cobra.Command {
	var p place
	cmd := &cobra.Command{
		Use:   "reseal KEY...",
		Short: "Accept that keys of the audit log are lost",
		Long: `Replace the seals of the audit log whose keys are lost for good by seals with the newest key, so that mcpctl audit
verify passes again. Only these seals are replaced, if the rest of the log is intact, and the log has an entry about each
key. Entries of the end of a writer that were removed before are not found afterwards, except by anchors: accept only
the loss of a key that you know of. If you have the old file, run mcpd keys add instead. The server must not run; with
PostgreSQL, stop the replicas.`,
		Example: `  mcpd keys reseal ILII4RWGKQ2X
  mcpd keys reseal ILII4RWGKQ2X --db postgres://mcpd@db.example.com/mcpd`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return problem.Usagef("want the ids of the lost keys, which mcpctl audit verify prints").WithHint("mcpctl audit verify")
			}
			o, err := p.open(cmd.Context())
			if err != nil {
				return err
			}
			defer o.Close()
			if err := o.db.CheckSchema(cmd.Context()); err != nil {
				return err
			}
			n, err := o.store.AcceptLostKeys(cmd.Context(), "mcpd keys reseal", args)
			if err != nil {
				return err
			}
			cmd.Printf("replaced %d seals of the audit log; it has an entry about that\n", n)
			return nil
		},
	}
	cmd.SetOut(os.Stdout)
	p.addFlags(cmd)
	return cmd
}
