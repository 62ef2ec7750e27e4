package audit

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
)

// page is the number of rows that are read at once.
const page = 1000

// Anchor is a row that exists. An operator keeps anchors outside of the database: no state
// from before them passes Verify.
type Anchor struct {
	Writer string `json:"writer"`
	Seq    int64  `json:"seq"`
	Hash   string `json:"hash"` // hexadecimal
}

// Verified is the result of Verify.
type Verified struct {
	Writers int      `json:"writers"`
	Rows    int64    `json:"rows"`
	Anchors []Anchor `json:"anchors"` // the last row of each writer
}

// Verify reads all rows and checks the chain and the seal of each writer, and that the rows
// of earlier anchors exist.
//
// It returns abi.ErrConfig with the first row that was changed, added, or is missing. If there
// is none, but seals have keys that are not in the file, it returns a LostKeysError.
func Verify(ctx context.Context, db *database.DB, keys *keyring.Ring, known []Anchor) (v Verified, err error) {
	err = db.Read(ctx, func(tx *database.Tx) error {
		v = Verified{Anchors: []Anchor{}}
		writers, err := tx.ListAuditWriters(ctx)
		if err != nil {
			return err
		}
		ends, err := verifyChains(ctx, tx, writers)
		if err != nil {
			return err
		}
		for _, w := range writers {
			v.Writers++
			v.Rows += ends[w].Seq
			v.Anchors = append(v.Anchors, Anchor{w, ends[w].Seq, hex.EncodeToString(ends[w].Hash)})
		}
		lost, err := verifySeals(ctx, tx, keys, ends)
		if err != nil {
			return err
		}
		if err := verifyAnchors(ctx, tx, known); err != nil {
			return err
		}
		return explainLost(ctx, tx, lost)
	})
	return v, err
}

// verifyChains checks the chains of writers and returns their ends.
func verifyChains(ctx context.Context, tx *database.Tx, writers []string) (map[string]end, error) {
	ends := make(map[string]end)
	for _, w := range writers {
		e, err := verifyWriter(ctx, tx, w)
		if err != nil {
			return nil, err
		}
		ends[w] = e
	}
	return ends, nil
}

// verifyWriter checks the chain of a writer and returns its end.
func verifyWriter(ctx context.Context, tx *database.Tx, writer string) (e end, err error) {
	e.Hash = []byte{}
	for {
		rows, err := tx.ListAuditOfWriter(ctx, query.ListAuditOfWriterParams{Writer: writer, Seq: e.Seq, Limit: page})
		if err != nil || len(rows) == 0 {
			return e, err
		}
		for _, r := range rows {
			switch {
			case r.Seq != e.Seq+1:
				return e, damaged("row %d of %s is missing", e.Seq+1, writer)
			case !bytes.Equal(r.PrevHash, e.Hash), !bytes.Equal(r.Hash, hashRow(r)):
				return e, damaged("row %d of %s was changed", r.Seq, writer)
			}
			e.Seq, e.Hash = r.Seq, r.Hash
		}
	}
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: audit log: "+format, append([]any{abi.ErrConfig}, args...)...)
}

// verifySeals compares the ends of all writers with their seals. It returns the seals whose
// keys are not in the file, which it cannot compare.
func verifySeals(ctx context.Context, tx *database.Tx, keys *keyring.Ring, ends map[string]end) (lost []query.AuditHead, err error) {
	heads, err := tx.ListAuditHeads(ctx)
	if err != nil {
		return nil, err
	}
	sealed := make(map[string]bool)
	for _, head := range heads {
		sealed[head.Writer] = true
		if !keys.Has(head.KeyID) {
			if _, hasRows := ends[head.Writer]; !hasRows {
				return nil, damaged("all rows of %s were removed", head.Writer)
			}
			lost = append(lost, head)
			continue
		}
		e, err := openSeal(keys, head)
		if err != nil {
			return nil, damaged("%v", err)
		}
		now := ends[head.Writer]
		switch {
		case now.Seq < e.Seq:
			return nil, damaged("the rows of %s after %d were removed, there were %d", head.Writer, now.Seq, e.Seq)
		case now.Seq > e.Seq:
			return nil, damaged("row %d of %s was not written by mcpd", e.Seq+1, head.Writer)
		case !bytes.Equal(now.Hash, e.Hash):
			return nil, damaged("row %d of %s was changed", e.Seq, head.Writer)
		case e.Writers > int64(len(heads)):
			return nil, damaged("all rows of a writer were removed: there were %d writers, now %d", e.Writers, len(heads))
		}
	}
	for writer := range ends {
		if !sealed[writer] {
			return nil, damaged("%s has no seal", writer)
		}
	}
	return lost, nil
}

func verifyAnchors(ctx context.Context, tx *database.Tx, known []Anchor) error {
	for _, a := range known {
		row, err := tx.GetAudit(ctx, query.GetAuditParams{Writer: a.Writer, Seq: a.Seq})
		if err != nil && !database.IsNoRow(err) {
			return err
		}
		if err != nil || hex.EncodeToString(row.Hash) != a.Hash {
			return damaged("the anchor row %d of %.80q is missing or was changed", a.Seq, a.Writer)
		}
	}
	return nil
}
