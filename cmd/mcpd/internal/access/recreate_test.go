package access

import (
	"errors"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

var (
	keyOfAnna = object.Key{Kind: object.KindUser, Name: "anna"}
	idOfAnna  = oidc.Identity{Issuer: "https://login", Subject: "1", Name: "anna", Groups: []object.Name{"web"}}
)

const password1, password2 = "correct horse battery", "another horse battery"

// replaceAnna deletes the user "anna" and creates another one of the same name.
func replaceAnna(t *testing.T, a *Access) {
	t.Helper()
	w := store.Write{Actor: "test", Authorize: allow}
	if err := a.store.Delete(t.Context(), w, keyOfAnna, false); err != nil {
		t.Fatal(err)
	}
	objects, _, err := object.Decode("test.yaml", []byte("kind: User\nmetadata: {name: anna}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.store.Apply(t.Context(), w, objects); err != nil {
		t.Fatal(err)
	}
	if err := a.Apply(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

// A user that is deleted and created again while a request of the old one is answered does not
// get the password, the tokens or the identity that the request writes.
func TestReplacedUserInheritsNothing(t *testing.T) {
	eachWithClock(t, func(t *testing.T, a *Access, c *clock, _ *keyring.Ring) {
		old := password1
		for _, tt := range []struct {
			name  string
			reads int // of the clock until the transaction that writes begins
			do    func(Caller) error
		}{
			{"login", 2, func(Caller) error { _, _, err := a.Login(t.Context(), "anna", password1, "192.0.2.1:1"); return err }},
			{"password", 2, func(Caller) error { return a.SetPassword(t.Context(), "anna", &old, password2) }},
			{"token", 1, func(anna Caller) error {
				_, _, err := a.Issue(t.Context(), Grant{Kind: anna.Kind, Name: anna.Name, UID: anna.UID(), Label: "laptop", Life: time.Hour, By: "test"})
				return err
			}},
			{"login by an issuer", 1, func(Caller) error { _, _, err := a.IssueLogin(t.Context(), idOfAnna, "anna"); return err }},
			{"groups of an issuer", 0, func(Caller) error {
				row, err := getIdentity(t.Context(), a, idOfAnna.Issuer, idOfAnna.Subject)
				if err != nil {
					t.Fatal(err)
				}
				replaceAnna(t, a)
				return a.readmit(t.Context(), idOfAnna, row)
			}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				a.now = c.Now
				if err := a.SetPassword(t.Context(), "anna", nil, password1); err != nil {
					t.Fatal(err)
				}
				if err := a.BindIdentity(t.Context(), "test", Identity{Issuer: idOfAnna.Issuer, Subject: idOfAnna.Subject, User: "anna"}); err != nil {
					t.Fatal(err)
				}
				text, _, err := a.Issue(t.Context(), Grant{Kind: object.KindUser, Name: "anna", Life: time.Hour, By: "test"})
				if err != nil {
					t.Fatal(err)
				}
				anna, err := a.Authenticate(t.Context(), text.Reveal())
				if err != nil {
					t.Fatal(err)
				}
				reads := 0
				a.now = func() time.Time {
					if reads++; reads == tt.reads {
						replaceAnna(t, a)
					}
					return c.Now()
				}
				if err := tt.do(anna); !errors.Is(err, abi.ErrDenied) && !errors.Is(err, abi.ErrNotFound) {
					t.Errorf("the request of the old user: %v", err)
				}
				a.now = c.Now
				checkNothing(t, a)
				if a.CheckActive(anna) == nil {
					t.Error("the old caller is active")
				}
			})
		}
	})
}

// checkNothing checks that no row of another table belongs to the user "anna".
func checkNothing(t *testing.T, a *Access) {
	t.Helper()
	if err := a.db.Read(t.Context(), func(tx *database.Tx) error {
		if hash, err := tx.GetPassword(t.Context(), "anna"); !database.IsNoRow(err) {
			t.Errorf("the new user has the password %q, %v", hash, err)
		}
		tokens, err := tx.ListTokens(t.Context())
		if err != nil || len(tokens) > 0 {
			t.Errorf("tokens %v, %v", tokens, err)
		}
		id, err := tx.GetIdentity(t.Context(), query.GetIdentityParams{Issuer: idOfAnna.Issuer, Subject: idOfAnna.Subject})
		if err != nil || id.UserName != "" {
			t.Errorf("the identity is of %q, %v", id.UserName, err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// A password that was changed after it was verified gives no token, and is not stored again.
func TestPasswordChangeDuringALogin(t *testing.T) {
	eachWithClock(t, func(t *testing.T, a *Access, c *clock, _ *keyring.Ring) {
		for _, tt := range []struct {
			name string
			do   func() error
		}{
			{"login", func() error { _, _, err := a.Login(t.Context(), "anna", password1, "192.0.2.1:1"); return err }},
			{"password", func() error {
				old := password1
				return a.SetPassword(t.Context(), "anna", &old, "a third horse battery")
			}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				a.now = c.Now
				if err := a.SetPassword(t.Context(), "anna", nil, password1); err != nil {
					t.Fatal(err)
				}
				reads := 0
				a.now = func() time.Time {
					if reads++; reads == 2 {
						if err := a.SetPassword(t.Context(), "anna", nil, password2); err != nil {
							t.Error(err)
						}
					}
					return c.Now()
				}
				if err := tt.do(); !errors.Is(err, ErrLogin) {
					t.Errorf("got %v, want ErrLogin", err)
				}
				a.now = c.Now
				if _, _, err := a.Login(t.Context(), "anna", password2, "192.0.2.1:1"); err != nil {
					t.Errorf("login with the new password: %v", err)
				}
			})
		}
	})
}

// A request of a user that was deleted has no rights of a new user of the same name.
func TestReplacedUserInMemory(t *testing.T) {
	eachWithClock(t, func(t *testing.T, a *Access, _ *clock, _ *keyring.Ring) {
		text, anna, err := a.Issue(t.Context(), Grant{Kind: object.KindUser, Name: "anna", Life: time.Hour, By: "test"})
		if err != nil {
			t.Fatal(err)
		}
		bind, _, err := object.Decode("test.yaml", []byte("kind: RbacBinding\nmetadata: {name: admins}\nspec: {subjects: [{user: anna}], verbs: [admin]}\n"))
		if err != nil {
			t.Fatal(err)
		}
		replaceAnna(t, a)
		if _, err := a.store.Apply(t.Context(), store.Write{Actor: "test", Authorize: allow}, bind); err != nil {
			t.Fatal(err)
		}
		if err := a.Apply(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if !a.IsAdmin(Caller{Kind: object.KindUser, Name: "anna"}) || a.IsAdmin(anna) || a.Allows(anna, object.VerbView, keyOfAnna) {
			t.Error("the old user has rights of the new one, or the new one has none")
		}
		if _, err := a.Authenticate(t.Context(), text.Reveal()); !errors.Is(err, ErrToken) {
			t.Errorf("the token of the old user: %v", err)
		}
		if err := a.db.Write(t.Context(), func(tx *database.Tx) error { return LockAccount(t.Context(), tx, anna) }); !errors.Is(err, ErrToken) {
			t.Errorf("a transaction of the old user: %v", err)
		}
	})
}
