package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/password"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// putAudit restores a row of the audit log as it is, so that its chains of hashes are kept.
func (r *restore) putAudit(ctx context.Context, row auditRow) error {
	if len(row.Hash) != sha256.Size || len(row.PrevHash) != 0 && len(row.PrevHash) != sha256.Size {
		return damaged("the row has no valid hashes")
	}
	if r.report.AuditSkipped {
		return nil
	}
	params := row.paramsOf()
	if params.PrevHash == nil {
		params.PrevHash = []byte{}
	}
	if err := r.AddAudit(ctx, params); err != nil {
		if database.IsDuplicate(err) {
			return damaged("the row is there twice")
		}
		return err
	}
	return nil
}

// requireAccount returns an error if an account does not exist: an account of this name that
// is created later must not have a password or a token already.
func (r *restore) requireAccount(ctx context.Context, kind object.Kind, name string) error {
	_, err := r.GetObject(ctx, query.GetObjectParams{Kind: string(kind), Name: name})
	if database.IsNoRow(err) {
		return damaged("the row belongs to %s %.80q, which does not exist", kind, name)
	}
	return err
}

// noteReplaced records a stored account that has another uid than that of the backup: what
// belongs to the account of the backup, such as its password, must not be given to it.
func (r *restore) noteReplaced(ctx context.Context, key object.Key, uid string) error {
	if key.Kind != object.KindUser && key.Kind != object.KindServiceAccount {
		return nil
	}
	row, err := r.GetObject(ctx, query.GetObjectParams{Kind: string(key.Kind), Name: string(key.Name)})
	if row.Uid != uid {
		r.replaced[key] = true
	}
	return err
}

// skips reports whether a row is skipped because its account was replaced, and counts it.
func (r *restore) skips(kind object.Kind, name string) bool {
	if !r.replaced[object.Key{Kind: kind, Name: object.Name(name)}] {
		return false
	}
	r.report.AccountsSkipped++
	return true
}

// putPassword restores a password. Logins of the user end, as with each other change of a
// password.
func (r *restore) putPassword(ctx context.Context, row passwordRow) error {
	if err := password.CheckHash(row.Hash); err != nil {
		return damaged("%v", err)
	}
	if err := r.requireAccount(ctx, object.KindUser, row.User); err != nil {
		return err
	}
	if r.skips(object.KindUser, row.User) {
		return nil
	}
	stored, err := r.GetPassword(ctx, row.User)
	if err == nil && stored == row.Hash {
		return nil
	}
	if err != nil && !database.IsNoRow(err) {
		return err
	}
	if err := r.PutPassword(ctx, query.PutPasswordParams{UserName: row.User, Hash: row.Hash, UpdatedAt: row.Updated.UnixMicro()}); err != nil {
		return err
	}
	ids, err := r.DeleteLogins(ctx, query.DeleteLoginsParams{SubjectKind: string(object.KindUser), Subject: row.User})
	if err != nil {
		return err
	}
	r.report.Passwords++
	return r.RecordRevoked(ctx, ids)
}

// putToken restores an API token, as one that was not used yet.
//
// A merge writes none: a token that is stored stays as it is, and one that is not was revoked,
// or never existed here.
func (r *restore) putToken(ctx context.Context, row tokenRow) error {
	kind := object.Kind(row.Kind)
	if len(row.Hash) != sha256.Size || row.ID == "" || row.Label == "" || kind != object.KindUser && kind != object.KindServiceAccount {
		return damaged("the row is not an API token")
	}
	if err := r.requireAccount(ctx, kind, row.Subject); err != nil {
		return err
	}
	if !r.IsEmpty {
		stored, err := r.GetTokenByID(ctx, row.ID)
		if err != nil && !database.IsNoRow(err) {
			return err
		}
		if err != nil || !bytes.Equal(stored.Hash, row.Hash) {
			r.report.TokensSkipped++
		}
		return nil
	}
	r.report.Tokens++
	if err := r.ReplaceToken(ctx, query.ReplaceTokenParams{Hash: row.Hash, ID: row.ID}); err != nil {
		return err
	}
	return r.AddToken(ctx, query.AddTokenParams{
		Hash: row.Hash, ID: row.ID, SubjectKind: row.Kind, Subject: row.Subject, Label: row.Label, CreatedAt: row.Created.UnixMicro(),
		CreatedBy: row.CreatedBy, ExpiresAt: row.Expires.UnixMicro(), Idle: row.Idle,
	})
}

func (r *restore) putIdentity(ctx context.Context, row identityRow) error {
	var groups []string
	if row.Issuer == "" || row.Subject == "" || json.Unmarshal([]byte(row.Groups), &groups) != nil {
		return fmt.Errorf("%w: the row is not an identity", abi.ErrConfig)
	}
	if row.User != "" { // "": the user was deleted, and the identity stays out
		if err := r.requireAccount(ctx, object.KindUser, row.User); err != nil {
			return err
		}
	}
	if r.skips(object.KindUser, row.User) {
		return nil
	}
	stored, err := r.GetIdentity(ctx, query.GetIdentityParams{Issuer: row.Issuer, Subject: row.Subject})
	if err == nil && stored.UserName == row.User && stored.Groups == row.Groups {
		return nil
	}
	if err != nil && !database.IsNoRow(err) {
		return err
	}
	r.report.Identities++
	if err := r.ReplaceIdentity(ctx, query.ReplaceIdentityParams{UserName: row.User, Issuer: row.Issuer, Subject: row.Subject}); err != nil {
		return err
	}
	if err := r.PutIdentity(ctx, query.PutIdentityParams{Issuer: row.Issuer, Subject: row.Subject, UserName: row.User, Groups: row.Groups}); err != nil {
		return err
	}
	for _, user := range []string{stored.UserName, row.User} {
		if user == "" {
			continue
		}
		if err := r.RecordUser(ctx, object.Name(user)); err != nil {
			return err
		}
	}
	return nil
}

// putGrant restores the grant of a link. Whether it holds is decided when the link is read, by
// the rights of the one who gave it.
func (r *restore) putGrant(ctx context.Context, row grantRow) error {
	key := object.Key{Kind: object.KindPrompt, Project: object.Name(row.Project), Name: object.Name(row.Name)}
	if key.Check() != nil || row.GrantedBy == "" {
		return damaged("the row is not the grant of a link")
	}
	for account := range r.replaced {
		if row.GrantedBy == strings.ToLower(string(account.Kind))+" "+string(account.Name) { // as access.Caller.Actor
			r.report.AccountsSkipped++
			return nil
		}
	}
	err := r.PutGrant(ctx, key, store.Stamp{Time: row.Granted, By: row.GrantedBy})
	if errors.Is(err, abi.ErrNotFound) {
		return damaged("the row belongs to %s, which is not a link", key)
	}
	return err
}
