package database

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/mcpctl/mcpctl/abi"
)

// migrations are one text for both engines: SQLite accepts BYTEA and BIGINT as names of types.
//
//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the schema to the version of this program and returns the versions before
// and after. Of several processes, one migrates and the others wait for it.
//
// It returns abi.ErrConflict if the schema is of a newer version.
func (db *DB) Migrate(ctx context.Context) (from, to int64, err error) {
	p, err := db.provider()
	if err != nil {
		return 0, 0, err
	}
	from, to, err = p.GetVersions(ctx)
	if err != nil {
		return 0, 0, explain(err)
	}
	if from > to {
		return from, to, newerSchema(from, to)
	}
	if from < to {
		if err := db.createCollation(ctx); err != nil {
			return from, to, err
		}
	}
	return from, to, explain(up(ctx, p, from, to))
}

// up runs the migrations. SQLite has no lock for them: if another process runs the same one at
// the same time, it fails here, and the next one is tried.
func up(ctx context.Context, p *goose.Provider, from, to int64) error {
	for {
		_, err := p.Up(ctx)
		if err == nil {
			return nil
		}
		now, _, versionErr := p.GetVersions(ctx)
		if versionErr == nil && now == to {
			return nil
		}
		if versionErr != nil || now == from {
			return err
		}
		from = now
	}
}

// createCollation creates the collation BINARY of the schema, which compares bytes. SQLite has
// it; PostgreSQL would otherwise sort texts by the language of the database.
func (db *DB) createCollation(ctx context.Context) error {
	if db.engine != PostgreSQL {
		return nil
	}
	return db.Write(ctx, func(tx *Tx) error {
		for _, text := range []string{
			"SELECT pg_advisory_xact_lock(hashtext('mcpd collation'))", // two processes would both create it
			`CREATE COLLATION IF NOT EXISTS "BINARY" FROM "C"`,
		} {
			if _, err := tx.tx.ExecContext(ctx, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// SchemaVersion returns the version of the schema.
func (db *DB) SchemaVersion(ctx context.Context) (int64, error) {
	p, err := db.provider()
	if err != nil {
		return 0, err
	}
	v, err := p.GetDBVersion(ctx)
	return v, explain(err)
}

// CheckSchema returns an error if the schema is not the one of this program.
func (db *DB) CheckSchema(ctx context.Context) error {
	p, err := db.provider()
	if err != nil {
		return err
	}
	from, to, err := p.GetVersions(ctx)
	switch {
	case err != nil:
		return explain(err)
	case from > to:
		return newerSchema(from, to)
	case from < to:
		return fmt.Errorf("%w: the schema of the database has version %d, this program needs %d\nhint: mcpd migrate", abi.ErrConflict, from, to)
	}
	return nil
}

func newerSchema(from, to int64) error {
	return fmt.Errorf("%w: the schema of the database has version %d, and this program knows %d; install the version of mcpd that wrote it", abi.ErrConflict, from, to)
}

func (db *DB) provider() (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	if db.engine == SQLite { // goose's own transaction of each migration is immediate, so two processes exclude each other
		return goose.NewProvider(goose.DialectSQLite3, db.write, files)
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db.write, files, goose.WithSessionLocker(locker))
}
