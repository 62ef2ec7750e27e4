package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// The operations of a change.
const (
	opPut    = "put"
	opDelete = "delete"
)

// Action is the effect of a write on one object.
type Action string

// The actions.
const (
	Created    Action = "created"
	Configured Action = "configured"
	Unchanged  Action = "unchanged"
	Deleted    Action = "deleted"
)

// Write is who writes, and under which conditions.
type Write struct {
	Actor string // for the audit log

	// Authorize returns an error if the actor may not do this to an object. It runs in the
	// transaction; exists reports whether the object exists.
	Authorize func(key object.Key, exists bool) error

	// CanView reports whether the actor may view an object. Errors of Delete name no other
	// object of a project, and a proposal is not compared to a prompt that the actor may not
	// view. nil allows none.
	CanView func(object.Key) bool

	// Base is the Revision that every object must have. "" accepts any, unless the document
	// of an object has a revision (object.Object.Base). AnyRevision accepts any.
	Base string

	DryRun bool

	// GrantsLink reports whether the actor may let prompts of other projects link to the
	// resources of a project. A link that it creates is granted then, and otherwise pending.
	// nil grants none.
	GrantsLink func(source object.Name) bool

	// Prune are projects whose prompts Apply deletes if it does not store them. PruneIf
	// reports whether a prompt is deleted, or returns an error if the actor may not.
	Prune   []object.Name
	PruneIf func(object.Key) (bool, error)

	// Alongside runs at the end of the transaction, for rows of other tables that belong to
	// the objects. nil does nothing.
	Alongside func(ctx context.Context, tx *database.Tx) error
}

// Applied is the effect of Apply on one object.
type Applied struct {
	Key    object.Key
	Action Action
}

// AnyRevision is a Write.Base that ignores the revisions of documents.
const AnyRevision = "*"

// ErrChanged is the error of a Write whose Base differs. It wraps abi.ErrConflict.
var ErrChanged = changed{}

type changed struct{}

// Error implements error.
func (changed) Error() string { return abi.ErrConflict.Error() }

// Unwrap returns abi.ErrConflict.
func (changed) Unwrap() error { return abi.ErrConflict }

// errDryRun rolls a transaction back.
var errDryRun = errors.New("dry run")

// Apply stores objects, all of them or none.
//
// It returns strictyaml.Errors for changes that are not allowed, abi.ErrConflict if Base
// differs, and the errors of Authorize.
func (s *Store) Apply(ctx context.Context, w Write, objects []object.Object) ([]Applied, error) {
	return s.transact(ctx, w, func(t *transaction) (done []Applied, err error) {
		var errs strictyaml.Errors
		for _, o := range objects {
			action, err := t.put(ctx, o)
			if field, ok := errors.AsType[strictyaml.Errors](err); ok {
				errs = append(errs, field...)
				continue
			}
			if err != nil {
				return nil, err
			}
			done = append(done, Applied{Key: o.Key(), Action: action})
		}
		if len(errs) > 0 {
			return nil, errs
		}
		pruned, err := t.prune(ctx, done)
		return append(done, pruned...), err
	})
}

// transact runs f in a transaction that holds the lock of the version, and reports its changes to
// the feed. The database may run f more than once.
func (s *Store) transact(ctx context.Context, w Write, f func(*transaction) ([]Applied, error)) ([]Applied, error) {
	var done []Applied
	err := s.db.Write(ctx, func(tx *database.Tx) error {
		t, err := s.begin(ctx, tx, w)
		if err != nil {
			return err
		}
		if done, err = f(t); err != nil {
			return err
		}
		return t.finish(ctx)
	})
	return s.end(done, err)
}

// Delete removes an object. Objects of a project are removed with it if force is set;
// otherwise abi.ErrConflict tells how many there are, and names those of Write.CanView.
func (s *Store) Delete(ctx context.Context, w Write, key object.Key, force bool) error {
	_, err := s.transact(ctx, w, func(t *transaction) ([]Applied, error) {
		return []Applied{{Key: key, Action: Deleted}}, t.delete(ctx, key, force)
	})
	return err
}

// Rewrite stores an object again as it is, with a new version, so that the feed reports it.
// It is for changes of what belongs to an object and is in another table: Write.Alongside.
//
// It returns abi.ErrNotFound for an unknown key, and the errors of Apply.
func (s *Store) Rewrite(ctx context.Context, w Write, key object.Key) error {
	_, err := s.transact(ctx, w, func(t *transaction) ([]Applied, error) {
		old, err := get(ctx, t.Tx, key)
		if err != nil {
			return nil, err
		}
		if err := w.Authorize(key, true); err != nil {
			return nil, err
		}
		o, err := s.reveal(ctx, t.Tx, old)
		if err != nil {
			return nil, err
		}
		return []Applied{{Key: key, Action: Configured}}, t.writeRows(ctx, o, old, true, Configured)
	})
	return err
}

// KindToken is the kind of the changes that report revoked tokens, which are no objects: all
// processes learn of them by the feed. The name is the id of the token.
const KindToken object.Kind = "Token"

// RecordRevoked adds the end of tokens to the feed, in the transaction that deletes them.
func (s *Store) RecordRevoked(ctx context.Context, tx *database.Tx, actor string, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	t, err := s.begin(ctx, tx, Write{Actor: actor})
	if err != nil {
		return err
	}
	if err := t.recordRevoked(ctx, ids); err != nil {
		return err
	}
	return t.finish(ctx)
}

func (t *transaction) recordRevoked(ctx context.Context, ids []string) error {
	for _, id := range ids {
		t.version++
		if err := t.record(ctx, opDelete, Record{Key: object.Key{Kind: KindToken, Name: object.Name(id)}}, "revoked"); err != nil {
			return err
		}
	}
	return nil
}

// end returns the result of a transaction, and reports it to the feed.
func (s *Store) end(done []Applied, err error) ([]Applied, error) {
	if errors.Is(err, errDryRun) {
		return done, nil
	}
	if err != nil {
		return nil, err
	}
	for _, a := range done {
		if a.Action != Unchanged {
			s.NotifyCommit()
			break
		}
	}
	return done, nil
}

// transaction is one Apply or Delete. It holds the lock of the version from its first query.
type transaction struct {
	*database.Tx
	store   *Store
	write   Write
	first   int64 // the version that the lock took
	version int64 // of the last change of this transaction; first-1 before there is one
	micros  int64
	entries []audit.Entry
	prompts map[string]int64 // the version of the last change of each project's prompts
}

func (s *Store) begin(ctx context.Context, tx *database.Tx, w Write) (*transaction, error) {
	version, err := tx.LockVersion(ctx)
	if err != nil {
		return nil, err
	}
	return &transaction{Tx: tx, store: s, write: w, first: version, version: version - 1, micros: s.now().UnixMicro(), prompts: make(map[string]int64)}, nil
}

// finish writes the audit rows and the version. A transaction that changed nothing is rolled
// back, so that versions have no gaps.
func (t *transaction) finish(ctx context.Context) error {
	if t.write.DryRun || t.version < t.first {
		return errDryRun
	}
	if t.write.Alongside != nil {
		if err := t.write.Alongside(ctx, t.Tx); err != nil {
			return err
		}
	}
	if err := t.SetCounter(ctx, query.SetCounterParams{Name: "version", Value: t.version}); err != nil {
		return err
	}
	if err := t.putPromptsVersions(ctx); err != nil {
		return err
	}
	if err := audit.Append(ctx, t.Tx, t.store.keys, audit.ConfigWriter, t.entries...); err != nil {
		return err
	}
	return t.Notify(ctx)
}

// putPromptsVersions stores the versions of the prompts that were changed, so that readers who
// have an earlier list get a new one.
func (t *transaction) putPromptsVersions(ctx context.Context) error {
	for project, version := range t.prompts {
		if err := t.PutPromptsVersion(ctx, query.PutPromptsVersionParams{Project: project, Version: version}); err != nil {
			return err
		}
	}
	return nil
}

// put stores one object.
func (t *transaction) put(ctx context.Context, o object.Object) (Action, error) {
	key := o.Key()
	old, err := get(ctx, t.Tx, key)
	exists := err == nil
	if err != nil && !isNotFound(err) {
		return "", err
	}
	if err := t.write.Authorize(key, exists); err != nil {
		return "", err
	}
	if err := checkBase(t.write.Base, key, old, exists); err != nil {
		return "", err
	}
	var before object.Object
	if exists {
		if before, err = t.store.reveal(ctx, t.Tx, old); err != nil {
			return "", err
		}
	}
	errs := object.CheckMovedCredentials(o, before)
	o, unmasked := object.Unmask(o, before)
	errs = append(errs, unmasked...)
	if err := object.CheckChange(o, before); err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		return "", errs
	}
	if err := checkSize(o); err != nil {
		return "", strictyaml.Errors{err}
	}
	if exists && object.HasSameContent(o, before) {
		return Unchanged, nil // whatever the base of the document: a file can be applied again
	}
	if t.write.Base != AnyRevision {
		if err := checkBase(o.Base(), key, old, exists); err != nil {
			return "", err
		}
	}
	action := Configured
	if !exists {
		action = Created
		now := Stamp{t.store.now(), t.write.Actor}
		old = Record{Key: key, UID: uuid.NewString(), Created: now, Updated: now}
	}
	if err := t.checkProposal(ctx, o, exists); err != nil {
		return "", err
	}
	if !exists { // the target of a stored link cannot change, so its grant stays as it is
		if err := t.grantLink(ctx, o, old.UID); err != nil {
			return "", err
		}
	}
	return action, t.writeRows(ctx, o, old, exists, action)
}

// writeRows writes the rows of one object. old is the stored object, or what a new one begins
// with.
func (t *transaction) writeRows(ctx context.Context, o object.Object, old Record, exists bool, action Action) error {
	t.version++
	row := query.PutObjectParams{
		Kind: string(old.Key.Kind), Project: string(old.Key.Project), Name: string(old.Key.Name), Uid: old.UID,
		Version: t.version, Generation: old.Generation + 1,
		CreatedAt: old.Created.Time.UnixMicro(), CreatedBy: old.Created.By, UpdatedAt: t.micros, UpdatedBy: t.write.Actor,
	}
	if !exists {
		row.UpdatedAt, row.UpdatedBy = old.Updated.Time.UnixMicro(), old.Updated.By
	}
	body, err := splitBody(&row, o)
	if err != nil {
		return err
	}
	before, err := t.bodyOf(ctx, old.Key, exists)
	if err != nil {
		return err
	}
	if body != nil {
		hash := sha256.Sum256(body)
		row.Body, row.BodyBytes = hash[:], int64(len(body))
	}
	if body != nil && !bytes.Equal(before, row.Body) {
		if err := t.PutBlob(ctx, query.PutBlobParams{Hash: row.Body, Bytes: body}); err != nil {
			return err
		}
	}
	if err := t.PutObject(ctx, row); err != nil {
		return err
	}
	if before != nil && !bytes.Equal(before, row.Body) {
		if err := t.DeleteUnusedBlob(ctx, before); err != nil {
			return err
		}
	}
	if err := t.putSecret(ctx, o, old.UID, exists); err != nil {
		return err
	}
	return t.record(ctx, opPut, old, string(action))
}

// bodyOf returns the hash of the text of a stored prompt, or nil.
func (t *transaction) bodyOf(ctx context.Context, key object.Key, exists bool) ([]byte, error) {
	if !exists {
		return nil, nil
	}
	row, err := t.GetObject(ctx, query.GetObjectParams{Kind: string(key.Kind), Project: string(key.Project), Name: string(key.Name)})
	return row.Body, err
}

// putSecret stores an object whose manifest masks credentials once more, encrypted.
func (t *transaction) putSecret(ctx context.Context, o object.Object, uid string, exists bool) error {
	if !object.HasCredentials(o) {
		if !exists { // a new object has a new uid
			return nil
		}
		return t.DeleteSecret(ctx, uid)
	}
	plain, err := object.EncodePlain(o)
	if err != nil {
		return err
	}
	id, sealed := t.store.keys.Seal(plain, boundTo(uid, t.version))
	return t.PutSecret(ctx, query.PutSecretParams{Uid: uid, Version: t.version, KeyID: id, Ciphertext: sealed})
}

// record adds the change to the feed and to the audit log.
func (t *transaction) record(ctx context.Context, op string, r Record, action string) error {
	t.entries = append(t.entries, audit.Entry{
		Time: t.store.now(), Actor: t.write.Actor, Action: action, Kind: string(r.Key.Kind), Project: string(r.Key.Project),
		Name: string(r.Key.Name), Decision: audit.Allowed, Result: "ok", Detail: "version " + strconv.FormatInt(t.version, 10),
	})
	if r.Key.Kind == object.KindPrompt {
		t.prompts[string(r.Key.Project)] = t.version
	}
	return t.AddChange(ctx, query.AddChangeParams{
		Version: t.version, At: t.micros, Op: op, Kind: string(r.Key.Kind), Project: string(r.Key.Project),
		Name: string(r.Key.Name), Uid: r.UID, Actor: t.write.Actor,
	})
}

// checkBase returns ErrChanged unless an object has the revision base.
func checkBase(base string, key object.Key, old Record, exists bool) error {
	switch {
	case base == "" || base == AnyRevision || exists && old.Revision() == base:
		return nil
	case !exists:
		return fmt.Errorf("%w: %s was deleted since it was read, nothing was written", ErrChanged, key)
	}
	return fmt.Errorf("%w: %s was changed by %s since it was read, nothing was written", ErrChanged, key, old.Updated.By)
}

func isNotFound(err error) bool { return errors.Is(err, abi.ErrNotFound) }
