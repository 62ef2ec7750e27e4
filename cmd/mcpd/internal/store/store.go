// Package store keeps the objects of mcpd in its database: versioned, with their audit rows
// and the changes that the feed sends, all in one transaction.
//
// A Store does not decide who may do what: Write.Authorize does, in the same transaction.
package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/host/object"
)

// Store is the set of objects. It is safe for concurrent use, also by several processes
// that share a PostgreSQL database.
type Store struct {
	db   *database.DB
	keys *keyring.Ring
	now  func() time.Time

	committed atomic.Pointer[func()] // called after each commit; see OnCommit
}

// New returns the Store of a database whose schema is migrated.
func New(db *database.DB, keys *keyring.Ring) *Store {
	return &Store{db: db, keys: keys, now: time.Now}
}

// OnCommit sets the function that is called after each transaction that changed objects.
func (s *Store) OnCommit(f func()) { s.committed.Store(&f) }

// NotifyCommit reports a transaction that called RecordRevoked, after its commit.
func (s *Store) NotifyCommit() {
	if f := s.committed.Load(); f != nil {
		(*f)()
	}
}

// Record is one stored object.
type Record struct {
	Key        object.Key
	UID        string
	Version    int64           // of the last change, for all objects in the order of commits
	Generation int64           // number of changes, from 1
	Manifest   json.RawMessage // as object.EncodeJSON prints it, with credentials masked
	Created    Stamp
	Updated    Stamp
}

// Stamp is a moment and who acted.
type Stamp struct {
	Time time.Time
	By   string
}

// Object decodes the Manifest. Credentials are masked.
func (r Record) Object() (object.Object, error) {
	objects, _, err := object.Decode(r.Key.String(), r.Manifest)
	if err != nil {
		return nil, err
	}
	if len(objects) != 1 {
		return nil, fmt.Errorf("store: %s has %d objects", r.Key, len(objects))
	}
	return objects[0], nil
}

// Revision returns the Version as clients see it.
func (r Record) Revision() string { return strconv.FormatInt(r.Version, 10) }

// Version returns the version of the last change.
func (s *Store) Version(ctx context.Context) (v int64, err error) {
	err = s.db.ReadOne(func(q *query.Queries) error {
		v, err = q.GetCounter(ctx, "version")
		return err
	})
	return v, err
}

// Get returns one object.
//
// It returns abi.ErrNotFound for an unknown key.
func (s *Store) Get(ctx context.Context, key object.Key) (r Record, err error) {
	err = s.db.Read(ctx, func(tx *database.Tx) error {
		r, err = get(ctx, tx, key)
		return err
	})
	return r, err
}

func get(ctx context.Context, tx *database.Tx, key object.Key) (Record, error) {
	row, err := tx.GetObject(ctx, query.GetObjectParams{Kind: string(key.Kind), Project: string(key.Project), Name: string(key.Name)})
	if database.IsNoRow(err) {
		return Record{}, fmt.Errorf("%w: %s", abi.ErrNotFound, key)
	}
	if err != nil {
		return Record{}, err
	}
	var body []byte
	if row.Body != nil {
		if body, err = tx.GetBlob(ctx, row.Body); err != nil {
			return Record{}, err
		}
	}
	return recordOf(row, body)
}

// Exist returns which of the keys have an object.
func (s *Store) Exist(ctx context.Context, keys []object.Key) (exists map[object.Key]bool, err error) {
	err = s.db.Read(ctx, func(tx *database.Tx) error {
		exists = make(map[object.Key]bool)
		for _, key := range keys {
			_, err := tx.GetObject(ctx, query.GetObjectParams{Kind: string(key.Kind), Project: string(key.Project), Name: string(key.Name)})
			if err != nil && !database.IsNoRow(err) {
				return err
			}
			exists[key] = err == nil
		}
		return nil
	})
	return exists, err
}

// Reveal returns an object with its credentials.
//
// It returns the errors of Get and of keyring.Ring.Open.
func (s *Store) Reveal(ctx context.Context, key object.Key) (o object.Object, version int64, err error) {
	err = s.db.Read(ctx, func(tx *database.Tx) error {
		r, err := get(ctx, tx, key)
		if err != nil {
			return err
		}
		version = r.Version
		o, err = s.reveal(ctx, tx, r)
		return err
	})
	return o, version, err
}

func (s *Store) reveal(ctx context.Context, tx *database.Tx, r Record) (object.Object, error) {
	sealed, err := tx.GetSecret(ctx, r.UID)
	if database.IsNoRow(err) {
		return r.Object()
	}
	if err != nil {
		return nil, err
	}
	text, err := s.keys.Open(sealed.KeyID, sealed.Ciphertext, boundTo(r.UID, sealed.Version))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Key, err)
	}
	r.Manifest = text
	return r.Object()
}

// Lost is what cannot be decrypted, because the file of keys does not have the keys. Its zero
// value is nothing.
type Lost struct {
	Keys        []string // their ids, sorted
	Credentials int      // the number of objects whose credentials are lost
	Seals       int      // the number of seals of the audit log that are lost
}

// LostKeys returns what the keys do not decrypt.
func (s *Store) LostKeys(ctx context.Context) (lost Lost, err error) {
	err = s.db.Read(ctx, func(tx *database.Tx) error {
		lost = Lost{}
		missing := make(map[string]bool)
		rows, err := tx.ListSecrets(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if !s.keys.Has(row.KeyID) {
				missing[row.KeyID] = true
				lost.Credentials++
			}
		}
		heads, err := tx.ListAuditHeads(ctx)
		if err != nil {
			return err
		}
		for _, head := range heads {
			if !s.keys.Has(head.KeyID) {
				missing[head.KeyID] = true
				lost.Seals++
			}
		}
		lost.Keys = slices.Sorted(maps.Keys(missing))
		return nil
	})
	return lost, err
}

// boundTo returns what a ciphertext is bound to.
func boundTo(uid string, version int64) string { return uid + "/" + strconv.FormatInt(version, 10) }

// Page is a part of a list.
type Page struct {
	Kind    object.Kind
	Project object.Name // "" lists all projects
	After   object.Key  // the last object of the page before; zero for the first page
	Limit   int
}

// List returns the objects of a kind, sorted by project and name, and the version of the
// store that they show.
func (s *Store) List(ctx context.Context, p Page) (records []Record, version int64, err error) {
	err = s.db.Read(ctx, func(tx *database.Tx) error {
		if version, err = tx.GetCounter(ctx, "version"); err != nil {
			return err
		}
		var rows []query.Object
		if p.Project != "" {
			rows, err = tx.ListObjectsOfProject(ctx, query.ListObjectsOfProjectParams{Kind: string(p.Kind), Project: string(p.Project), Name: string(p.After.Name), Limit: int32(p.Limit)})
		} else {
			rows, err = tx.ListObjects(ctx, query.ListObjectsParams{Kind: string(p.Kind), Project: string(p.After.Project), Name: string(p.After.Name), Limit: int32(p.Limit)})
		}
		if err != nil {
			return err
		}
		records, err = recordsOf(rows, func(hash []byte) ([]byte, error) { return tx.GetBlob(ctx, hash) })
		return err
	})
	return records, version, err
}

func recordsOf(rows []query.Object, body func(hash []byte) ([]byte, error)) ([]Record, error) {
	records := make([]Record, len(rows))
	for i, row := range rows {
		var text []byte
		var err error
		if row.Body != nil {
			if text, err = body(row.Body); err != nil {
				return nil, err
			}
		}
		if records[i], err = recordOf(row, text); err != nil {
			return nil, err
		}
	}
	return records, nil
}

func recordOf(row query.Object, body []byte) (Record, error) {
	r := Record{
		Key: object.Key{Kind: object.Kind(row.Kind), Project: object.Name(row.Project), Name: object.Name(row.Name)},
		UID: row.Uid, Version: row.Version, Generation: row.Generation, Manifest: json.RawMessage(row.Manifest),
		Created: Stamp{time.UnixMicro(row.CreatedAt), row.CreatedBy}, Updated: Stamp{time.UnixMicro(row.UpdatedAt), row.UpdatedBy},
	}
	if row.Body == nil {
		return r, nil
	}
	var err error
	r.Manifest, err = joinBody(r.Manifest, body)
	return r, err
}

// Change is one entry of the feed.
type Change struct {
	Version int64
	Delete  bool
	Key     object.Key
	Actor   string
	Record  *Record // the object; nil if it was deleted, or changed again by a later entry
}

// ErrCompacted means that the feed no longer has the changes after a version.
var ErrCompacted = fmt.Errorf("%w: the changes after this version were removed, take a new snapshot", abi.ErrNotFound)

// Changes returns up to limit changes after a version, oldest first.
//
// It returns ErrCompacted if some of them were removed, also for a version of the future,
// which belongs to another database.
func (s *Store) Changes(ctx context.Context, after int64, limit int) (changes []Change, err error) {
	err = s.db.Read(ctx, func(tx *database.Tx) error {
		changes = nil
		compacted, err := tx.GetCounter(ctx, "compacted")
		if err != nil {
			return err
		}
		version, err := tx.GetCounter(ctx, "version")
		if err != nil {
			return err
		}
		if after < compacted || after > version {
			return ErrCompacted
		}
		rows, err := tx.ListChanges(ctx, query.ListChangesParams{Version: after, Limit: int32(limit)})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return nil
		}
		records, err := recordsBetween(ctx, tx, after, rows[len(rows)-1].Version)
		if err != nil {
			return err
		}
		for _, row := range rows {
			changes = append(changes, Change{Version: row.Version, Delete: row.Op == opDelete, Actor: row.Actor, Record: records[row.Version],
				Key: object.Key{Kind: object.Kind(row.Kind), Project: object.Name(row.Project), Name: object.Name(row.Name)}})
		}
		return nil
	})
	return changes, err
}

// recordsBetween returns the objects whose last change is after one version and up to another,
// by their version.
func recordsBetween(ctx context.Context, tx *database.Tx, after, upTo int64) (map[int64]*Record, error) {
	rows, err := tx.ListObjectsBetween(ctx, query.ListObjectsBetweenParams{Version: after, Version_2: upTo})
	if err != nil {
		return nil, err
	}
	blobs, err := tx.ListBlobsBetween(ctx, query.ListBlobsBetweenParams{Version: after, Version_2: upTo})
	if err != nil {
		return nil, err
	}
	texts := make(map[string][]byte, len(blobs))
	for _, b := range blobs {
		texts[string(b.Hash)] = b.Bytes
	}
	records, err := recordsOf(rows, func(hash []byte) ([]byte, error) { return texts[string(hash)], nil })
	if err != nil {
		return nil, err
	}
	byVersion := make(map[int64]*Record, len(records))
	for i := range records {
		byVersion[records[i].Version] = &records[i]
	}
	return byVersion, nil
}

// Compact removes the changes up to a version. It does nothing if they were removed before.
func (s *Store) Compact(ctx context.Context, upTo int64) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		compacted, err := tx.GetCounter(ctx, "compacted")
		if err != nil || upTo <= compacted {
			return err
		}
		if err := tx.CompactChanges(ctx, upTo); err != nil {
			return err
		}
		return tx.SetCounter(ctx, query.SetCounterParams{Name: "compacted", Value: upTo})
	})
}

// PromptRow is a prompt without its text.
type PromptRow = query.ListPromptIndexRow

// PromptIndex returns the prompts of a project by descending priority, then by name.
func (s *Store) PromptIndex(ctx context.Context, project object.Name) (rows []PromptRow, err error) {
	err = s.db.Read(ctx, func(tx *database.Tx) error {
		rows, err = tx.ListPromptIndex(ctx, string(project))
		return err
	})
	return rows, err
}

// PromptsVersion returns the version of the last change of a project's prompts, 0 if it never
// had one.
func (s *Store) PromptsVersion(ctx context.Context, project object.Name) (v int64, err error) {
	err = s.db.ReadOne(func(q *query.Queries) error {
		v, err = q.GetPromptsVersion(ctx, string(project))
		if database.IsNoRow(err) {
			return nil
		}
		return err
	})
	return v, err
}
