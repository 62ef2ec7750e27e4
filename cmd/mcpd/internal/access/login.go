package access

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/devicelogin"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/password"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/token"
	"github.com/mcpctl/mcpctl/host/object"
)

// Lifetimes of tokens.
const (
	loginLife   = 30 * 24 * time.Hour // of a login
	loginIdle   = 7 * 24 * time.Hour  // of a login that is not used
	DefaultLife = 90 * 24 * time.Hour // of an API token
	MaxLife     = 366 * 24 * time.Hour

	expiredFor = 30 * 24 * time.Hour // after this, an expired token is unknown
)

// ErrLogin is the error of each failed login. It does not tell whether the user exists.
var ErrLogin = fmt.Errorf("%w: the user or the password is wrong", abi.ErrDenied)

// ErrDisabled is the ErrLogin of a right password of a disabled user. It has the same text, so
// that the client does not learn it; it is for the audit log.
var ErrDisabled error = disabledError{}

type disabledError struct{}

func (disabledError) Error() string { return ErrLogin.Error() }
func (disabledError) Unwrap() error { return ErrLogin }

// ErrToken is the error of a request without a valid token.
var ErrToken = fmt.Errorf("%w: the token is missing, unknown or revoked", abi.ErrDenied)

// ErrExpired is the ErrToken of a token that this server has created and that has expired. Only
// a caller that has the token gets it.
var ErrExpired error = expiredError{}

type expiredError struct{}

func (expiredError) Error() string { return abi.ErrDenied.Error() + ": the token has expired" }
func (expiredError) Unwrap() error { return ErrToken }

// WaitError is the error of a client that must try again later. It wraps abi.ErrLimit.
type WaitError struct {
	Message string
	After   time.Duration

	// Repeated reports that the client got this error before, and tries again without waiting. Such
	// errors are not recorded: a client could fill the audit log.
	Repeated bool
}

// Error implements error.
func (e *WaitError) Error() string { return abi.ErrLimit.Error() + ": " + e.Message }

// Unwrap returns abi.ErrLimit.
func (e *WaitError) Unwrap() error { return abi.ErrLimit }

// waitIfBusy returns a WaitError if too many passwords are being verified, otherwise err.
func waitIfBusy(a *Access, err error) error {
	if errors.Is(err, abi.ErrLimit) {
		return &WaitError{strings.TrimPrefix(err.Error(), abi.ErrLimit.Error()+": "), time.Second, !a.busy.isDue(a.now())}
	}
	return err
}

// Login checks a password and returns a new token. peer is the address of the client: after
// several failures of one user from one network, further tries have to wait.
//
// It returns ErrLogin, or a WaitError if the client has to wait.
func (a *Access) Login(ctx context.Context, user, text, peer string) (token.Token, Caller, error) {
	host, _, err := net.SplitHostPort(peer)
	if err != nil {
		host = peer
	}
	if _, err := object.ParseName(user); err != nil {
		user = "" // no user has this name, which may be a long one
	}
	who := user + "\n" + devicelogin.Network(host)
	if wait, repeated := a.logins.try(who, a.now()); wait > 0 {
		return token.Token{}, Caller{}, waitAfter("failed logins", wait, repeated)
	}
	stored, err := loginOf(ctx, a, user)
	if err != nil {
		a.logins.cancel(who)
		return token.Token{}, Caller{}, err
	}
	ok, rehash, err := a.hasher.Verify(ctx, stored.Hash, text)
	if err != nil {
		a.logins.cancel(who)
		return token.Token{}, Caller{}, waitIfBusy(a, err)
	}
	if !ok {
		return token.Token{}, Caller{}, ErrLogin
	}
	if !a.rights.Load().isActive(object.KindUser, object.Name(user)) {
		return token.Token{}, Caller{}, ErrDisabled
	}
	a.logins.succeed(who)
	if rehash {
		unchanged := func(tx *database.Tx) error { return checkLogin(ctx, tx, user, stored) }
		if stored.Hash, err = storePassword(ctx, a, user, text, unchanged); err != nil {
			return token.Token{}, Caller{}, err
		}
	}
	g := Grant{Kind: object.KindUser, Name: object.Name(user), UID: stored.Uid, Life: loginLife, Idle: loginIdle, By: "user " + user}
	t, c, err := issue(ctx, a, g, func(tx *database.Tx) error { return checkLogin(ctx, tx, user, stored) })
	if errors.Is(err, abi.ErrNotFound) {
		err = ErrLogin
	}
	return t, c, err
}

// loginOf returns the password of a user and the uid of the user. Both are empty if the user
// does not exist or has no password.
func loginOf(ctx context.Context, a *Access, user string) (row query.GetLoginRow, err error) {
	err = a.db.ReadOne(func(q *query.Queries) error {
		row, err = q.GetLogin(ctx, user)
		if database.IsNoRow(err) {
			return nil
		}
		return err
	})
	return row, err
}

// checkLogin returns ErrLogin if a user was deleted, or its password changed, since the password
// was verified. Call it after lockAccount.
func checkLogin(ctx context.Context, tx *database.Tx, user string, verified query.GetLoginRow) error {
	now, err := tx.GetLogin(ctx, user)
	if database.IsNoRow(err) || err == nil && now != verified {
		return ErrLogin
	}
	return err
}

// SetPassword sets the password of a user. If old is not nil it must be the present one.
// All logins of the user end.
//
// It returns abi.ErrNotFound for an unknown user, abi.ErrConfig for a password that is not
// allowed, and ErrLogin if old is wrong.
func (a *Access) SetPassword(ctx context.Context, user string, old *string, text string) error {
	if _, known := a.rights.Load().accounts[object.Key{Kind: object.KindUser, Name: object.Name(user)}]; !known {
		return errNoAccount(object.KindUser, object.Name(user))
	}
	if err := password.Check(user, text); err != nil {
		return err
	}
	unchanged := func(*database.Tx) error { return nil }
	if old != nil {
		if wait, repeated := a.checks.try(user, a.now()); wait > 0 { // a stolen token must not guess the password
			return waitAfter("wrong passwords", wait, repeated)
		}
		stored, err := loginOf(ctx, a, user)
		if err != nil {
			a.checks.cancel(user)
			return err
		}
		ok, _, err := a.hasher.Verify(ctx, stored.Hash, *old)
		if err != nil {
			a.checks.cancel(user)
			return waitIfBusy(a, err)
		}
		if !ok {
			return ErrLogin
		}
		a.checks.succeed(user)
		unchanged = func(tx *database.Tx) error { return checkLogin(ctx, tx, user, stored) }
	}
	_, err := storePassword(ctx, a, user, text, func(tx *database.Tx) error {
		if err := unchanged(tx); err != nil {
			return err
		}
		ids, err := tx.DeleteLogins(ctx, query.DeleteLoginsParams{SubjectKind: string(object.KindUser), Subject: user})
		if err != nil {
			return err
		}
		return a.store.RecordRevoked(ctx, tx, "user "+user, ids...)
	})
	a.tokens.clear()
	if err == nil {
		a.store.NotifyCommit()
	}
	return err
}

// write runs a transaction that ends tokens.
func (a *Access) write(ctx context.Context, f func(*database.Tx) error) error {
	err := a.db.Write(ctx, f)
	a.tokens.clear()
	if err == nil {
		a.store.NotifyCommit()
	}
	return err
}

// FirstPassword returns the function that stores the password of a user who is created in the
// same transaction.
func (a *Access) FirstPassword(ctx context.Context, user, text string) (func(context.Context, *database.Tx) error, error) {
	phc, err := a.hasher.Hash(ctx, text)
	return func(ctx context.Context, tx *database.Tx) error {
		return tx.PutPassword(ctx, query.PutPasswordParams{UserName: user, Hash: phc, UpdatedAt: a.now().UnixMicro()})
	}, err
}

// storePassword stores the hash of a password of a user that exists, and returns the hash. before
// runs first in the same transaction, while the user cannot be deleted.
func storePassword(ctx context.Context, a *Access, user, text string, before func(*database.Tx) error) (phc string, err error) {
	if phc, err = a.hasher.Hash(ctx, text); err != nil {
		return "", waitIfBusy(a, err)
	}
	now := a.now()
	return phc, a.db.Write(ctx, func(tx *database.Tx) error {
		if _, err := lockAccount(ctx, tx, object.KindUser, object.Name(user), ""); err != nil {
			return err
		}
		if err := before(tx); err != nil {
			return err
		}
		return tx.PutPassword(ctx, query.PutPasswordParams{UserName: user, Hash: phc, UpdatedAt: now.UnixMicro()})
	})
}

// Grant describes a new token.
type Grant struct {
	Kind  object.Kind
	Name  object.Name
	UID   string        // of the account, from when the one who gets the token was authenticated; "" accepts any
	Label string        // of an API token; "" for a login
	Life  time.Duration // until it expires
	Idle  time.Duration // without use until it expires; 0: never
	By    string        // the actor
}

// Issue stores a new token. Only its hash is stored.
//
// It returns abi.ErrNotFound if the account does not exist or is disabled, and abi.ErrConflict if
// it has an API token of the same name.
func (a *Access) Issue(ctx context.Context, g Grant) (token.Token, Caller, error) {
	return issue(ctx, a, g, func(*database.Tx) error { return nil })
}

// issue is Issue. check runs in the transaction, while the account cannot be deleted.
func issue(ctx context.Context, a *Access, g Grant, check func(*database.Tx) error) (token.Token, Caller, error) {
	if !a.rights.Load().isActive(g.Kind, g.Name) {
		return token.Token{}, Caller{}, errNoAccount(g.Kind, g.Name)
	}
	t, err := token.New()
	if err != nil {
		return token.Token{}, Caller{}, err
	}
	now := a.now()
	c := Caller{Kind: g.Kind, Name: g.Name, Expires: now.Add(g.Life), tokenID: uuid.NewString(), hash: t.Hash()}
	err = a.db.Write(ctx, func(tx *database.Tx) error {
		if c.uid, err = lockAccount(ctx, tx, g.Kind, g.Name, g.UID); err != nil {
			return err
		}
		if err := check(tx); err != nil {
			return err
		}
		if err := tx.DeleteExpiredTokens(ctx, now.Add(-expiredFor).UnixMicro()); err != nil {
			return err
		}
		if g.Label != "" {
			same, err := tx.CountTokensOfName(ctx, query.CountTokensOfNameParams{SubjectKind: string(g.Kind), Subject: string(g.Name), Label: g.Label, ExpiresAt: now.UnixMicro()})
			if err != nil {
				return err
			}
			if same > 0 {
				return fmt.Errorf("%w: %s %q has a token with the name %q; revoke it, or choose another name", abi.ErrConflict, strings.ToLower(string(g.Kind)), g.Name, g.Label)
			}
		}
		return tx.AddToken(ctx, query.AddTokenParams{
			Hash: c.hash[:], ID: c.tokenID, SubjectKind: string(g.Kind), Subject: string(g.Name), Label: g.Label,
			CreatedAt: now.UnixMicro(), CreatedBy: g.By, ExpiresAt: c.Expires.UnixMicro(), Idle: g.Idle.Microseconds(),
		})
	})
	return t, c, err
}

// ID returns the id of the token, by which it can be revoked.
func (c Caller) ID() string { return c.tokenID }

// UID returns the uid of the account of the caller.
func (c Caller) UID() string { return c.uid }

// usedEvery is the interval at which the last use of a token is stored.
const usedEvery = time.Minute

// Authenticate returns the owner of a token.
//
// It returns ErrToken or ErrExpired. A token that was revoked by another process is accepted until the feed
// reports it, for 5 seconds at most.
func (a *Access) Authenticate(ctx context.Context, text string) (Caller, error) {
	t, err := token.Parse(text)
	if err != nil {
		return Caller{}, ErrToken
	}
	hash := t.Hash()
	now := a.now()
	if c, ok := a.tokens.get(hash, now); ok {
		if err := checkActive(a.rights.Load(), c, now); err != nil {
			return Caller{}, err
		}
		return c, nil
	}
	var found query.GetTokenRow
	err = a.db.ReadOne(func(q *query.Queries) error {
		found, err = q.GetToken(ctx, hash[:])
		return err
	})
	if database.IsNoRow(err) {
		return Caller{}, ErrToken
	}
	if err != nil {
		return Caller{}, err
	}
	row := found.Token
	if row.Idle > 0 && now.UnixMicro()-max(row.CreatedAt, row.LastUsed) > row.Idle {
		return Caller{}, ErrExpired
	}
	c := Caller{Kind: object.Kind(row.SubjectKind), Name: object.Name(row.Subject), Expires: time.UnixMicro(row.ExpiresAt), IsAPI: row.Label != "", uid: found.Uid, tokenID: row.ID, hash: hash}
	if err := checkActive(a.rights.Load(), c, now); err != nil {
		return Caller{}, err
	}
	if now.UnixMicro()-row.LastUsed > usedEvery.Microseconds() {
		if err := storeUses(ctx, a, a.used.add(hash, now)); err != nil {
			return Caller{}, err
		}
	}
	a.tokens.put(hash, c, now)
	return c, nil
}

// usedTokens collects tokens whose last use must be stored: when thousands of clients reconnect
// at once, their tokens are stored together. Its zero value is empty.
type usedTokens struct {
	mu     sync.Mutex
	hashes [][]byte
	stored time.Time
}

// storeUsesEvery is the time between two transactions that store uses.
const storeUsesEvery = time.Second

// add adds a token and returns those that must be stored now: none, if some were stored a
// moment ago. The next use of any token stores the rest; if the process ends before, their last
// use is stored with a later one.
func (u *usedTokens) add(hash [32]byte, now time.Time) [][]byte {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.hashes = append(u.hashes, hash[:])
	if now.Sub(u.stored) < storeUsesEvery {
		return nil
	}
	hashes := u.hashes
	u.hashes, u.stored = nil, now
	return hashes
}

func storeUses(ctx context.Context, a *Access, hashes [][]byte) error {
	if len(hashes) == 0 {
		return nil
	}
	slices.SortFunc(hashes, bytes.Compare) // two processes lock rows in the same order
	return a.db.Write(ctx, func(tx *database.Tx) error {
		for _, hash := range slices.CompactFunc(hashes, bytes.Equal) {
			if err := tx.UseToken(ctx, query.UseTokenParams{Hash: hash, LastUsed: a.now().UnixMicro()}); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkActive returns the error of CheckActive.
func checkActive(r *rights, c Caller, now time.Time) error {
	if !r.isActive(c.Kind, c.Name) || !r.isOf(c) {
		return ErrToken
	}
	if !now.Before(c.Expires) {
		return ErrExpired
	}
	return nil
}

// IsRevoked reports whether changes of the feed end the token of a caller.
func IsRevoked(c Caller, changes []store.Change) bool {
	return slices.ContainsFunc(changes, func(ch store.Change) bool {
		return ch.Key.Kind == store.KindToken && string(ch.Key.Name) == c.tokenID || ch.Delete && ch.Key.Kind == c.Kind && ch.Key.Name == c.Name
	})
}

// Use stores that a token is in use, for streams that outlive single requests.
func (a *Access) Use(ctx context.Context, c Caller) error {
	return storeUses(ctx, a, a.used.add(c.hash, a.now()))
}

// CheckActive returns ErrToken if a caller's account may not be used any more, and ErrExpired if
// its token has expired.
func (a *Access) CheckActive(c Caller) error {
	return checkActive(a.rights.Load(), c, a.now())
}

// Revoke ends a token. allowed decides about its owner.
//
// It returns abi.ErrNotFound for an unknown id.
func (a *Access) Revoke(ctx context.Context, id string, allowed func(owner Caller) error) error {
	return a.write(ctx, func(tx *database.Tx) error {
		row, err := tx.GetTokenByID(ctx, id)
		if database.IsNoRow(err) {
			return fmt.Errorf("%w: token %q", abi.ErrNotFound, id)
		}
		if err != nil {
			return err
		}
		if err := allowed(Caller{Kind: object.Kind(row.SubjectKind), Name: object.Name(row.Subject), tokenID: id}); err != nil {
			return err
		}
		if err := tx.DeleteToken(ctx, id); err != nil {
			return err
		}
		return a.store.RecordRevoked(ctx, tx, strings.ToLower(row.SubjectKind)+" "+row.Subject, id)
	})
}

// TokenInfo describes a token that exists.
type TokenInfo struct {
	ID       string
	Owner    Caller
	Label    string
	Created  time.Time
	LastUsed time.Time // zero if it was not used yet
}

// Tokens returns all tokens that have not expired, also of logins.
func (a *Access) Tokens(ctx context.Context) (all []TokenInfo, err error) {
	err = a.db.Read(ctx, func(tx *database.Tx) error {
		rows, err := tx.ListTokens(ctx)
		all = nil
		for _, row := range rows {
			if row.ExpiresAt <= a.now().UnixMicro() {
				continue
			}
			one := TokenInfo{ID: row.ID, Label: row.Label, Created: time.UnixMicro(row.CreatedAt),
				Owner: Caller{Kind: object.Kind(row.SubjectKind), Name: object.Name(row.Subject), Expires: time.UnixMicro(row.ExpiresAt), tokenID: row.ID}}
			if row.LastUsed > 0 {
				one.LastUsed = time.UnixMicro(row.LastUsed)
			}
			all = append(all, one)
		}
		return err
	})
	return all, err
}
