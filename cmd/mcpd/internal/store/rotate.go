package store

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
)

// Reencrypt encrypts all credentials with the newest key, in one transaction, and returns
// their number. Objects do not change by it. The shared cache is emptied, because its keys and
// signatures are derived from the newest key.
//
// It returns the errors of keyring.Ring.Open.
func (s *Store) Reencrypt(ctx context.Context, actor string) (count int, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		version, err := tx.LockVersion(ctx) // no other transaction writes credentials
		if err != nil {
			return err
		}
		if err := tx.SetCounter(ctx, query.SetCounterParams{Name: "version", Value: version - 1}); err != nil {
			return err
		}
		rows, err := tx.ListSecrets(ctx)
		if err != nil {
			return err
		}
		count = len(rows)
		for _, row := range rows {
			bound := boundTo(row.Uid, row.Version)
			text, err := s.keys.Open(row.KeyID, row.Ciphertext, bound)
			if err != nil {
				return fmt.Errorf("object %s: %w", row.Uid, err)
			}
			row.KeyID, row.Ciphertext = s.keys.Seal(text, bound)
			if err := tx.PutSecret(ctx, query.PutSecretParams(row)); err != nil {
				return err
			}
		}
		if err := tx.DeleteCache(ctx); err != nil {
			return err
		}
		return audit.Append(ctx, tx, s.keys, audit.ConfigWriter, audit.Entry{Time: s.now(), Actor: actor, Action: "rotate keys", Decision: audit.Allowed, Result: "ok",
			Detail: fmt.Sprintf("%d credentials, key %s", count, s.keys.Current())})
	})
	return count, err
}
