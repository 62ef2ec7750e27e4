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
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
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
		if records, _, err := s.Store.Snapshot(t.Context(), store.Selection{}); err != nil || len(records) != 0 {
			t.Errorf("%d objects were written, %v", len(records), err)
		}
	})
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
