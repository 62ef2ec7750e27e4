package database

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5/stdlib"
)

// Listen calls woken whenever another process has committed a transaction that notifies,
// until ctx or the connection ends. It also calls woken once the listener is registered,
// because earlier notifications are lost. On SQLite it waits for ctx.
func (db *DB) Listen(ctx context.Context, woken func()) error {
	if db.engine != PostgreSQL {
		<-ctx.Done()
		return ctx.Err()
	}
	conn, err := db.read.Conn(ctx)
	if err != nil {
		return explain(err)
	}
	defer conn.Close()
	err = conn.Raw(func(driverConn any) error {
		pg, ok := driverConn.(*stdlib.Conn)
		if !ok {
			return errors.New("database: not a connection of PostgreSQL")
		}
		if _, err := pg.Conn().Exec(ctx, "LISTEN "+channel); err != nil {
			return err
		}
		for {
			woken()
			if _, err := pg.Conn().WaitForNotification(ctx); err != nil {
				return errors.Join(err, errListening)
			}
		}
	})
	return explain(err)
}

// errListening marks a connection that is still registered as a listener, so that the pool
// does not use it again.
var errListening = sql.ErrConnDone
