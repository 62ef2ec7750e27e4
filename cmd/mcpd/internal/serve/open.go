package serve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/homedir"
)

// place is where mcpd keeps its data.
type place struct {
	db     string           // address of PostgreSQL; "" uses the file of SQLite
	errOut func() io.Writer // for errors that do not end a command
}

// addFlags adds the flags that all commands have.
func (p *place) addFlags(cmd *cobra.Command) {
	p.errOut = cmd.ErrOrStderr
	cmd.Flags().StringVar(&p.db, "db", "", "address of a PostgreSQL database, postgres://USER@HOST/NAME (default: $MCPD_DB, else SQLite in the home); a password belongs into $MCPD_DB or ~/.pgpass")
}

// opened is the data of mcpd.
type opened struct {
	home  string
	db    *database.DB
	keys  *keyring.Ring
	store *store.Store
	lock  *homedir.Lock // nil with PostgreSQL, which several processes share, and of openShared
}

// open opens the home and the database. The schema is not checked.
//
// It returns abi.ErrConflict if another process uses the SQLite database.
func (p *place) open(ctx context.Context) (*opened, error) { return p.openHome(ctx, false) }

// openShared opens the home and the database for a command that can run beside a server,
// because it changes no objects.
func (p *place) openShared(ctx context.Context) (*opened, error) { return p.openHome(ctx, true) }

func (p *place) openHome(ctx context.Context, shared bool) (*opened, error) {
	home, err := homeDir()
	if err != nil {
		return nil, err
	}
	if err := homedir.Prepare(home); err != nil {
		return nil, err
	}
	o := &opened{home: home}
	address := cmp.Or(p.db, os.Getenv("MCPD_DB"))
	if address == "" {
		if !shared {
			if o.lock, err = homedir.Dir(home).Lock(); err != nil {
				return nil, inUse(home)
			}
		}
		address = filepath.Join(home, "mcpd.db")
	}
	if o.db, err = database.Open(ctx, address); err != nil {
		o.Close()
		return nil, err
	}
	if o.keys, err = keyring.Open(filepath.Join(home, "keys")); err != nil {
		o.Close()
		return nil, err
	}
	o.store = store.New(o.db, o.keys)
	if p.errOut != nil {
		o.reportLostKeys(ctx, p.errOut())
	}
	return o, nil
}

// reportLostKeys prints an error if the file of keys lacks keys that the database needs, for
// example because it was lost and has just been created again. Commands run nevertheless, since
// all else works.
func (o *opened) reportLostKeys(ctx context.Context, w io.Writer) {
	lost, err := o.store.LostKeys(ctx)
	if err != nil || len(lost.Keys) == 0 { // the database has no tables yet, or the command reports what it is
		return
	}
	var what []string
	if lost.Credentials > 0 {
		what = append(what, fmt.Sprintf("the credentials of %d servers", lost.Credentials))
	}
	if lost.Seals > 0 {
		what = append(what, fmt.Sprintf("%d seals of the audit log", lost.Seals))
	}
	fmt.Fprintf(w, "error: %s lacks the keys %s of this database: %s cannot be decrypted, all else works; if you have the old file, stop mcpd, run mcpd keys add OLDFILE, which keeps the new keys, and start mcpd again (see docs/backup.md if it is lost for good)\n",
		filepath.Join(o.home, "keys"), strings.Join(lost.Keys, ", "), strings.Join(what, " and "))
}

func inUse(home string) error {
	p := problem.New(abi.ErrConflict, "the database of %s is in use by another mcpd", home)
	p.Cause = "a database of SQLite belongs to one process; several processes can share one of PostgreSQL"
	return p
}

// Close closes the database and releases the home.
func (o *opened) Close() {
	if o.db != nil {
		o.db.Close()
	}
	if o.lock != nil {
		o.lock.Close()
	}
}

func newCmdMigrate() *cobra.Command {
	var p place
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the schema of the database to the version of this program",
		Long: `Bring the schema of the database to the version of this program. mcpd serve does so by itself on SQLite; on
PostgreSQL it refuses to start until the schema is migrated, so that one replica does not change it under the others.`,
		Example: `  mcpd migrate
  mcpd migrate --db postgres://mcpd@db.example.com/mcpd`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := p.open(cmd.Context())
			if err != nil {
				return err
			}
			defer o.Close()
			from, to, err := o.db.Migrate(cmd.Context())
			if err != nil {
				return err
			}
			if from == to {
				cmd.Printf("the schema has version %d, nothing to do\n", to)
			} else {
				cmd.Printf("migrated the schema from version %d to %d\n", from, to)
			}
			return nil
		},
	}
	cmd.SetOut(os.Stdout)
	p.addFlags(cmd)
	return cmd
}
