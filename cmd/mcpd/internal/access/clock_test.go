package access

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/token"
	"github.com/mcpctl/mcpctl/host/object"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

// clock is a clock that a test sets. Its times have no monotonic part, as those of the
// database.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// eachWithClock runs f with the Access of an empty store that has the user "anna".
func eachWithClock(t *testing.T, f func(t *testing.T, a *Access, c *clock, keys *keyring.Ring)) {
	databasetest.Each(t, func(t *testing.T, address string) {
		keys, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
		if err != nil {
			t.Fatal(err)
		}
		db := databasetest.Open(t, address)
		s := store.New(db, keys)
		objects, _, err := object.Decode("test.yaml", []byte("kind: User\nmetadata: {name: anna}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Apply(t.Context(), store.Write{Actor: "test", Authorize: func(object.Key, bool) error { return nil }}, objects); err != nil {
			t.Fatal(err)
		}
		a, c := Open(db, s), &clock{now: time.Unix(2_000_000_000, 0)}
		a.now = c.Now
		if err := a.Apply(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		f(t, a, c, keys)
	})
}

func TestTokenLifetime(t *testing.T) {
	eachWithClock(t, func(t *testing.T, a *Access, c *clock, keys *keyring.Ring) {
		anna := Grant{Kind: object.KindUser, Name: "anna", Life: time.Hour, Idle: 10 * time.Minute, By: "test"}
		token, _, err := a.Issue(t.Context(), anna)
		if err != nil {
			t.Fatal(err)
		}
		anna.Idle, anna.Label = 0, "program"
		program, _, err := a.Issue(t.Context(), anna)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			name           string
			jump           time.Duration
			login, program bool // valid
		}{
			{"at once", 0, true, true},
			{"used every 9 minutes", 9 * time.Minute, true, true},
			{"and again", 9 * time.Minute, true, true},
			{"the clock is set back by a day", -24 * time.Hour, true, true},
			{"and forward again", 24 * time.Hour, true, true},
			{"idle for 11 minutes", 11 * time.Minute, false, true},
			{"after an hour", 32 * time.Minute, false, false},
		} {
			c.jump(step.jump)
			_, errLogin := a.Authenticate(t.Context(), token.Reveal())
			_, errProgram := a.Authenticate(t.Context(), program.Reveal())
			if (errLogin == nil) != step.login || (errProgram == nil) != step.program {
				t.Errorf("%s: login %v, API token %v", step.name, errLogin, errProgram)
			}
			if !step.login && !errors.Is(errLogin, ErrExpired) || !step.program && !errors.Is(errProgram, ErrExpired) {
				t.Errorf("%s: login %v, API token %v, want expired tokens", step.name, errLogin, errProgram)
			}
		}
		// A new token does not remove those that have expired a moment ago, and none lists them.
		for _, step := range []struct {
			jump time.Duration
			want error
		}{{0, ErrExpired}, {expiredFor + time.Hour, ErrToken}} {
			c.jump(step.jump)
			anna.Life = time.Hour
			_, issued, err := a.Issue(t.Context(), anna)
			if err != nil {
				t.Fatal(err)
			}
			_, err = a.Authenticate(t.Context(), program.Reveal())
			if !errors.Is(err, step.want) || errors.Is(err, ErrExpired) != (step.want == ErrExpired) {
				t.Errorf("%v after it has expired: %v, want %v", step.jump, err, step.want)
			}
			if all, err := a.Tokens(t.Context()); err != nil || len(all) != 1 || all[0].ID != issued.ID() {
				t.Errorf("%v after it has expired: tokens %+v, %v, want the new one", step.jump, all, err)
			}
		}
	})
}

// A token has no last use before the first one.
func TestFirstUse(t *testing.T) {
	eachWithClock(t, func(t *testing.T, a *Access, c *clock, _ *keyring.Ring) {
		lastUse := func() time.Time {
			t.Helper()
			all, err := a.Tokens(t.Context())
			if err != nil || len(all) != 1 {
				t.Fatalf("tokens %+v, %v", all, err)
			}
			return all[0].LastUsed
		}
		token, _, err := a.Issue(t.Context(), Grant{Kind: object.KindUser, Name: "anna", Label: "x", Life: time.Hour, By: "test"})
		if err != nil {
			t.Fatal(err)
		}
		if at := lastUse(); !at.IsZero() {
			t.Errorf("a new token was used at %v", at)
		}
		c.jump(time.Second)
		if _, err := a.Authenticate(t.Context(), token.Reveal()); err != nil {
			t.Fatal(err)
		}
		if at := lastUse(); !at.Equal(c.Now().Truncate(time.Microsecond)) {
			t.Errorf("the first use was at %v, want %v", at, c.Now())
		}
	})
}

// An account has one API token of a name, until it is revoked or has expired.
func TestTokenNames(t *testing.T) {
	eachWithClock(t, func(t *testing.T, a *Access, c *clock, _ *keyring.Ring) {
		issue := func(label string) (Caller, error) {
			_, of, err := a.Issue(t.Context(), Grant{Kind: object.KindUser, Name: "anna", Label: label, Life: time.Hour, By: "test"})
			return of, err
		}
		first, err := issue("x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := issue("x"); !errors.Is(err, abi.ErrConflict) {
			t.Errorf("a second token of the name: %v", err)
		}
		for _, label := range []string{"y", "", ""} { // logins have no name
			if _, err := issue(label); err != nil {
				t.Errorf("name %q: %v", label, err)
			}
		}
		if err := a.Revoke(t.Context(), first.ID(), func(Caller) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if _, err := issue("x"); err != nil {
			t.Errorf("after the first was revoked: %v", err)
		}
		c.jump(time.Hour)
		if _, err := issue("x"); err != nil {
			t.Errorf("after the first has expired: %v", err)
		}
	})
}

// Only a caller that has an expired token gets to know that it has expired.
func TestExpiredTokens(t *testing.T) {
	eachWithClock(t, func(t *testing.T, a *Access, c *clock, _ *keyring.Ring) {
		anna := Grant{Kind: object.KindUser, Name: "anna", Life: time.Hour, By: "test"}
		expired, caller, err := a.Issue(t.Context(), anna)
		if err != nil {
			t.Fatal(err)
		}
		revoked, of, err := a.Issue(t.Context(), anna)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Revoke(t.Context(), of.ID(), func(Caller) error { return nil }); err != nil {
			t.Fatal(err)
		}
		unknown, err := token.New()
		if err != nil {
			t.Fatal(err)
		}
		c.jump(2 * time.Hour)
		for name, tt := range map[string]struct {
			text    string
			expired bool
		}{
			"expired":   {expired.Reveal(), true},
			"revoked":   {revoked.Reveal(), false},
			"unknown":   {unknown.Reveal(), false},
			"malformed": {expired.Reveal() + "x", false},
			"empty":     {"", false},
		} {
			_, err := a.Authenticate(t.Context(), tt.text)
			if !errors.Is(err, ErrToken) || errors.Is(err, ErrExpired) != tt.expired {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := a.CheckActive(caller); !errors.Is(err, ErrExpired) {
			t.Errorf("an open stream: %v", err)
		}
	})
}

// The clock jumps: no client waits for longer than five minutes, and the audit log stays valid.
func TestClockJumps(t *testing.T) {
	eachWithClock(t, func(t *testing.T, a *Access, c *clock, keys *keyring.Ring) {
		for range 30 {
			wait, _ := a.logins.try("anna", c.Now())
			c.jump(wait)
		}
		a.logins.try("anna", c.Now())
		for _, jump := range []time.Duration{0, -24 * time.Hour, -365 * 24 * time.Hour} {
			c.jump(jump)
			if wait, _ := a.logins.try("anna", c.Now()); wait > maxWait || wait <= 0 {
				t.Errorf("after a jump of %v: wait %v", jump, wait)
			}
		}
		c.jump(2 * 365 * 24 * time.Hour)
		if wait, _ := a.logins.try("anna", c.Now()); wait != 0 {
			t.Errorf("years later: wait %v", wait)
		}
		log := audit.OpenLog(a.db, keys, "test", nil)
		for _, at := range []time.Time{c.Now(), c.Now().Add(-24 * time.Hour), time.Unix(0, 0), c.Now()} {
			if err := log.RecordStrict(context.Background(), audit.Entry{Time: at, Actor: "user anna", Action: "test", Decision: audit.Allowed}); err != nil {
				t.Error(err)
			}
		}
		log.Close()
		log.Record(audit.Entry{}) // of a request that has outlived the server
		if v, err := audit.Verify(t.Context(), a.db, keys, nil); err != nil || v.Rows != 5 {
			t.Errorf("got %+v, %v", v, err)
		}
	})
}

func TestTokenOfAnUnknownAccount(t *testing.T) {
	eachWithClock(t, func(t *testing.T, a *Access, _ *clock, _ *keyring.Ring) {
		if _, _, err := a.Issue(t.Context(), Grant{Kind: object.KindUser, Name: "ben", Life: time.Hour}); err == nil {
			t.Error("a token of an unknown user")
		}
		if _, err := a.Authenticate(t.Context(), "mcpd_x"); !errors.Is(err, ErrToken) {
			t.Errorf("got %v", err)
		}
	})
}
