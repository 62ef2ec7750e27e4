// Package faults has tests of mcpd under deliberate faults, each named after its fault: the
// error is one clear message without internals, and nothing that was stored is lost. It has
// no other code.
package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/serve"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

const admins = "kind: User\nmetadata: {name: root}\n---\nkind: RbacBinding\nmetadata: {name: root}\nspec: {subjects: [{user: root}], verbs: [admin]}\n"

func prompt(name, content string) string {
	return fmt.Sprintf("kind: Prompt\nmetadata: {name: %s, project: p}\nspec: {content: %q}\n", name, content)
}

func start(t *testing.T, address string) (s *mcpdtest.Server, token string) {
	t.Helper()
	s = mcpdtest.Start(t, address)
	s.Apply(t, admins)
	return s, s.Token(t, "root")
}

func decode(t *testing.T, yaml string) []object.Object {
	t.Helper()
	objects, _, err := object.Decode("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// checkFault checks the answer to a request during a fault of the database.
func checkFault(t *testing.T, got mcpdtest.Answer, status int, want string) {
	t.Helper()
	if got.Status != status || !strings.Contains(got.Body, want) {
		t.Errorf("got %+v, want %d %s", got, status, want)
	}
	for _, internal := range []string{"127.0.0.1", "SQLSTATE", "dial tcp", "sqlite", "postgres", "/tmp/"} {
		if strings.Contains(got.Body, internal) {
			t.Errorf("the answer contains %q: %s", internal, got.Body)
		}
	}
}

// eventually repeats f until it returns true.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !f(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 20 seconds: %s", what)
		}
	}
}

// run runs a command of mcpd with a home.
func run(t *testing.T, home, stdin string, args ...string) (string, error) {
	t.Helper()
	t.Setenv("MCPD_HOME", home)
	return runIn(stdin, args...)
}

func runIn(stdin string, args ...string) (string, error) {
	root := serve.NewRoot()
	var out bytes.Buffer
	root.SetIn(strings.NewReader(stdin))
	root.SetArgs(args)
	root.SetErr(&out)
	for _, c := range root.Commands() {
		c.SetOut(&out)
	}
	err := root.ExecuteContext(context.Background())
	return out.String(), err
}

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

// A file system of 3 MiB is full.
func TestFullDisk(t *testing.T) {
	dir := smallDisk(t, 3<<20)
	s, token := start(t, filepath.Join(dir, "mcpd.db"))
	s.Apply(t, prompt("a", "before"))
	var refused mcpdtest.Answer
	stored := 0
	for i := 0; i < 30; i++ {
		refused = s.Do(t, token, "POST", "/api/v1/apply", mcpdtest.ApplyBody(prompt(fmt.Sprintf("n%d", i), strings.Repeat(fmt.Sprintf("%03d", i), 100_000))))
		if refused.Status != 200 {
			break
		}
		stored++
	}
	checkFault(t, refused, http.StatusInsufficientStorage, "the disk of the database is full, nothing was written")
	for i := range stored {
		if got := s.Do(t, token, "GET", fmt.Sprintf("/api/v1/prompts/n%d?project=p", i), ""); got.Status != 200 {
			t.Errorf("prompt %d, which was stored: %.300s", i, got.Body)
		}
	}
	if got := s.Do(t, token, "GET", fmt.Sprintf("/api/v1/prompts/n%d?project=p", stored), ""); got.Status != 404 {
		t.Errorf("the prompt that was refused: %d", got.Status)
	}
	if _, err := audit.Verify(t.Context(), s.DB, s.Keys, nil); err != nil {
		t.Error(err)
	}
}

func TestDamagedDatabaseFile(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, file string){
		"its beginning": func(t *testing.T, file string) { overwrite(t, file, 0, 100) },
		"its schema":    func(t *testing.T, file string) { overwrite(t, file, 100, 4000) },
		"all pages":     func(t *testing.T, file string) { overwrite(t, file, 4096, 1<<20) },
		"a text": func(t *testing.T, file string) {
			write(t, file, []byte("this is no database, but a text that is long enough to be read as one\n"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			if _, err := run(t, home, "correct horse battery", "bootstrap", "--user", "anna", "--password-stdin"); err != nil {
				t.Fatal(err)
			}
			damage(t, filepath.Join(home, "mcpd.db"))
			_, err := run(t, home, "", "migrate")
			if err == nil { // the damage is in pages that this command does not read
				_, err = run(t, home, "correct horse battery", "bootstrap", "--user", "anna", "--password-stdin")
			}
			if p := problem.From(err); p.Code != "E_UNREACHABLE" || !strings.Contains(p.Message, "damaged; restore a backup") {
				t.Errorf("got %+v", p)
			}
		})
	}
}

func TestDatabaseFileIsADirectory(t *testing.T) {
	home := t.TempDir()
	if err := errors.Join(os.Chmod(home, 0o700), os.Mkdir(filepath.Join(home, "mcpd.db"), 0o700)); err != nil {
		t.Fatal(err)
	}
	_, err := run(t, home, "", "migrate")
	if p := problem.From(err); p.Code != "E_UNREACHABLE" {
		t.Errorf("got %+v", p)
	}
}

func TestNewerSchema(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		db := databasetest.Open(t, address)
		databasetest.Exec(t, address, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, "+map[database.Engine]string{database.SQLite: "1", database.PostgreSQL: "true"}[db.Engine()]+")")
		_, _, migrated := db.Migrate(t.Context())
		for _, err := range []error{migrated, db.CheckSchema(t.Context())} {
			if !errors.Is(err, abi.ErrConflict) || !strings.Contains(fmt.Sprint(err), "version 999") || !strings.Contains(fmt.Sprint(err), "install the version of mcpd that wrote it") {
				t.Errorf("got %v", err)
			}
		}
	})
}

func TestMissingSchema(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		db, err := database.Open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.CheckSchema(t.Context()); !errors.Is(err, abi.ErrConflict) || !strings.Contains(err.Error(), "hint: mcpd migrate") {
			t.Errorf("got %v", err)
		}
	})
}

func TestMigrationsAtOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				db, err := database.Open(t.Context(), address)
				if err != nil {
					t.Error(err)
					return
				}
				defer db.Close()
				if _, _, err := db.Migrate(t.Context()); err != nil {
					t.Errorf("migrate: %v", err)
				}
				if err := db.CheckSchema(t.Context()); err != nil {
					t.Errorf("after it: %v", err)
				}
			})
		}
		all.Wait()
	})
}

func TestBootstrapsAtOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		home := t.TempDir()
		t.Setenv("MCPD_HOME", home)
		if strings.HasPrefix(address, "postgres") {
			t.Setenv("MCPD_DB", address)
		}
		const n = 3
		results := make([]error, n)
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				_, results[i] = runIn("correct horse battery", "bootstrap", "--user", fmt.Sprintf("admin%d", i), "--password-stdin")
			})
		}
		all.Wait()
		succeeded := 0
		for _, err := range results {
			if err == nil {
				succeeded++
			} else if problem.From(err).Code != "E_CONFLICT" {
				t.Errorf("got %+v", problem.From(err))
			}
		}
		if succeeded != 1 {
			t.Errorf("%d succeeded, want 1: %v", succeeded, results)
		}
		if _, err := runIn("correct horse battery", "bootstrap", "--user", "later", "--password-stdin"); problem.From(err).Code != "E_CONFLICT" {
			t.Errorf("later: %v", err)
		}
	})
}

// Without the password in the same transaction, an administrator would exist who can never
// log in.
func TestBootstrapThatIsInterrupted(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Assemble(t, address)
		fault := errors.New("interrupted")
		w := store.Write{Actor: "test", Authorize: func(object.Key, bool) error { return nil }, Alongside: func(context.Context, *database.Tx) error { return fault }}
		if _, err := s.Store.Apply(t.Context(), w, decode(t, admins)); !errors.Is(err, fault) {
			t.Errorf("got %v", err)
		}
		if records, _, err := s.Store.Snapshot(t.Context()); err != nil || len(records) != 0 {
			t.Errorf("%d objects were written, %v", len(records), err)
		}
	})
}

func TestDamagedKeys(t *testing.T) {
	good := "a MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n"
	for name, tt := range map[string]struct {
		text, code, want string
		mode             os.FileMode
	}{
		"empty":          {"", "E_INVALID", "contains no key", 0o600},
		"a comment":      {"# nothing\n", "E_INVALID", "contains no key", 0o600},
		"no base64":      {"a ???\n", "E_INVALID", "keys:1: want an id and 32 bytes in base64", 0o600},
		"a short key":    {good + "b MDEy\n", "E_INVALID", "keys:2: want an id", 0o600},
		"no id":          {"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n", "E_INVALID", "keys:1: want an id", 0o600},
		"an id twice":    {good + good, "E_INVALID", "used twice", 0o600},
		"binary":         {"\x00\xff\x00", "E_INVALID", "keys:1: want an id", 0o600},
		"too large":      {strings.Repeat("# x\n", 20_000), "E_LIMIT", "over 64 KiB", 0o600},
		"others read it": {good, "E_DENIED", "chmod 600", 0o644},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			file := filepath.Join(home, "keys")
			write(t, file, []byte(tt.text))
			if err := errors.Join(os.Chmod(home, 0o700), os.Chmod(file, tt.mode)); err != nil {
				t.Fatal(err)
			}
			_, err := run(t, home, "", "migrate")
			p := problem.From(err)
			if err == nil || p.Code != tt.code || !strings.Contains(p.Message+p.Hint, tt.want) || strings.Contains(err.Error(), "MDEy") {
				t.Errorf("got %+v", p)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != tt.text {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

const secretServer = "kind: Server\nmetadata: {name: s}\nspec: {url: 'http://127.0.0.1:1/', headers: {A: canary-3}}\n"

// The file of keys was lost: all else works, and the credentials are there again with it.
func TestMissingKey(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s, token := start(t, address)
		s.Apply(t, secretServer+"---\n"+prompt("a", "x"))
		other, otherToken := mcpdtest.Start(t, address), token // with keys of its own
		if lost, err := other.Store.LostKeys(t.Context()); err != nil || len(lost.Keys) != 1 || lost.Credentials != 1 || !lost.Seal {
			t.Errorf("lost keys: %+v, %v", lost, err)
		}
		for path, want := range map[string]int{"/api/v1/servers/s": 200, "/api/v1/prompts/a?project=p": 200, "/api/v1/snapshot": 200} {
			if got := other.Do(t, otherToken, "GET", path, ""); got.Status != want || strings.Contains(got.Body, "canary") {
				t.Errorf("%s: %+v", path, got)
			}
		}
		for path, body := range map[string]string{"/api/v1/servers/s/mcp": `{"method":"ping"}`, "/api/v1/apply": mcpdtest.ApplyBody(strings.Replace(secretServer, "canary-3", "'***'", 1))} {
			if got := other.Do(t, otherToken, "POST", path, body); got.Status != 503 || !strings.Contains(got.Body, "is not in the file of keys") {
				t.Errorf("%s: %+v", path, got)
			}
		}
		o, _, err := s.Store.Reveal(t.Context(), object.Key{Kind: object.KindServer, Name: "s"})
		if err != nil || o.(*object.Server).Spec.Headers["A"].Source() != "canary-3" {
			t.Errorf("with the keys: %v, %v", o, err)
		}
		if got := other.Do(t, otherToken, "DELETE", "/api/v1/servers/s", ""); got.Status != 200 {
			t.Errorf("delete: %+v", got)
		}
		if got := other.Do(t, otherToken, "POST", "/api/v1/apply", mcpdtest.ApplyBody(secretServer)); got.Status != 200 {
			t.Errorf("and apply again: %+v", got)
		}
	})
}

func TestRotatedKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	old, err := keyring.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	id, sealed := old.Seal([]byte("text"), "row")
	if err := keyring.Rotate(file); err != nil {
		t.Fatal(err)
	}
	both, err := keyring.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := both.Open(id, sealed, "row"); err != nil || string(text) != "text" || both.Current() == id {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestHomeOfAnotherProcess(t *testing.T) {
	home := t.TempDir()
	if _, err := run(t, home, "correct horse battery", "bootstrap", "--user", "anna", "--password-stdin"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	root := serve.NewRoot()
	root.SetArgs([]string{"serve", "--listen", "127.0.0.1:0"})
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	eventually(t, "the lock", func() bool {
		_, held, err := homedir.Dir(home).Holder()
		return held && err == nil
	})
	_, err := runIn("", "migrate")
	if p := problem.From(err); p.Code != "E_CONFLICT" || !strings.Contains(p.Message, "in use by another mcpd") {
		t.Errorf("got %+v", p)
	}
	cancel()
	if err := <-ended; err != nil { // also if it was still starting
		t.Errorf("serve: %v", err)
	}
}

func TestRequestOf33MiB(t *testing.T) {
	s, token := start(t, filepath.Join(t.TempDir(), "db"))
	body := mcpdtest.ApplyBody(strings.Repeat("# comment\n", 33<<20/10))
	for _, path := range []string{"/api/v1/apply", "/api/v1/auth/can-i", "/api/v1/tokens"} {
		if got := s.Do(t, token, "POST", path, body); got.Status != http.StatusRequestEntityTooLarge && got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "E_") {
			t.Errorf("%s: %d %.300s", path, got.Status, got.Body)
		}
	}
	if got := s.Do(t, token, "POST", "/api/v1/apply", body); got.Status != 413 || !strings.Contains(got.Body, "the request is over 32768 KiB") {
		t.Errorf("apply: %d %.300s", got.Status, got.Body)
	}
}

func TestManifestOf20MB(t *testing.T) {
	s, token := start(t, filepath.Join(t.TempDir(), "db"))
	version := s.Feed.Version()
	got := s.Do(t, token, "POST", "/api/v1/apply", mcpdtest.ApplyBody(prompt("a", strings.Repeat("x", 20_000_000))))
	if got.Status != 422 && got.Status != 413 || !strings.Contains(got.Body, "limit") || len(got.Body) > 10_000 {
		t.Errorf("got %d %.500s", got.Status, got.Body)
	}
	if s.Feed.Version() != version {
		t.Error("something was written")
	}
}

func TestThousandObjectsInOneApply(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s, token := start(t, address)
		version := s.Feed.Version()
		var yaml strings.Builder
		for i := range 1000 {
			if i > 0 {
				yaml.WriteString("---\n")
			}
			yaml.WriteString(prompt(fmt.Sprintf("n%d", i), fmt.Sprint(i)))
		}
		for _, action := range []string{"created", "unchanged"} {
			var applied []api.Applied
			s.Do(t, token, "POST", "/api/v1/apply", mcpdtest.ApplyBody(yaml.String())).Decode(t, &applied)
			if len(applied) != 1000 || applied[999].Action != action {
				t.Fatalf("%d objects, the last one %+v, want %s", len(applied), applied[len(applied)-1], action)
			}
		}
		if got := s.Feed.Version(); got != version+1000 {
			t.Errorf("version %d, want %d", got, version+1000)
		}
		bad := strings.Replace(yaml.String(), `content: "999"`, `content: "new", priority: 99`, 1)
		bad = strings.ReplaceAll(bad, `content: "5`, `content: "changed 5`)
		if got := s.Do(t, token, "POST", "/api/v1/apply", mcpdtest.ApplyBody(bad)); got.Status != 422 || s.Feed.Version() != version+1000 {
			t.Errorf("one of a thousand is invalid: %d %.300s", got.Status, got.Body)
		}
	})
}

// Some logins are answered and the others are told when to try again.
func TestTwoHundredLoginsAtOnce(t *testing.T) {
	s, token := start(t, filepath.Join(t.TempDir(), "db"))
	const text = "correct horse battery"
	if err := s.Access.SetPassword(t.Context(), "root", nil, text); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	statuses := make(map[int]int)
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			got := s.Do(t, "", "POST", "/api/v1/auth/login", `{"user":"root","password":"`+text+`"}`)
			mu.Lock()
			defer mu.Unlock()
			statuses[got.Status]++
			if got.Status == http.StatusTooManyRequests && got.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		})
	}
	if got := s.Do(t, token, "GET", "/api/v1/auth/whoami", ""); got.Status != 200 { // others are served meanwhile
		t.Errorf("another request: %+v", got)
	}
	all.Wait()
	if statuses[200]+statuses[429] != 200 || statuses[200] == 0 {
		t.Errorf("got %v", statuses)
	}
}

func TestMalformedEverything(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s, token := start(t, address)
		bodies := []string{"", "null", "{}", "[]", "0", `""`, "{", `{"":`, "\x00", "\xff\xfe", `{"user":null}`, `{"yaml":"\u0000"}`, `{"yaml":"\ud800"}`, `{"yaml":"kind: !!binary x"}`,
			`{"a":1,"a":2}`, strings.Repeat("[", 20_000), `{"name":"` + strings.Repeat("\\u0000", 50) + `"}`, `{"jsonrpc":"2.0","method":"\u0000"}`, `{"file":"\u0000","yaml":"kind: X"}`, `{"base":"\u0000","yaml":""}`,
			`{"user":"\u0000","new":"0123456789abc"}`, `{"verb":"view","kind":"user","name":"\u0000","project":"\u0000"}`, `{"name":"x","serviceAccount":"\u0000"}`, `{"name":"x","ttl":"\u0000"}`}
		queries := []string{"", "?project=%00", "?project=%ff", "?project=..%2f", "?limit=-1", "?limit=99999999999999999999", "?cursor=%00", "?cursor=Lw", "?since=%00", "?since=1e9", "?since=2026-13-01T00:00:00Z", "?dryRun=maybe", "?force=1", "?%zz", "?project=a&project=b", "?a=b;c"}
		for _, route := range s.Routes() {
			if strings.HasSuffix(route.Path, "/logout") || strings.HasSuffix(route.Path, "/watch") {
				continue // ends the token; a stream has no end
			}
			for i, name := range []string{"root", "%00", "%ff", "a%2fb", "%2e%2e", strings.Repeat("a", 300)} {
				path := strings.NewReplacer("{kinds}", []string{"users", "servers"}[i%2], "{name}", name, "{id}", name).Replace(route.Path)
				if i > 0 && path == route.Path {
					break
				}
				for _, q := range queries {
					check(t, s.Do(t, token, route.Method, path+q, ""), route.Method, path+q, "")
				}
				if route.Method == "POST" {
					for _, body := range bodies {
						check(t, s.Do(t, token, route.Method, path, body), route.Method, path, body)
					}
				}
			}
		}
		for _, header := range []string{"Bearer", "Bearer ", "bearer x", "Basic cm9vdDpyb290", "Bearer mcpd_" + strings.Repeat("0", 49), "Bearer \xff", "Bearer " + token + " x", "Bearer " + token + ", Bearer " + token, "Bearer " + strings.Repeat("x", 100_000), strings.Repeat(" ", 100)} {
			if got := s.Do(t, "", "GET", "/api/v1/status", "", "Authorization", header); got.Status != 401 {
				t.Errorf("Authorization %.40q: %d", header, got.Status)
			}
		}
	})
}

// check checks that a malformed request is the fault of the client.
func check(t *testing.T, got mcpdtest.Answer, method, path, body string) {
	t.Helper()
	if got.Status >= 500 && got.Status != 502 && got.Status != 501 { // 502: of the relay; 501: regenerate-summary
		t.Errorf("%s %.100s %.60q: %d %.300s", method, path, body, got.Status, got.Body)
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

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// overwrite replaces bytes of a file by others, and keeps its size.
func overwrite(t *testing.T, file string, from, n int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := from; i < min(from+n, len(text)); i++ {
		text[i] = byte(i*7 + 13)
	}
	write(t, file, text)
}
