// Package cache stores results of stages that the callers of a team server share.
//
// Who may store a result can plant text that the models of others read. So each row is bound
// to its producer by a signature of mcpd, a producer replaces only its own rows, and Get
// returns a row only if the caller trusts its producer. Rows can be computed again: a row that
// is lost or refused is a miss.
//
// A row is found by a hash of its key and its ProxyModel with a key of the project, so that a
// caller of one project cannot find out whether another project has a text, and a result of one
// ProxyModel is not used by another one: different producers may store results of each. The
// package decides no rights: its caller does.
package cache

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
)

// Limits of a Cache.
const (
	MaxBatch = 100     // keys of one call
	MaxValue = 1 << 20 // bytes of a value
	// MaxAnswer is the size limit of the values of one answer.
	MaxAnswer = 16 << 20
	// maxProject is the size limit of the values of a project. The least recently used ones
	// are removed.
	maxProject = 256 << 20
	// maxModule is the size limit of a hash of a module.
	maxModule = 128
	// maxProducers is the number of producers of one key that Get considers.
	maxProducers = 32
)

// usedEvery is the interval at which the last use of a row is stored.
const usedEvery = time.Hour

// Key is the cache key of a run: a hash of everything that the run can see.
type Key = [sha256.Size]byte

// Entry is one result.
type Entry struct {
	Key      Key
	Value    []byte
	Module   string // hash of the module
	Producer string // set by Get
	Model    string // the ProxyModel; set by Get
}

// Cache is the shared cache. It is safe for concurrent use.
type Cache struct {
	db       *database.DB
	keys     *keyring.Ring
	sign     ed25519.PrivateKey
	now      func() time.Time
	maxBytes int64 // of a project
}

// New returns the Cache of a database. All processes that share it need the same keys.
func New(db *database.DB, keys *keyring.Ring) *Cache {
	return &Cache{db: db, keys: keys, sign: ed25519.NewKeyFromSeed(keys.Derive("mcpd cache signature")), now: time.Now, maxBytes: maxProject}
}

// hashes returns the function that hashes the keys of a ProxyModel in a project.
func (c *Cache) hashes(project, model string) func(Key) []byte {
	secret := c.keys.Derive("mcpd cache project " + project)
	return func(k Key) []byte {
		h := hmac.New(sha256.New, secret)
		h.Write(k[:]) // of a fixed size
		h.Write([]byte(model))
		return h.Sum(nil)
	}
}

// signed returns the bytes that a signature is of: each column with its length.
func signed(r query.PromptCache) []byte {
	value := sha256.Sum256(r.Value)
	text := []byte("mcpd cache row 1\n")
	for _, b := range [][]byte{[]byte(r.Project), r.Hash, []byte(r.Producer), []byte(r.Model), []byte(r.Module), value[:]} {
		text = binary.BigEndian.AppendUint64(text, uint64(len(b)))
		text = append(text, b...)
	}
	return text
}

// isGenuine reports whether a row is as Put has stored it.
func (c *Cache) isGenuine(r query.PromptCache) bool {
	public, _ := c.sign.Public().(ed25519.PublicKey)
	return len(r.Signature) == ed25519.SignatureSize && ed25519.Verify(public, signed(r), r.Signature)
}

// Got is the result of Get.
type Got struct {
	Entries []Entry // at most one of each key
	// More means that the answer has reached MaxAnswer: keys that are not in Entries may be
	// found by another call.
	More bool
	// Forged is the number of rows whose signature is not valid. They count as not found.
	Forged int
}

// Get returns the results of keys that were stored for a ProxyModel in a project, which is its
// uid. Of several producers of a key, the one that trust gives the highest positive rank is
// used; those with rank 0 are ignored.
//
// It returns abi.ErrLimit for more than MaxBatch keys.
func (c *Cache) Get(ctx context.Context, project, model string, keys []Key, trust func(producer string) int) (Got, error) {
	if len(keys) > MaxBatch {
		return Got{}, fmt.Errorf("%w: %d keys, limit %d", abi.ErrLimit, len(keys), MaxBatch)
	}
	hash := c.hashes(project, model)
	var got Got
	var stale []query.UseCacheRowParams
	now := c.now()
	err := c.db.Read(ctx, func(tx *database.Tx) error {
		size := 0
		for _, k := range keys {
			if size >= MaxAnswer {
				got.More = true
				return nil
			}
			rows, err := tx.ListCacheRows(ctx, query.ListCacheRowsParams{Project: project, Hash: hash(k), Limit: maxProducers})
			if err != nil {
				return err
			}
			best, rank := -1, 0
			for i, r := range rows {
				trusted := trust(r.Producer)
				if trusted <= rank {
					continue
				}
				if !c.isGenuine(r) {
					got.Forged++
					continue
				}
				best, rank = i, trusted
			}
			if best < 0 {
				continue
			}
			r := rows[best]
			size += len(r.Value)
			got.Entries = append(got.Entries, Entry{k, r.Value, r.Module, r.Producer, r.Model})
			if now.UnixMicro()-r.UsedAt > usedEvery.Microseconds() {
				stale = append(stale, query.UseCacheRowParams{Project: project, Hash: r.Hash, Producer: r.Producer, UsedAt: now.UnixMicro()})
			}
		}
		return nil
	})
	if err != nil || len(stale) == 0 {
		return got, err
	}
	return got, c.db.Write(ctx, func(tx *database.Tx) error {
		for _, u := range stale {
			if err := tx.UseCacheRow(ctx, u); err != nil {
				return err
			}
		}
		return nil
	})
}

// Put stores results that producer has computed with a ProxyModel in a project, which is its
// uid. If the project has too many bytes, the least recently used results of it are removed. begin
// runs first in the transaction; nothing is stored if it returns an error.
//
// It returns abi.ErrLimit for too many or too large values, and abi.ErrConfig for a hash of a
// module that is not valid.
func (c *Cache) Put(ctx context.Context, project, producer, model string, entries []Entry, begin func(context.Context, *database.Tx) error) error {
	if len(entries) > MaxBatch {
		return fmt.Errorf("%w: %d results, limit %d", abi.ErrLimit, len(entries), MaxBatch)
	}
	hash := c.hashes(project, model)
	now := c.now().UnixMicro()
	var rows []query.PutCacheRowParams
	for i, e := range entries {
		switch {
		case len(e.Value) > MaxValue:
			return fmt.Errorf("%w: result %d has %d bytes, limit %d", abi.ErrLimit, i+1, len(e.Value), MaxValue)
		case !isModuleHash(e.Module):
			return fmt.Errorf("%w: the module hash of result %d is not valid", abi.ErrConfig, i+1)
		}
		r := query.PromptCache{Project: project, Hash: hash(e.Key), Producer: producer, Model: model, Module: e.Module, Size: int64(len(e.Value)), Value: e.Value, UsedAt: now}
		if r.Value == nil {
			r.Value = []byte{}
		}
		r.Signature = ed25519.Sign(c.sign, signed(r))
		rows = append(rows, query.PutCacheRowParams(r))
	}
	// Transactions that lock rows in one order do not wait for each other in a circle.
	slices.SortFunc(rows, func(a, b query.PutCacheRowParams) int { return bytes.Compare(a.Hash, b.Hash) })
	return c.db.Write(ctx, func(tx *database.Tx) error {
		if err := begin(ctx, tx); err != nil {
			return err
		}
		for _, r := range rows {
			if err := tx.PutCacheRow(ctx, r); err != nil {
				return err
			}
		}
		return c.evict(ctx, tx, project)
	})
}

// isModuleHash reports whether s may be the hash of a module.
func isModuleHash(s string) bool {
	if s == "" || len(s) > maxModule {
		return false
	}
	for _, b := range []byte(s) {
		if b <= ' ' || b > '~' {
			return false
		}
	}
	return true
}

// evict removes the least recently used rows of a project until it is within its limit.
func (c *Cache) evict(ctx context.Context, tx *database.Tx, project string) error {
	size, err := tx.SumCache(ctx, project)
	if err != nil {
		return err
	}
	for size > c.maxBytes {
		oldest, err := tx.ListOldestCacheRows(ctx, query.ListOldestCacheRowsParams{Project: project, Limit: MaxBatch})
		if err != nil || len(oldest) == 0 {
			return err
		}
		for _, r := range oldest {
			if size <= c.maxBytes {
				break
			}
			if err := tx.DeleteCacheRow(ctx, query.DeleteCacheRowParams{Project: project, Hash: r.Hash, Producer: r.Producer}); err != nil {
				return err
			}
			size -= r.Size
		}
	}
	return nil
}

// Purge removes all results of a producer and returns their number.
func (c *Cache) Purge(ctx context.Context, producer string) (count int64, err error) {
	err = c.db.Write(ctx, func(tx *database.Tx) error {
		count, err = tx.DeleteCacheOfProducer(ctx, producer)
		return err
	})
	return count, err
}
