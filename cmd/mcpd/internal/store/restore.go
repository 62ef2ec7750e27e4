package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
)

// Restored is an object of a backup, with what its YAML does not have.
type Restored struct {
	Object     object.Object
	UID        string
	Generation int64
	Created    Stamp
	Updated    Stamp
}

// ErrNoCredentials is the error of an object whose credentials are masked, and not stored
// either.
var ErrNoCredentials = errors.New("its credentials are not in the backup")

// ErrNotEmpty is the error of a restore without merging into a server that has objects. It
// wraps abi.ErrConflict.
var ErrNotEmpty = fmt.Errorf("%w: the server has objects, and a restore without merging needs an empty one", abi.ErrConflict)

// skippedVersions is the number of versions that a restore into an empty server skips. Clients
// that have followed the lost server may know versions after the backup; they must find them
// compacted and take a new snapshot.
const skippedVersions = 1_000_000

// maxEntries is the number of audit entries of a restore that are in memory.
const maxEntries = 500

// Restoration is the transaction of a restore.
type Restoration struct {
	*transaction
	IsEmpty bool // the server had no object
}

// Restore runs f in a transaction that stores the objects of a backup of version. Versions
// continue: on an empty server after those of the backup, otherwise after those of the server.
// If Write.DryRun is set, all is rolled back.
//
// It returns ErrNotEmpty if the server has objects and merge is not set, and the error of f.
func (s *Store) Restore(ctx context.Context, w Write, version int64, merge bool, f func(*Restoration) error) error {
	err := s.db.Write(ctx, func(tx *database.Tx) error {
		t, err := s.begin(ctx, tx, w)
		if err != nil {
			return err
		}
		r := &Restoration{transaction: t}
		if err := r.prepare(ctx, version, merge); err != nil {
			return err
		}
		if err := f(r); err != nil {
			return err
		}
		return r.commit(ctx)
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	if err == nil {
		s.NotifyCommit()
	}
	return err
}

func (r *Restoration) prepare(ctx context.Context, version int64, merge bool) error {
	counts, err := r.CountObjects(ctx)
	if err != nil {
		return err
	}
	var stored int64
	for _, c := range counts {
		stored += c.Number
	}
	r.IsEmpty = stored == 0
	if !r.IsEmpty {
		if !merge {
			return fmt.Errorf("%w, it has %d", ErrNotEmpty, stored)
		}
		return nil
	}
	r.version = max(r.version, version) + skippedVersions
	r.first = r.version + 1
	if err := r.CompactChanges(ctx, r.version); err != nil {
		return err
	}
	return r.SetCounter(ctx, query.SetCounterParams{Name: "compacted", Value: r.version})
}

// Put stores one object, which replaces a stored one. A new object keeps the UID, generation
// and times of the backup; a stored one keeps its own UID.
//
// It returns ErrNoCredentials.
func (r *Restoration) Put(ctx context.Context, o Restored) (Action, error) {
	key := o.Object.Key()
	old, before, err := r.stored(ctx, key)
	if err != nil {
		return "", err
	}
	whole, errs := object.Unmask(o.Object, before)
	if len(errs) > 0 {
		return "", ErrNoCredentials
	}
	if before != nil && object.HasSameContent(whole, before) {
		return Unchanged, nil
	}
	if before != nil && object.CheckChange(whole, before) != nil { // a link replaces a text, or a text a link
		if err := r.deleteOne(ctx, old); err != nil {
			return "", err
		}
		before = nil
	}
	action := Configured
	if before == nil {
		action = Created
		if old, err = r.begun(ctx, key, o); err != nil {
			return "", err
		}
	}
	if err := r.writeRows(ctx, whole, old, before != nil, action); err != nil {
		return "", err
	}
	return action, r.flushMany(ctx)
}

// RecordRevoked adds the end of tokens, which the caller has deleted, to the feed.
func (r *Restoration) RecordRevoked(ctx context.Context, ids []string) error {
	if err := r.recordRevoked(ctx, ids); err != nil {
		return err
	}
	return r.flushMany(ctx)
}

// RecordUser adds a user whose identity has changed to the feed, so that all processes read
// its groups. A user that does not exist, or that the feed has already, is left out.
func (r *Restoration) RecordUser(ctx context.Context, name object.Name) error {
	old, o, err := r.stored(ctx, object.Key{Kind: object.KindUser, Name: name})
	if err != nil || o == nil || old.Version >= r.first {
		return err
	}
	if err := r.writeRows(ctx, o, old, true, Configured); err != nil {
		return err
	}
	return r.flushMany(ctx)
}

// PutGrant stores the grant of a link, which replaces a stored one.
//
// It returns abi.ErrNotFound for a prompt that does not exist or is not a link.
func (r *Restoration) PutGrant(ctx context.Context, key object.Key, granted Stamp) error {
	l, uid, err := getLink(ctx, r.Tx, key)
	if err != nil {
		return err
	}
	if err := r.PutLinkGrant(ctx, query.PutLinkGrantParams{Uid: uid, GrantedBy: granted.By, GrantedAt: granted.Time.UnixMicro()}); err != nil || l.GrantedBy == granted.By {
		return err
	}
	r.entries = append(r.entries, audit.Entry{Time: r.store.now(), Actor: r.write.Actor, Action: "grant link", Kind: string(key.Kind), Project: string(key.Project),
		Name: string(key.Name), Decision: audit.Allowed, Result: "ok", Detail: l.Target + ", granted by " + granted.By})
	old, o, err := r.stored(ctx, key)
	if err != nil || old.Version >= r.first {
		return err
	}
	return r.writeRows(ctx, o, old, true, Configured) // with a new version, so that readers learn the state of the link
}

// stored returns a stored object with its credentials, or nil.
func (r *Restoration) stored(ctx context.Context, key object.Key) (Record, object.Object, error) {
	old, err := get(ctx, r.Tx, key)
	if isNotFound(err) {
		return old, nil, nil
	}
	if err != nil {
		return old, nil, err
	}
	o, err := r.store.reveal(ctx, r.Tx, old)
	return old, o, err
}

// begun returns what a new object begins with. A UID that another object has is replaced.
func (r *Restoration) begun(ctx context.Context, key object.Key, o Restored) (Record, error) {
	used, err := r.CountObjectsWithUID(ctx, o.UID)
	if used > 0 {
		o.UID = uuid.NewString()
	}
	return Record{Key: key, UID: o.UID, Generation: o.Generation - 1, Created: o.Created, Updated: o.Updated}, err
}

// Record adds an entry to the audit log.
func (r *Restoration) Record(action, detail string) {
	r.entries = append(r.entries, audit.Entry{Time: r.store.now(), Actor: r.write.Actor, Action: action, Decision: audit.Allowed, Result: "ok", Detail: detail})
}

// SealAudit seals the audit log after rows of a backup were added to it. Call it before Put.
func (r *Restoration) SealAudit(ctx context.Context) error {
	return audit.SealAll(ctx, r.Tx, r.store.keys)
}

// flushMany writes the entries of the audit log if they are many.
func (r *Restoration) flushMany(ctx context.Context) error {
	if len(r.entries) < maxEntries {
		return nil
	}
	return r.flush(ctx)
}

func (r *Restoration) flush(ctx context.Context) error {
	err := audit.Append(ctx, r.Tx, r.store.keys, audit.ConfigWriter, r.entries...)
	r.entries = r.entries[:0]
	return err
}

func (r *Restoration) commit(ctx context.Context) error {
	if r.write.DryRun {
		return errDryRun
	}
	if err := r.SetCounter(ctx, query.SetCounterParams{Name: "version", Value: r.version}); err != nil {
		return err
	}
	if err := r.putPromptsVersions(ctx); err != nil {
		return err
	}
	if err := r.flush(ctx); err != nil {
		return err
	}
	return r.Notify(ctx)
}
