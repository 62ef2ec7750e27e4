package access

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/token"
	"github.com/mcpctl/mcpctl/host/object"
)

// issuerLife is the lifetime of the token of a login by an issuer. The issuer is asked only
// at a login, so this is also how long a user keeps what the issuer has taken away.
const issuerLife = 7 * 24 * time.Hour

// SetIssuer sets the issuer whose groups count. Call it before Apply.
func (a *Access) SetIssuer(issuer string) { a.issuer = issuer }

// Admit returns the user of an identity. The first login of an identity creates the user,
// unless its name is in use: a name, and the rights that are bound to it, cannot be claimed
// by whoever can choose a name at the issuer. Admit also stores the groups of the identity.
//
// After Admit the caller waits until this process has applied the changes, and then calls
// IssueLogin.
//
// It returns abi.ErrDenied if the user was disabled or deleted, and abi.ErrConflict if the
// name of a new user is in use; an administrator decides then, with BindIdentity.
func (a *Access) Admit(ctx context.Context, id oidc.Identity) (object.Name, error) {
	for first := true; ; first = false {
		row, err := getIdentity(ctx, a, id.Issuer, id.Subject)
		switch {
		case err == nil:
			return object.Name(row.UserName), a.readmit(ctx, id, row)
		case !database.IsNoRow(err):
			return "", err
		}
		err = a.createUser(ctx, id)
		if err == nil || !first || !errors.Is(err, abi.ErrConflict) {
			return id.Name, err
		}
		// Another login of this identity may have created the user in the meantime.
		if _, missing := getIdentity(ctx, a, id.Issuer, id.Subject); missing != nil {
			return "", err
		}
	}
}

func getIdentity(ctx context.Context, a *Access, issuer, subject string) (row query.Identity, err error) {
	err = a.db.Read(ctx, func(tx *database.Tx) error {
		row, err = tx.GetIdentity(ctx, query.GetIdentityParams{Issuer: issuer, Subject: subject})
		return err
	})
	return row, err
}

// readmit checks the user of an identity and stores the groups of the identity.
func (a *Access) readmit(ctx context.Context, id oidc.Identity, row query.Identity) error {
	if row.UserName == "" {
		return errUserDeleted
	}
	key := object.Key{Kind: object.KindUser, Name: object.Name(row.UserName)}
	rec, err := a.store.Get(ctx, key)
	if err != nil {
		return err
	}
	o, err := rec.Object()
	if err != nil {
		return err
	}
	if o.(*object.User).Spec.Disabled {
		return fmt.Errorf("%w: %s is disabled", abi.ErrDenied, key)
	}
	put, err := putIdentity(id.Issuer, id.Subject, key.Name, id.Groups)
	if err != nil || put.Groups == row.Groups {
		return err
	}
	// The user is written again, so that every process reads its groups.
	return a.store.Rewrite(ctx, store.Write{Actor: "user " + row.UserName, Authorize: allow, Alongside: func(ctx context.Context, tx *database.Tx) error {
		if err := checkIdentity(ctx, tx, id, key.Name); err != nil {
			return err
		}
		return tx.PutIdentity(ctx, put)
	}}, key)
}

// errUserDeleted is the error of a login of an identity whose user was deleted.
var errUserDeleted = fmt.Errorf("%w: the user of this identity was deleted; an administrator can bind the identity to a user, or remove it", abi.ErrDenied)

// checkIdentity returns errUserDeleted if an identity is no longer that of a user: the deletion
// of the user detaches it.
func checkIdentity(ctx context.Context, tx *database.Tx, id oidc.Identity, user object.Name) error {
	row, err := tx.GetIdentity(ctx, query.GetIdentityParams{Issuer: id.Issuer, Subject: id.Subject})
	if database.IsNoRow(err) || err == nil && row.UserName != string(user) {
		return errUserDeleted
	}
	return err
}

func allow(object.Key, bool) error { return nil }

func putIdentity(issuer, subject string, user object.Name, groups []object.Name) (query.PutIdentityParams, error) {
	if groups == nil {
		groups = []object.Name{}
	}
	text, err := json.Marshal(groups)
	return query.PutIdentityParams{Issuer: issuer, Subject: subject, UserName: string(user), Groups: string(text)}, err
}

// createUser creates the user of an identity.
func (a *Access) createUser(ctx context.Context, id oidc.Identity) error {
	user, err := newUser(id)
	if err != nil {
		return err
	}
	put, err := putIdentity(id.Issuer, id.Subject, id.Name, id.Groups)
	if err != nil {
		return err
	}
	w := store.Write{Actor: "user " + string(id.Name), Authorize: func(key object.Key, exists bool) error {
		if exists {
			return nameInUse(key.Name, "a user of that name exists")
		}
		return nil
	}, Alongside: func(ctx context.Context, tx *database.Tx) error {
		where, err := findMention(ctx, tx, id.Name)
		if err != nil {
			return err
		}
		if where != "" {
			return nameInUse(id.Name, where+" has that user already")
		}
		if _, err := tx.GetIdentity(ctx, query.GetIdentityParams{Issuer: id.Issuer, Subject: id.Subject}); !database.IsNoRow(err) {
			return cmp.Or(err, fmt.Errorf("%w: the identity was bound to a user at the same time", abi.ErrConflict))
		}
		return tx.PutIdentity(ctx, put)
	}}
	_, err = a.store.Apply(ctx, w, []object.Object{user})
	return err
}

func nameInUse(name object.Name, why string) error {
	return fmt.Errorf("%w: the issuer proposes the name %q for a new user, but %s; an administrator can bind the identity to a user", abi.ErrConflict, name, why)
}

// newUser returns the User of a new identity.
func newUser(id oidc.Identity) (object.Object, error) {
	user := map[string]any{"kind": object.KindUser, "metadata": map[string]any{"name": id.Name}, "spec": map[string]any{"email": id.Email}}
	for {
		text, err := json.Marshal(user)
		if err != nil {
			return nil, err
		}
		objects, _, err := object.Decode("the identity", text)
		if err == nil {
			return objects[0], nil
		}
		if user["spec"] == nil {
			return nil, err
		}
		user["spec"] = nil // without the address, which is empty or has a form that a User cannot have
	}
}

// findMention returns the first group or binding that names a user, or "".
func findMention(ctx context.Context, tx *database.Tx, name object.Name) (where string, err error) {
	for _, kind := range []object.Kind{object.KindGroup, object.KindRbacBinding} {
		rows, err := tx.ListObjects(ctx, query.ListObjectsParams{Kind: string(kind), Limit: 1 << 30})
		if err != nil {
			return "", err
		}
		for _, row := range rows {
			objects, _, err := object.Decode(row.Name, []byte(row.Manifest))
			if err != nil {
				return "", err
			}
			if names(objects[0], object.Key{Kind: object.KindUser, Name: name}) {
				return objects[0].Key().String(), nil
			}
		}
	}
	return "", nil
}

// names reports whether a group or a binding names an account.
func names(o object.Object, account object.Key) bool {
	switch o := o.(type) {
	case *object.Group:
		return account.Kind == object.KindUser && slices.ContainsFunc(o.Spec.Members, func(m object.Ref) bool { return m.Name == account.Name })
	case *object.RbacBinding:
		return slices.ContainsFunc(o.Spec.Subjects, func(s object.RbacSubject) bool { return s.Kind == account.Kind && s.Name == account.Name })
	}
	return false
}

// Mentions returns the groups and bindings that name each of the accounts.
func (a *Access) Mentions(ctx context.Context, accounts []object.Key) (map[object.Key][]object.Key, error) {
	list, _, err := accountsOf(ctx, a)
	if err != nil {
		return nil, err
	}
	by := make(map[object.Key][]object.Key)
	for _, o := range list {
		for _, account := range accounts {
			if names(o, account) {
				by[account] = append(by[account], o.Key())
			}
		}
	}
	return by, nil
}

// IssueLogin returns a new token of the user that Admit has returned for an identity.
//
// It returns the errors of Issue, and abi.ErrDenied if the identity is no longer that of the user.
func (a *Access) IssueLogin(ctx context.Context, id oidc.Identity, user object.Name) (token.Token, Caller, error) {
	g := Grant{Kind: object.KindUser, Name: user, Life: issuerLife, Idle: issuerLife, By: "user " + string(user)}
	return issue(ctx, a, g, func(tx *database.Tx) error { return checkIdentity(ctx, tx, id, user) })
}

// Identity is the user of an issuer and the User that it logs in as.
type Identity struct {
	Issuer, Subject string
	User            object.Name // "" if it was deleted
	Groups          []object.Name
}

// Identities returns all identities, sorted by issuer and subject.
func (a *Access) Identities(ctx context.Context) (all []Identity, err error) {
	err = a.db.Read(ctx, func(tx *database.Tx) error {
		all, err = listIdentities(ctx, tx)
		return err
	})
	return all, err
}

func listIdentities(ctx context.Context, tx *database.Tx) (all []Identity, err error) {
	rows, err := tx.ListIdentities(ctx)
	for _, row := range rows {
		one := Identity{Issuer: row.Issuer, Subject: row.Subject, User: object.Name(row.UserName)}
		if err := json.Unmarshal([]byte(row.Groups), &one.Groups); err != nil {
			return nil, fmt.Errorf("access: groups of an identity: %w", err)
		}
		all = append(all, one)
	}
	return all, err
}

// BindIdentity makes an identity log in as a user that exists. actor is the administrator.
//
// It returns abi.ErrNotFound for an unknown user, and abi.ErrConflict if the user has
// another identity, or the identity another user.
func (a *Access) BindIdentity(ctx context.Context, actor string, id Identity) error {
	put, err := putIdentity(id.Issuer, id.Subject, id.User, nil)
	if err != nil {
		return err
	}
	w := store.Write{Actor: actor, Authorize: allow, Alongside: func(ctx context.Context, tx *database.Tx) error {
		row, err := tx.GetIdentity(ctx, query.GetIdentityParams{Issuer: id.Issuer, Subject: id.Subject})
		if err == nil && row.UserName != "" {
			return fmt.Errorf("%w: the identity is that of user %q", abi.ErrConflict, row.UserName)
		}
		if err != nil && !database.IsNoRow(err) {
			return err
		}
		if err := tx.PutIdentity(ctx, put); !database.IsDuplicate(err) {
			return err
		}
		return fmt.Errorf("%w: user %q has another identity", abi.ErrConflict, id.User)
	}}
	return a.store.Rewrite(ctx, w, object.Key{Kind: object.KindUser, Name: id.User})
}

// ForgetIdentity removes an identity whose user was deleted: its next login is a first one.
//
// It returns abi.ErrNotFound for an identity that is unknown or has a user.
func (a *Access) ForgetIdentity(ctx context.Context, issuer, subject string) error {
	return a.db.Write(ctx, func(tx *database.Tx) error {
		n, err := tx.DeleteIdentity(ctx, query.DeleteIdentityParams{Issuer: issuer, Subject: subject})
		if err == nil && n == 0 {
			err = fmt.Errorf("%w: no identity without a user has this issuer and subject", abi.ErrNotFound)
		}
		return err
	})
}

// addIssuerGroups adds the users of the issuer to the Groups that name a group of it.
func addIssuerGroups(issuer string, identities []Identity, list []object.Object) {
	if issuer == "" {
		return
	}
	members := make(map[object.Name][]object.Name) // of each group of the issuer
	for _, id := range identities {
		if id.Issuer != issuer || id.User == "" {
			continue
		}
		for _, g := range id.Groups {
			members[g] = append(members[g], id.User)
		}
	}
	for _, o := range list {
		g, ok := o.(*object.Group)
		if !ok || g.Spec.IssuerGroup == "" {
			continue
		}
		has := make(map[object.Name]bool)
		for _, m := range g.Spec.Members {
			has[m.Name] = true
		}
		for _, user := range members[g.Spec.IssuerGroup] {
			if !has[user] {
				g.Spec.Members = append(g.Spec.Members, object.Ref{Name: user})
			}
		}
	}
}
