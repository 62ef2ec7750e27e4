package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/cmdline"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/backup"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
)

func newCmdBackup() *cobra.Command {
	var p place
	var file string
	var force bool
	o := backup.Options{Program: release.Version}
	cmd := &cobra.Command{
		Use:   "backup",
		Short: "Write all data to a file",
		Long: `Write all objects, accounts and hashes of tokens to one file (tar, zstd), of one moment, also while a server runs.
Credentials of servers are encrypted to the recipients, which are public keys of age; without a recipient they are
left out. The file has the hashes of passwords, so keep it as safe as the server.`,
		Example: `  mcpd backup -o mcpd.tar.zst --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p
  mcpd backup -o mcpd.tar.zst --audit --force`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return problem.Usagef("-o is missing, it names the file").WithHint("mcpd backup -o mcpd.tar.zst")
			}
			if err := cmdline.CheckNewFile(file, force); err != nil {
				return err
			}
			data, err := p.openShared(cmd.Context())
			if err != nil {
				return err
			}
			defer data.Close()
			if err := data.db.CheckSchema(cmd.Context()); err != nil {
				return err
			}
			m, err := writeBackup(cmd.Context(), data, file, o)
			if err != nil {
				return err
			}
			cmd.Printf("wrote %s: %s\n", file, describe(m))
			if m.Credentials == backup.CredentialsLeftOut {
				cmd.Printf("the credentials of %d servers were left out, because there is no --recipient\n", m.Counts.Servers)
			}
			return nil
		},
	}
	cmd.SetOut(os.Stdout)
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	cmd.Flags().StringArrayVar(&o.Recipients, "recipient", nil, "public key of age that credentials are encrypted to; can be repeated")
	cmd.Flags().BoolVar(&o.Audit, "audit", false, "include the audit log")
	p.addFlags(cmd)
	return cmd
}

// describe returns the contents of a backup in one line.
func describe(m backup.Manifest) string {
	var objects int64
	for _, n := range m.Counts.Objects {
		objects += n
	}
	text := fmt.Sprintf("version %s, %d objects, %d passwords, %d tokens", m.ResourceVersion, objects, m.Counts.Passwords, m.Counts.Tokens)
	if m.Counts.Identities > 0 {
		text += fmt.Sprintf(", %d identities", m.Counts.Identities)
	}
	if m.Counts.Audit > 0 {
		text += fmt.Sprintf(", %d audit entries", m.Counts.Audit)
	}
	return text
}

// writeBackup writes a backup to a temporary file, which replaces file when it is complete.
func writeBackup(ctx context.Context, data *opened, file string, o backup.Options) (m backup.Manifest, err error) {
	f, err := os.CreateTemp(filepath.Dir(file), ".mcpd-backup-")
	if err != nil {
		return m, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	entry := audit.Entry{Time: time.Now(), Actor: "mcpd backup", Action: "backup", Decision: audit.Allowed, Result: "started", Detail: fmt.Sprintf("recipients %q, audit %v", o.Recipients, o.Audit)}
	err = data.db.Write(ctx, func(tx *database.Tx) error {
		return audit.Append(ctx, tx, data.keys, "backup "+rand.Text()[:12], entry)
	})
	if err != nil {
		return m, err
	}
	if m, err = backup.Write(ctx, data.db, data.store, f, o); err != nil {
		return m, err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return m, err
	}
	return m, os.Rename(f.Name(), file)
}

func newCmdRestore() *cobra.Command {
	var p place
	var file, identity string
	o := backup.RestoreOptions{Actor: "mcpd restore"}
	cmd := &cobra.Command{
		Use:   "restore",
		Short: "Restore a backup",
		Long: `Restore a backup of mcpd backup, of any database: all of it or nothing. The server must be empty, unless --merge
replaces its objects by those of the backup. On SQLite the server must not run. To move from SQLite to PostgreSQL, restore
with --db. Users log in again. API tokens stay valid; --merge restores none,
because those that the server does not have may have been revoked.`,
		Example: `  mcpd restore -f mcpd.tar.zst --identity key.txt
  mcpd restore -f mcpd.tar.zst --merge --dry-run`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return problem.Usagef("-f is missing, it names the backup").WithHint("mcpd restore -f mcpd.tar.zst")
			}
			report, err := restoreFile(cmd.Context(), &p, file, identity, o)
			if err != nil {
				return withWayOut(err)
			}
			printReport(cmd, report)
			return nil
		},
	}
	cmd.SetOut(os.Stdout)
	cmd.Flags().StringVarP(&file, "filename", "f", "", "the backup")
	cmd.Flags().StringVar(&identity, "identity", "", "file of the age identity that decrypts credentials, as age-keygen writes it")
	cmd.Flags().BoolVar(&o.WithoutCredentials, "without-credentials", false, "skip servers whose credentials cannot be decrypted")
	cmd.Flags().BoolVar(&o.Merge, "merge", false, "replace objects of a server that is not empty")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "print what would be restored")
	p.addFlags(cmd)
	return cmd
}

// maxIdentity is the size limit of a file of identities.
const maxIdentity = 64 << 10

func restoreFile(ctx context.Context, p *place, file, identity string, o backup.RestoreOptions) (backup.Report, error) {
	f, err := os.Open(file)
	if err != nil {
		return backup.Report{}, err
	}
	defer f.Close()
	if identity != "" {
		i, err := os.Open(identity)
		if err != nil {
			return backup.Report{}, err
		}
		text, err := io.ReadAll(io.LimitReader(i, maxIdentity))
		i.Close()
		if err != nil {
			return backup.Report{}, err
		}
		if strings.TrimSpace(string(text)) == "" {
			return backup.Report{}, problem.New(abi.ErrConfig, "%s is empty, want an identity of age-keygen", identity)
		}
		o.Identity = string(text)
	}
	if _, err := backup.ReadManifest(f); err != nil { // before a home or schema is created
		return backup.Report{}, err
	}
	data, err := p.open(ctx)
	if err != nil {
		return backup.Report{}, err
	}
	defer data.Close()
	if _, _, err := data.db.Migrate(ctx); err != nil {
		return backup.Report{}, err
	}
	return backup.Restore(ctx, data.store, f, o)
}

// withWayOut adds the command that helps to an error of a restore.
func withWayOut(err error) error {
	switch {
	case errors.Is(err, store.ErrNotEmpty):
		return problem.From(err).WithHint("mcpd restore -f FILE --merge --dry-run")
	case errors.Is(err, backup.ErrNoIdentity):
		return problem.From(err).WithHint("mcpd restore -f FILE --identity KEYFILE")
	}
	return err
}

func printReport(cmd *cobra.Command, r backup.Report) {
	verb := "restored"
	if r.DryRun {
		verb = "dry run, would restore"
	}
	cmd.Printf("%s a backup of %s: %d created, %d configured, %d unchanged\n", verb, describe(r.Manifest), r.Created, r.Configured, r.Unchanged)
	cmd.Printf("%s %d passwords, %d API tokens, %d identities\n", verb, r.Passwords, r.Tokens, r.Identities)
	if r.TokensSkipped > 0 {
		cmd.Printf("skipped %d API tokens that the server does not have: they may have been revoked\n", r.TokensSkipped)
	}
	if r.AccountsSkipped > 0 {
		cmd.Printf("skipped %d passwords, identities or grants of accounts that were deleted and created again since\n", r.AccountsSkipped)
	}
	if len(r.Skipped) > 0 {
		cmd.Printf("skipped, because there are no credentials: %s\n", strings.Join(r.Skipped, ", "))
	}
	if r.AuditSkipped {
		cmd.Printf("the audit log of the backup was not restored, because the server has one\n")
	}
}
