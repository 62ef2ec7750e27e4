package backup

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// accounts returns the ids and hashes of the tokens, the passwords and the identities.
func (s server) accounts(t testing.TB) string {
	t.Helper()
	var out []string
	err := s.db.Read(t.Context(), func(tx *database.Tx) error {
		tokens, err := tx.ListTokens(t.Context())
		passwords, errPasswords := tx.ListPasswords(t.Context(), query.ListPasswordsParams{Limit: 10})
		identities, errIdentities := tx.ListIdentities(t.Context())
		for _, r := range tokens {
			out = append(out, "token "+r.ID+" "+string(r.Hash[:1]))
		}
		for _, r := range passwords {
			out = append(out, "password "+r.UserName+" "+r.Hash[len(r.Hash)-1:])
		}
		for _, r := range identities {
			out = append(out, "identity "+r.Subject+" "+r.UserName+" "+r.Groups)
		}
		return errors.Join(err, errPasswords, errIdentities)
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// usedTokens returns the number of tokens that were used.
func (s server) usedTokens(t testing.TB) (n int) {
	t.Helper()
	err := s.db.Read(t.Context(), func(tx *database.Tx) error {
		tokens, err := tx.ListTokens(t.Context())
		for _, r := range tokens {
			if r.LastUsed != 0 {
				n++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// counts are the numbers of a Report about accounts.
type counts struct{ passwords, tokens, identities, skipped int64 }

func countsOf(r Report) counts {
	return counts{r.Passwords, r.Tokens, r.Identities, r.TokensSkipped}
}

// changesAfter returns the changes of the feed after a version.
func (s server) changesAfter(t testing.TB, version int64) (out []string) {
	t.Helper()
	changes, err := s.store.Changes(t.Context(), version, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		out = append(out, fmt.Sprintf("%s %s", c.Key.Kind, c.Key.Name))
	}
	return out
}

// A merge writes no API token, ends the logins of a user whose password it replaces, and
// reports what it writes. Other processes learn of it by the feed.
func TestMergeOfAccounts(t *testing.T) {
	const asStored = `identity 1 bob ["web"], password anna I, token a-2 a, token b-1 b, token c-3 c`
	other := strings.TrimSuffix(hash, "I") + "M"
	tests := []struct {
		name   string
		change func(t *testing.T, tx *database.Tx) error // after the backup
		want   counts
		feed   []string
		after  string
	}{
		{"nothing changed", func(*testing.T, *database.Tx) error { return nil }, counts{}, nil, asStored},
		{"token revoked", func(t *testing.T, tx *database.Tx) error { return tx.DeleteToken(t.Context(), "b-1") }, counts{skipped: 1}, nil,
			`identity 1 bob ["web"], password anna I, token a-2 a, token c-3 c`},
		{"another token of the id", func(t *testing.T, tx *database.Tx) error {
			return errors.Join(tx.DeleteToken(t.Context(), "b-1"), tx.AddToken(t.Context(), query.AddTokenParams{Hash: bytes.Repeat([]byte("x"), 32), ID: "b-1", SubjectKind: "User", Subject: "anna", Label: "l"}))
		}, counts{skipped: 1}, nil, `identity 1 bob ["web"], password anna I, token a-2 a, token b-1 x, token c-3 c`},
		{"password changed", func(t *testing.T, tx *database.Tx) error {
			return tx.PutPassword(t.Context(), query.PutPasswordParams{UserName: "anna", Hash: other})
		}, counts{passwords: 1}, []string{"Token c-3"}, `identity 1 bob ["web"], password anna I, token a-2 a, token b-1 b`},
		{"password removed", func(t *testing.T, tx *database.Tx) error { return tx.DeletePassword(t.Context(), "anna") },
			counts{passwords: 1}, []string{"Token c-3"}, `identity 1 bob ["web"], password anna I, token a-2 a, token b-1 b`},
		{"groups changed", func(t *testing.T, tx *database.Tx) error {
			return tx.PutIdentity(t.Context(), query.PutIdentityParams{Issuer: "https://login", Subject: "1", UserName: "bob", Groups: `[]`})
		}, counts{identities: 1}, []string{"User bob"}, asStored},
		{"identity of another user", func(t *testing.T, tx *database.Tx) error {
			return tx.PutIdentity(t.Context(), query.PutIdentityParams{Issuer: "https://login", Subject: "1", UserName: "anna", Groups: `["web"]`})
		}, counts{identities: 1}, []string{"User anna", "User bob"}, asStored},
		{"identity removed", func(t *testing.T, tx *database.Tx) error {
			return tx.ReplaceIdentity(t.Context(), query.ReplaceIdentityParams{Issuer: "https://login", Subject: "1"})
		}, counts{identities: 1}, []string{"User bob"}, asStored},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, address string) {
				s := newServer(t, address)
				s.fill(t)
				archive := s.write(t, Options{})
				if err := s.db.Write(t.Context(), func(tx *database.Tx) error { return tt.change(t, tx) }); err != nil {
					t.Fatal(err)
				}
				before := s.accounts(t)
				version, err := s.store.Version(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, dry := range []bool{true, false} {
					report, err := s.restore(t, archive, RestoreOptions{Merge: true, DryRun: dry})
					if err != nil || countsOf(report) != tt.want {
						t.Errorf("dry run %v: %+v, %v, want %+v", dry, countsOf(report), err, tt.want)
					}
					if got := s.changesAfter(t, version); dry && got != nil || !dry && !slices.Equal(got, tt.feed) {
						t.Errorf("dry run %v: the feed has %q, want %q", dry, got, tt.feed)
					}
					if got := s.accounts(t); dry && got != before || !dry && got != tt.after {
						t.Errorf("dry run %v: stored are %s", dry, got)
					}
				}
			})
		})
	}
}

// A restore into an empty server writes all accounts, also with RestoreOptions.Merge.
func TestAccountsOfEmptyServer(t *testing.T) {
	for _, merge := range []bool{false, true} {
		pairs(t, func(t *testing.T, from, to server) {
			from.fill(t)
			report, err := to.restore(t, from.write(t, Options{}), RestoreOptions{Merge: merge})
			if want := (counts{passwords: 1, tokens: 2, identities: 1}); err != nil || countsOf(report) != want {
				t.Errorf("merge %v: %+v, %v, want %+v", merge, report, err, want)
			}
			if used := to.usedTokens(t); used != 0 {
				t.Errorf("merge %v: %d restored tokens have a last use", merge, used)
			}
			if got := to.accounts(t); got != `identity 1 bob ["web"], password anna I, token a-2 a, token b-1 b` {
				t.Errorf("merge %v: stored are %s", merge, got)
			}
		})
	}
}

// A merge gives nothing of an account of the backup to another one that was created later with
// its name.
func TestMergeOfReplacedAccounts(t *testing.T) {
	other := strings.TrimSuffix(hash, "I") + "M"
	databasetest.Each(t, func(t *testing.T, address string) {
		s := newServer(t, address)
		s.fill(t)
		archive := s.write(t, Options{})
		for _, name := range []object.Name{"anna", "bob"} {
			w := store.Write{Actor: "user root", Authorize: func(object.Key, bool) error { return nil }}
			if err := s.store.Delete(t.Context(), w, object.Key{Kind: object.KindUser, Name: name}, false); err != nil {
				t.Fatal(err)
			}
			s.apply(t, "kind: User\nmetadata: {name: "+string(name)+"}\n")
		}
		if err := s.db.Write(t.Context(), func(tx *database.Tx) error {
			return errors.Join(tx.PutPassword(t.Context(), query.PutPasswordParams{UserName: "anna", Hash: other}),
				tx.PutIdentity(t.Context(), query.PutIdentityParams{Issuer: "https://login", Subject: "2", UserName: "bob", Groups: `[]`}))
		}); err != nil {
			t.Fatal(err)
		}
		before := s.accounts(t)
		for _, dry := range []bool{true, false} {
			report, err := s.restore(t, archive, RestoreOptions{Merge: true, DryRun: dry})
			if want := (counts{skipped: 1}); err != nil || countsOf(report) != want || report.AccountsSkipped != 3 {
				t.Errorf("dry run %v: %+v, %d rows skipped, %v, want %+v and 3", dry, countsOf(report), report.AccountsSkipped, err, want)
			}
			if got := s.accounts(t); got != before {
				t.Errorf("dry run %v: stored are %s, want %s", dry, got, before)
			}
			if got := s.links(t); got != `link ""` {
				t.Errorf("dry run %v: links %s, want none granted", dry, got)
			}
		}
	})
}
