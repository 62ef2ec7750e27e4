package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
)

// errSeal is the error of a seal that is missing or not valid.
var errSeal = errors.New("the seal of the audit log is not valid")

// end is the last row of a writer.
type end struct {
	Seq  int64  `json:"seq"`
	Hash []byte `json:"hash"`
	// Writers is the number of writers when the row was written. None is ever removed.
	Writers int64 `json:"writers"`
}

// boundTo returns what the seal of a writer is bound to.
func boundTo(writer string) string { return "end of the audit log of " + writer }

// lastOf returns the last row of a writer by its seal.
//
// It returns errSeal and the last row that is stored if there is no valid seal.
func lastOf(ctx context.Context, tx *database.Tx, keys *keyring.Ring, writer string) (end, error) {
	head, err := tx.GetAuditHead(ctx, writer)
	if err == nil {
		if e, err := openSeal(keys, head); err == nil {
			return e, nil
		}
	} else if !database.IsNoRow(err) {
		return end{}, err
	}
	isMissing := err != nil
	row, err := tx.GetLastAudit(ctx, writer)
	if database.IsNoRow(err) {
		if isMissing { // a new writer
			return end{}, nil
		}
		err = nil
	}
	if err != nil {
		return end{}, err
	}
	return end{Seq: row.Seq, Hash: row.Hash}, errSeal
}

func openSeal(keys *keyring.Ring, head query.AuditHead) (e end, err error) {
	text, err := keys.Open(head.KeyID, head.Ciphertext, boundTo(head.Writer))
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	if err != nil {
		return e, fmt.Errorf("%w: %s: %w", errSeal, head.Writer, err)
	}
	return e, nil
}

// putSeal seals the last row of a writer.
func putSeal(ctx context.Context, tx *database.Tx, keys *keyring.Ring, writer string, e end) error {
	var err error
	if e.Writers, err = tx.CountAuditHeads(ctx); err != nil {
		return err
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	id, sealed := keys.Seal(text, boundTo(writer))
	return tx.PutAuditHead(ctx, query.PutAuditHeadParams{Writer: writer, KeyID: id, Ciphertext: sealed})
}

// SealAll seals the last row of each writer, after rows were restored from a backup: their
// seals were those of another server.
func SealAll(ctx context.Context, tx *database.Tx, keys *keyring.Ring) error {
	writers, err := tx.ListAuditWriters(ctx)
	if err != nil {
		return err
	}
	for _, w := range writers {
		row, err := tx.GetLastAudit(ctx, w)
		if err != nil {
			return err
		}
		if err := putSeal(ctx, tx, keys, w, end{Seq: row.Seq, Hash: row.Hash}); err != nil {
			return err
		}
	}
	return nil
}
