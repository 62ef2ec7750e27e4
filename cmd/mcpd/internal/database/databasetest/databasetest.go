// Package databasetest opens databases for tests: one of SQLite, and one of a private
// PostgreSQL server if the environment has MCPD_TEST_POSTGRES=1.
package databasetest

import (
	"cmp"
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
)

// server is the private server of a test binary; "" if there is none.
var server struct {
	address string // without the name of a database
	bin     string
	number  atomic.Int64
}

// Main runs the tests of a package. TestMain calls it.
func Main(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv("MCPD_TEST_POSTGRES") != "1" {
		return m.Run()
	}
	stop, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "databasetest: PostgreSQL:", err)
		return 1
	}
	defer stop()
	return m.Run()
}

// start starts a server on a free port of the loopback, whose data is not synced to disk.
func start() (stop func(), err error) {
	bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	server.bin = cmp.Or(os.Getenv("MCPD_TEST_POSTGRES_BIN"), slices.Max(append(bins, "")))
	dir, err := os.MkdirTemp("", "mcpd-postgres-")
	if err != nil {
		return nil, err
	}
	remove := func() { os.RemoveAll(dir) }
	if err := giveAway(dir); err != nil {
		remove()
		return nil, err
	}
	data := filepath.Join(dir, "data")
	if err := command("initdb", "-D", data, "-U", "mcpd", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"); err != nil {
		remove()
		return nil, err
	}
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		remove()
		return nil, err
	}
	_, port, _ := net.SplitHostPort(lis.Addr().String())
	lis.Close()
	options := fmt.Sprintf("-p %s -c listen_addresses=127.0.0.1 -c unix_socket_directories=%s -c fsync=off -c full_page_writes=off -c max_connections=200", port, dir)
	if err := command("pg_ctl", "-D", data, "-w", "-l", filepath.Join(dir, "log"), "-o", options, "start"); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		remove()
		return nil, fmt.Errorf("%w\n%s", err, log)
	}
	server.address = "postgres://mcpd@127.0.0.1:" + port
	return func() {
		_ = command("pg_ctl", "-D", data, "-m", "immediate", "stop")
		remove()
	}, nil
}

// Postgres is a private server of one test, which can kill it.
type Postgres struct {
	Address string // of an empty database
	dir     string
	port    string
}

// NewServer starts a private server. It skips the test without PostgreSQL.
func NewServer(t testing.TB) *Postgres {
	t.Helper()
	if server.address == "" {
		t.Skip("needs PostgreSQL: MCPD_TEST_POSTGRES=1")
	}
	dir, err := os.MkdirTemp("", "mcpd-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(lis.Addr().String())
	lis.Close()
	p := &Postgres{Address: "postgres://mcpd@127.0.0.1:" + port + "/postgres", dir: dir, port: port}
	if err := giveAway(dir); err != nil {
		t.Fatal(err)
	}
	if err := command("initdb", "-D", p.data(), "-U", "mcpd", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"); err != nil {
		t.Fatal(err)
	}
	p.Start(t)
	t.Cleanup(func() { _ = command("pg_ctl", "-D", p.data(), "-m", "immediate", "stop") })
	return p
}

func (p *Postgres) data() string { return filepath.Join(p.dir, "data") }

// Start starts the server after Kill.
func (p *Postgres) Start(t testing.TB) {
	t.Helper()
	options := fmt.Sprintf("-p %s -c listen_addresses=127.0.0.1 -c unix_socket_directories=%s", p.port, p.dir)
	if err := command("pg_ctl", "-D", p.data(), "-w", "-l", filepath.Join(p.dir, "log"), "-o", options, "start"); err != nil {
		t.Fatal(err)
	}
}

// Kill ends the server at once, as a crash does.
func (p *Postgres) Kill(t testing.TB) {
	t.Helper()
	if err := command("pg_ctl", "-D", p.data(), "-m", "immediate", "-w", "stop"); err != nil {
		t.Fatal(err)
	}
}

// command runs a program of PostgreSQL, which refuses to run as root.
func command(name string, args ...string) error {
	cmd := exec.Command(filepath.Join(server.bin, name), args...)
	cmd.Dir = "/"
	if err := asServerUser(cmd); err != nil {
		return err
	}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if name == "pg_ctl" { // the server would inherit a pipe, and Wait would wait for it
		cmd.Stdout, cmd.Stderr = nil, nil
	}
	cmd.WaitDelay = time.Minute
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out.String())
	}
	return nil
}

// Each runs f once for each engine, with the address of an empty database.
func Each(t *testing.T, f func(t *testing.T, address string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, filepath.Join(t.TempDir(), "a b%20.db")) })
	if server.address == "" {
		return
	}
	t.Run("postgresql", func(t *testing.T) { f(t, NewPostgres(t)) })
}

// NewPostgres creates an empty database and returns its address. It sorts texts by the rules
// of English, as many servers do, so that tests find queries that depend on it. It skips the
// test without a server.
func NewPostgres(t testing.TB) string {
	t.Helper()
	if server.address == "" {
		t.Skip("needs PostgreSQL: MCPD_TEST_POSTGRES=1")
	}
	name := fmt.Sprintf("test%d", server.number.Add(1))
	_, port, _ := strings.Cut(strings.TrimPrefix(server.address, "postgres://mcpd@"), ":")
	if err := command("createdb", "-T", "template0", "--locale-provider=icu", "--icu-locale=en", "-h", "127.0.0.1", "-p", port, "-U", "mcpd", name); err != nil {
		t.Fatal(err)
	}
	return server.address + "/" + name
}

// Exec runs a statement on the database of an address, with a connection of its own.
func Exec(t testing.TB, address, statement string) {
	t.Helper()
	driver := "sqlite"
	if strings.HasPrefix(address, "postgres") {
		driver = "pgx"
	} else {
		address = (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: address}).EscapedPath()}).String()
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// Open opens and migrates a database.
func Open(t testing.TB, address string) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}
