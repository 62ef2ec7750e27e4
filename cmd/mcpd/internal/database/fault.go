package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/mcpctl/mcpctl/abi"
)

// Codes of PostgreSQL that are handled.
const (
	pgSerialization = "40001"
	pgDeadlock      = "40P01"
	pgUnique        = "23505"
	pgDiskFull      = "53100"
	pgReadOnly      = "25006" // the server is a standby
)

// code returns the code of an error of either engine: a number of SQLite, or a SQLSTATE.
func code(err error) (lite int, state string) {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code(), ""
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return 0, e.Code
	}
	return 0, ""
}

// isRetryable reports whether a transaction was aborted because of other transactions.
func isRetryable(err error) bool {
	lite, state := code(err)
	return lite&0xff == sqlite3.SQLITE_BUSY || state == pgSerialization || state == pgDeadlock
}

// IsDuplicate reports whether a row exists already.
func IsDuplicate(err error) bool {
	lite, state := code(err)
	return lite == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY || lite == sqlite3.SQLITE_CONSTRAINT_UNIQUE || state == pgUnique
}

// IsNoRow reports whether a row does not exist.
func IsNoRow(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// Fault is an error of the database itself. Its Message has no addresses and no texts of the
// driver, so that it can be shown to callers; Error has them, for the log.
type Fault struct {
	Kind    error // abi.ErrUnavailable or abi.ErrLimit
	Message string
	cause   error
}

// Error implements error.
func (f *Fault) Error() string { return fmt.Sprintf("%v: %s: %v", f.Kind, f.Message, f.cause) }

// Unwrap returns the kind and the cause.
func (f *Fault) Unwrap() []error { return []error{f.Kind, f.cause} }

// explain returns the Fault of an error: of the kind abi.ErrUnavailable if the database does
// not answer, and abi.ErrLimit if its disk is full. An error of the caller of the database is
// returned unchanged.
func explain(err error) error {
	if _, known := errors.AsType[*Fault](err); known || err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	lite, state := code(err)
	var network *net.OpError
	var connect *pgconn.ConnectError
	switch {
	case lite&0xff == sqlite3.SQLITE_FULL, state == pgDiskFull:
		return &Fault{abi.ErrLimit, "the disk of the database is full, nothing was written", err}
	case lite&0xff == sqlite3.SQLITE_CORRUPT, lite&0xff == sqlite3.SQLITE_NOTADB:
		return &Fault{abi.ErrUnavailable, "the file of the database is damaged; restore a backup", err}
	case lite&0xff == sqlite3.SQLITE_READONLY, lite&0xff == sqlite3.SQLITE_IOERR, lite&0xff == sqlite3.SQLITE_CANTOPEN, state == pgReadOnly:
		return &Fault{abi.ErrUnavailable, "the database cannot be written", err}
	case hasClass(state, "53"): // too many connections, out of memory
		return &Fault{abi.ErrUnavailable, "the database is overloaded, try again", err}
	case errors.As(err, &connect):
		return &Fault{abi.ErrUnavailable, "the database does not answer", hidePassword(connect)}
	case errors.As(err, &network), errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), hasClass(state, "57", "08"),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), pgconn.SafeToRetry(err): // the server has crashed; the last one is of a closed connection
		return &Fault{abi.ErrUnavailable, "the connection to the database was lost, nothing was written", err}
	}
	return err
}

// hasClass reports whether a SQLSTATE is of one of some classes, its first two characters.
func hasClass(state string, classes ...string) bool {
	return len(state) == 5 && slices.Contains(classes, state[:2])
}

// hidePassword returns the reason of a failed connection. The text of the whole error has the
// address, in which pgconn hides the password of a URL only.
func hidePassword(e *pgconn.ConnectError) error {
	if inner := e.Unwrap(); inner != nil {
		return inner
	}
	return errors.New("no connection")
}
