package faults

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

func TestPostgresKilledInTransaction(t *testing.T) {
	pg := databasetest.NewServer(t)
	s, token := start(t, pg.Address)
	s.Apply(t, prompt("a", "before"))
	version := s.Feed.Version()
	w := store.Write{Actor: "user root", Authorize: func(key object.Key, _ bool) error {
		if key.Name == "killer" {
			pg.Kill(t)
		}
		return nil
	}}
	_, err := s.Store.Apply(t.Context(), w, decode(t, prompt("a", "lost")+"---\n"+prompt("killer", "x")))
	if !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("the transaction: %v", err)
	}
	checkFault(t, s.Do(t, token, "GET", "/api/v1/prompts/a?project=p", ""), 503, "the database")
	checkFault(t, s.Do(t, token, "POST", "/api/v1/apply", mcpdtest.ApplyBody(prompt("a", "y"))), 503, "the database")
	checkFault(t, s.Do(t, "", "GET", "/readyz", ""), 503, "the database does not answer")
	checkFault(t, s.Do(t, "", "POST", "/api/v1/auth/login", `{"user":"root","password":"correct horse"}`), 503, "the database")
	if got := s.Do(t, "", "GET", "/healthz", ""); got.Status != 200 {
		t.Errorf("healthz: %+v", got)
	}
	pg.Start(t)
	eventually(t, "an answer", func() bool { return s.Do(t, token, "GET", "/api/v1/prompts/a?project=p", "").Status == 200 })
	if got := s.Do(t, token, "GET", "/api/v1/prompts/a?project=p", ""); !strings.Contains(got.Body, `"content":"before"`) {
		t.Errorf("after the restart: %+v", got)
	}
	s.Apply(t, prompt("a", "after"))
	if got := s.Feed.Version(); got != version+1 {
		t.Errorf("version %d, want %d: versions have no gaps", got, version+1)
	}
	if _, err := audit.Verify(t.Context(), s.DB, s.Keys, nil); err != nil {
		t.Error(err)
	}
}

func TestPostgresKilledWhileOthersWatch(t *testing.T) {
	pg := databasetest.NewServer(t)
	s, token := start(t, pg.Address)
	req, err := http.NewRequestWithContext(t.Context(), "GET", fmt.Sprintf("%s/api/v1/watch?since=%d", s.URL, s.Feed.Version()), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	pg.Kill(t)
	time.Sleep(3 * time.Second) // the feed has tried to read
	pg.Start(t)
	eventually(t, "a write", func() bool {
		_, err := s.Store.Apply(t.Context(), store.Write{Actor: "user root", Authorize: func(object.Key, bool) error { return nil }}, decode(t, prompt("a", "x")))
		return err == nil
	})
	var text bytes.Buffer
	buf := make([]byte, 4096)
	for !strings.Contains(text.String(), `"op":"put","kind":"prompt"`) {
		n, err := resp.Body.Read(buf)
		if err != nil {
			t.Fatalf("the stream has ended: %v, after %s", err, text.String())
		}
		text.Write(buf[:n])
	}
	if strings.Contains(text.String(), "resync") || strings.Contains(text.String(), "revoked") {
		t.Errorf("the stream has %s", text.String())
	}
}

func TestAuditEntriesWhilePostgresIsAway(t *testing.T) {
	pg := databasetest.NewServer(t)
	s, _ := start(t, pg.Address)
	pg.Kill(t)
	for i := range 20 {
		s.Audit.Record(audit.Entry{Time: time.Now(), Actor: "user root", Action: fmt.Sprint("test ", i), Decision: audit.Allowed})
	}
	if err := s.Audit.RecordStrict(t.Context(), audit.Entry{Time: time.Now(), Actor: "user root", Action: "strict", Decision: audit.Allowed}); !errors.Is(err, audit.ErrFull) {
		t.Errorf("a strict entry: %v", err)
	}
	pg.Start(t)
	eventually(t, "the entries", func() bool {
		list, err := audit.List(t.Context(), s.DB, audit.Filter{Since: time.Unix(0, 0), Until: time.Now().Add(time.Hour), Limit: 1000})
		n := 0
		for _, e := range list {
			if strings.HasPrefix(e.Action, "test ") {
				n++
			}
		}
		return err == nil && n == 20
	})
	if s.Audit.Dropped() != 0 {
		t.Errorf("%d entries were dropped", s.Audit.Dropped())
	}
	if _, err := audit.Verify(t.Context(), s.DB, s.Keys, nil); err != nil {
		t.Error(err)
	}
}

func TestAddressOfPostgresHasAPassword(t *testing.T) {
	for _, address := range []string{"postgres://mcpd:canary-9@127.0.0.1:1/x", "postgres://mcpd:canary-9@[::1/x", "postgres://mcpd:canary-9@127.0.0.1:notaport/x", "postgres://mcpd:canary-9@127.0.0.1:1/x?sslmode=canary-9", "postgres://mcpd@127.0.0.1:1/x?password=canary-9", "postgres://mcpd@127.0.0.1:1/x?password=canary-9&sslmode=x"} {
		_, err := database.Open(t.Context(), address)
		if err == nil || strings.Contains(err.Error(), "canary-9") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Two processes share a database: each gets to know what the other has written.
func TestChangesOfAnotherProcess(t *testing.T) {
	address := databasetest.NewPostgres(t)
	s, token := start(t, address)
	other := mcpdtest.Start(t, address)
	if got := other.Do(t, token, "GET", "/metrics", ""); got.Status != 200 {
		t.Errorf("a token of another process: %+v", got)
	}
	s.Apply(t, prompt("a", "x"))
	eventually(t, "the change", func() bool { return other.Feed.Version() == s.Feed.Version() })
	s.Delete(t, object.Key{Kind: object.KindRbacBinding, Name: "root"})
	eventually(t, "the rights", func() bool { return other.Do(t, token, "GET", "/metrics", "").Status == 403 })
	text, caller, err := s.Access.Issue(t.Context(), access.Grant{Kind: object.KindUser, Name: "root", Label: "x", Life: time.Hour, By: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Access.Revoke(t.Context(), caller.ID(), func(access.Caller) error { return nil }); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the token", func() bool {
		_, err := s.Access.Authenticate(t.Context(), text.Reveal())
		return errors.Is(err, access.ErrToken)
	})
}

// The feed was compacted beyond a process that was away: its watchers begin again.
func TestCompactionBeyondAProcess(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s, _ := start(t, address)
		behind := mcpdtest.Assemble(t, address)
		before := behind.Feed.Version()
		s.Apply(t, prompt("a", "1"))
		s.Apply(t, prompt("a", "2"))
		if err := s.Store.Compact(t.Context(), s.Feed.Version()); err != nil {
			t.Fatal(err)
		}
		if err := behind.Feed.Sync(t.Context()); err != nil || behind.Feed.Version() != s.Feed.Version() {
			t.Errorf("version %d, %v", behind.Feed.Version(), err)
		}
		if _, _, _, err := s.Feed.Next(t.Context(), before-1); before > 1 && err != nil && !errors.Is(err, store.ErrCompacted) {
			t.Errorf("a version that is gone: %v", err)
		}
	})
}
