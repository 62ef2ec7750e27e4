package store

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
)

// Reencrypt encrypts all credentials with the newest key, in one transaction, and returns
// their number. save is called before the commit, and again if the transaction is repeated: it
// stores the newest key. Objects do not change by it. The shared cache is emptied, because its keys and
// signatures are derived from the newest key.
//
// It returns the errors of keyring.Ring.Open with the name of the object, and that of save.
func (s *Store) Reencrypt(ctx context.Context, actor string, save func() error) (count int, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		if err := lockConfig(ctx, tx); err != nil { // no other transaction writes credentials
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
				return fmt.Errorf("%s: %w", nameOfUID(ctx, tx, row.Uid), err)
			}
			row.KeyID, row.Ciphertext = s.keys.Seal(text, bound)
			if err := tx.PutSecret(ctx, query.PutSecretParams(row)); err != nil {
				return err
			}
		}
		if err := tx.DeleteCache(ctx); err != nil {
			return err
		}
		err = audit.Append(ctx, tx, s.keys, audit.ConfigWriter, audit.Entry{Time: s.now(), Actor: actor, Action: "rotate keys", Decision: audit.Allowed, Result: "ok",
			Detail: fmt.Sprintf("%d credentials, key %s", count, s.keys.Current())})
		if err != nil {
			return err
		}
		return save()
	})
	return count, err
}

// nameOfUID returns the object with a UID for an error.
func nameOfUID(ctx context.Context, tx *database.Tx, uid string) string {
	row, err := tx.GetKeyOfUID(ctx, uid)
	if err != nil {
		return "object " + uid
	}
	return object.Key{Kind: object.Kind(row.Kind), Project: object.Name(row.Project), Name: object.Name(row.Name)}.String()
}

// lockConfig takes the lock of the version, without a change of it.
func lockConfig(ctx context.Context, tx *database.Tx) error {
	version, err := tx.LockVersion(ctx)
	if err != nil {
		return err
	}
	return tx.SetCounter(ctx, query.SetCounterParams{Name: "version", Value: version - 1})
}

// AcceptLostKeys replaces the seals of the audit log that have one of the keys ids, which are
// lost for good, and returns their number.
//
// It returns the errors of audit.AcceptLost.
func (s *Store) AcceptLostKeys(ctx context.Context, actor string, ids []string) (count int, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		if err := lockConfig(ctx, tx); err != nil {
			return err
		}
		count, err = audit.AcceptLost(ctx, tx, s.keys, actor, s.now(), ids)
		return err
	})
	return count, err
}
