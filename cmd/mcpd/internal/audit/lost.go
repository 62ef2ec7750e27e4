package audit

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
)

// acceptLost is the action of the entry about a key whose loss was accepted. The name of the
// entry is the id of the key.
const acceptLost = "accept lost key"

// LostKeysError means that some seals of the log cannot be checked, because the file of keys
// lacks their keys. The chains of hashes are intact. It wraps abi.ErrConfig.
type LostKeysError struct {
	Keys  []string // their ids, sorted
	Seals int      // that cannot be checked
}

// Error implements error.
func (e *LostKeysError) Error() string {
	key := "the key %q is"
	if len(e.Keys) > 1 {
		key = "the keys %q are"
	}
	seals := "1 seal"
	if e.Seals != 1 {
		seals = fmt.Sprint(e.Seals, " seals")
	}
	return fmt.Sprintf("%v: audit log: %s cannot be checked: "+key+" lost; the chains of hashes are intact", abi.ErrConfig, seals, strings.Join(e.Keys, " "))
}

// Unwrap returns abi.ErrConfig.
func (e *LostKeysError) Unwrap() error { return abi.ErrConfig }

// explainLost returns a LostKeysError if seals have keys that are not in the file of keys. If the
// loss of a key was accepted before, it returns another error for a seal with that key, because
// a person who changes the database can write any key into a seal.
func explainLost(ctx context.Context, tx *database.Tx, lost []query.AuditHead) error {
	keys := make(map[string]bool)
	for _, head := range lost {
		if keys[head.KeyID] {
			continue
		}
		keys[head.KeyID] = true
		rows, err := tx.ListAudit(ctx, query.ListAuditParams{Until: math.MaxInt64, BeforeAt: math.MaxInt64, Action: acceptLost, Name: head.KeyID, Most: 1})
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			return damaged("the seal of %s has the key %q, whose loss was accepted before", head.Writer, head.KeyID)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return &LostKeysError{slices.Sorted(maps.Keys(keys)), len(lost)}
}

// AcceptLost seals the last rows of the writers whose seals have one of the keys ids, which are
// lost, with the newest key, and records that. The caller makes sure that no other
// transaction appends rows of ConfigWriter.
//
// It returns abi.ErrConfig if the log was changed, abi.ErrConflict if a key is in the file, and
// abi.ErrNotFound if no seal has it. Then nothing must be committed.
func AcceptLost(ctx context.Context, tx *database.Tx, keys *keyring.Ring, actor string, at time.Time, ids []string) (count int, err error) {
	writers, err := tx.ListAuditWriters(ctx)
	if err != nil {
		return 0, err
	}
	ends, err := verifyChains(ctx, tx, writers)
	if err != nil {
		return 0, err
	}
	lost, err := verifySeals(ctx, tx, keys, ends)
	if err != nil {
		return 0, err
	}
	var entries []Entry
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if keys.Has(id) {
			return 0, fmt.Errorf("%w: the key %q is in the file of keys", abi.ErrConflict, id)
		}
		var sealed []string
		for _, head := range lost {
			if head.KeyID != id {
				continue
			}
			e := ends[head.Writer]
			if err := putSeal(ctx, tx, keys, head.Writer, e); err != nil {
				return 0, err
			}
			sealed = append(sealed, fmt.Sprintf("%s after row %d", head.Writer, e.Seq))
		}
		if len(sealed) == 0 {
			return 0, fmt.Errorf("%w: no seal of the audit log has the key %q", abi.ErrNotFound, id)
		}
		count += len(sealed)
		entries = append(entries, Entry{Time: at, Actor: actor, Action: acceptLost, Name: id, Decision: Allowed, Result: fmt.Sprintf("%d seals replaced", len(sealed)), Detail: strings.Join(sealed, ", ")})
	}
	return count, Append(ctx, tx, keys, ConfigWriter, entries...)
}
