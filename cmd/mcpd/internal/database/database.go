// Package database opens the database of mcpd, SQLite or PostgreSQL, migrates its schema
// and runs transactions. One SQL text serves both engines: the queries are in query.sql,
// from which sqlc generates package query.
//
// The package knows nothing of the meaning of the rows (see package store).
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"

	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx"
)

//go:generate sh -c "test -x ../../../../.cache/bin/sqlc || { echo 'database: sqlc not installed, query is not generated (make .cache/bin/sqlc)'; exit 0; }; ../../../../.cache/bin/sqlc generate"

// Engine is the kind of a database.
type Engine string

// The engines.
const (
	SQLite     Engine = "sqlite"
	PostgreSQL Engine = "postgresql"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	engine Engine
	read   *sql.DB
	write  *sql.DB // SQLite: one connection, because SQLite has one writer; PostgreSQL: read
}

// Limits of connections.
const (
	maxReaders  = 8  // SQLite
	maxPostgres = 16 // of one process; the server's own limit is 100 by default
)

// Open opens a database: a path of a file of SQLite, or postgres://USER@HOST/NAME. It does
// not create the schema.
//
// It returns abi.ErrUnavailable if the database does not answer.
func Open(ctx context.Context, address string) (*DB, error) {
	var db *DB
	var err error
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		db, err = openPostgres(address)
	} else {
		db, err = openSQLite(address)
	}
	if err != nil {
		return nil, err
	}
	for _, pool := range []*sql.DB{db.write, db.read} {
		if err := pool.PingContext(ctx); err != nil {
			db.Close()
			return nil, explain(err)
		}
	}
	return db, nil
}

func openPostgres(address string) (*DB, error) {
	_, invalid := pgconn.ParseConfig(address)
	pool, err := sql.Open("pgx", address)
	if err = errors.Join(invalid, err); err != nil {
		return nil, fmt.Errorf("%w: the address of the database is not valid", abi.ErrConfig) // the error of the driver may contain the password
	}
	pool.SetMaxOpenConns(maxPostgres)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return &DB{engine: PostgreSQL, read: pool, write: pool}, nil
}

// openSQLite opens one connection that writes and several that read. A commit is on disk
// when it returns (synchronous FULL): changes of configuration are rare, and an audit row
// must not be lost.
func openSQLite(path string) (*DB, error) {
	// SQLite gives its other files the mode of this one.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, &Fault{abi.ErrUnavailable, "the database cannot be written", err}
	}
	f.Close()
	pragmas := url.Values{"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)"}}
	pragmas.Set("_txlock", "immediate")
	dsn := (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: pragmas.Encode()}).String()
	write, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	read, err := sql.Open("sqlite", dsn)
	if err != nil {
		write.Close()
		return nil, err
	}
	read.SetMaxOpenConns(maxReaders)
	read.SetMaxIdleConns(maxReaders)
	return &DB{engine: SQLite, read: read, write: write}, nil
}

// Engine returns the kind of the database.
func (db *DB) Engine() Engine { return db.engine }

// Close closes all connections.
func (db *DB) Close() error {
	err := db.write.Close()
	if db.read != db.write {
		if closed := db.read.Close(); err == nil {
			err = closed
		}
	}
	return err
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return explain(db.read.PingContext(ctx)) }

// Tx is a transaction. It is not safe for concurrent use.
type Tx struct {
	*query.Queries
	tx     *sql.Tx
	engine Engine
}

// channel is the channel of PostgreSQL on which processes wake each other.
const channel = "mcpd"

// Notify wakes the listeners of other processes when the transaction is committed. On SQLite,
// which has one process, it does nothing.
//
// PostgreSQL commits transactions that notify one after the other, so it is only for
// changes of configuration.
func (tx *Tx) Notify(ctx context.Context) error {
	if tx.engine != PostgreSQL {
		return nil
	}
	_, err := tx.tx.ExecContext(ctx, "NOTIFY "+channel)
	return err
}

// Read runs f in a transaction that sees the database as of one moment.
func (db *DB) Read(ctx context.Context, f func(*Tx) error) error {
	opts := &sql.TxOptions{ReadOnly: true}
	if db.engine == PostgreSQL {
		opts.Isolation = sql.LevelRepeatableRead
	}
	return run(ctx, db.engine, db.read, opts, f)
}

// ReadOne runs f, which makes one query. Without a transaction PostgreSQL needs one exchange of
// messages for it instead of three.
func (db *DB) ReadOne(f func(*query.Queries) error) error { return explain(f(query.New(db.read))) }

// WriteOne runs f, whose queries are committed one by one.
func (db *DB) WriteOne(f func(*query.Queries) error) error { return explain(f(query.New(db.write))) }

// maxTries is the number of times that Write runs a transaction that PostgreSQL aborts because
// of others.
const maxTries = 8

// Write runs f in a transaction, which is committed if f returns nil. If the database
// aborts it because of other transactions, f runs again, so f must have no other effects.
func (db *DB) Write(ctx context.Context, f func(*Tx) error) error {
	for try := 1; ; try++ {
		err := run(ctx, db.engine, db.write, nil, f)
		if err == nil || !isRetryable(err) || try == maxTries {
			return err
		}
		pause := time.Duration(1+rand.IntN(10<<min(try, 5))) * time.Millisecond
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

func run(ctx context.Context, engine Engine, pool *sql.DB, opts *sql.TxOptions, f func(*Tx) error) error {
	tx, err := pool.BeginTx(ctx, opts)
	if err != nil {
		return explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // returns an error after a commit
	if err := f(&Tx{query.New(tx), tx, engine}); err != nil {
		return explain(err)
	}
	return explainCommit(tx.Commit())
}

// explainCommit is explain for a commit: if the connection is lost before its answer comes,
// the transaction may be committed.
func explainCommit(err error) error {
	err = explain(err)
	if f, ok := errors.AsType[*Fault](err); ok && errors.Is(err, abi.ErrUnavailable) {
		return &Fault{f.Kind, "the connection to the database was lost during the commit; read the object again, it may have been written", f.cause}
	}
	return err
}
