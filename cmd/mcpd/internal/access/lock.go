package access

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
)

// lockAccount prevents the deletion of an account until the end of a transaction, and returns
// the uid of the account. The deletion of an account also deletes its rows in other tables, so
// a transaction that adds such a row must call lockAccount first.
//
// It returns abi.ErrNotFound if the account does not exist, or was created again since a caller
// with another uid was authenticated. An empty uid accepts any.
func lockAccount(ctx context.Context, tx *database.Tx, kind object.Kind, name object.Name, uid string) (string, error) {
	version, err := tx.LockVersion(ctx)
	if err != nil {
		return "", err
	}
	if err := tx.SetCounter(ctx, query.SetCounterParams{Name: "version", Value: version - 1}); err != nil { // versions have no gaps
		return "", err
	}
	row, err := tx.GetObject(ctx, query.GetObjectParams{Kind: string(kind), Name: string(name)})
	if database.IsNoRow(err) || err == nil && uid != "" && row.Uid != uid {
		return "", errNoAccount(kind, name)
	}
	return row.Uid, err
}

// LockAccount prevents the deletion of the account of a caller until the end of a transaction,
// which writes rows that belong to the account.
//
// It returns ErrToken if the account was deleted since the caller was authenticated.
func LockAccount(ctx context.Context, tx *database.Tx, c Caller) error {
	_, err := lockAccount(ctx, tx, c.Kind, c.Name, c.uid)
	if errors.Is(err, abi.ErrNotFound) {
		return ErrToken
	}
	return err
}

func errNoAccount(kind object.Kind, name object.Name) error {
	return fmt.Errorf("%w: %s %q", abi.ErrNotFound, strings.ToLower(string(kind)), name)
}
