package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// postgres is a private PostgreSQL server with its default durability.
type postgres struct {
	bin, dir, port string
	databases      int
}

// database returns the address of a new, empty database.
func (b *bench) database() (string, error) {
	if b.server == nil {
		s, err := startPostgres()
		if err != nil {
			return "", fmt.Errorf("PostgreSQL: %w", err)
		}
		b.server = s
	}
	s := b.server
	s.databases++
	name := fmt.Sprintf("team%d", s.databases)
	if err := s.command("createdb", "-h", "127.0.0.1", "-p", s.port, "-U", "mcpd", name); err != nil {
		return "", err
	}
	return "postgres://mcpd@127.0.0.1:" + s.port + "/" + name, nil
}

func startPostgres() (*postgres, error) {
	bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	s := &postgres{bin: cmp.Or(os.Getenv("MCPD_TEST_POSTGRES_BIN"), slices.Max(append(bins, "")))}
	var err error
	if s.dir, err = os.MkdirTemp("", "bench-team-postgres-"); err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 {
		uid, gid, err := postgresUser()
		if err == nil {
			err = os.Chown(s.dir, int(uid), int(gid))
		}
		if err != nil {
			return nil, err
		}
	}
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, s.port, _ = net.SplitHostPort(lis.Addr().String())
	lis.Close()
	if err := s.command("initdb", "-D", s.data(), "-U", "mcpd", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"); err != nil {
		s.stop()
		return nil, err
	}
	options := fmt.Sprintf("-p %s -c listen_addresses=127.0.0.1 -c unix_socket_directories=%s -c max_connections=200", s.port, s.dir)
	if err := s.command("pg_ctl", "-D", s.data(), "-w", "-l", filepath.Join(s.dir, "log"), "-o", options, "start"); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *postgres) data() string { return filepath.Join(s.dir, "data") }

// restart ends all connections and starts the server again with the same options.
func (s *postgres) restart() error {
	return s.command("pg_ctl", "-D", s.data(), "-w", "-m", "fast", "-l", filepath.Join(s.dir, "log"), "restart")
}

func (s *postgres) stop() {
	_ = s.command("pg_ctl", "-D", s.data(), "-m", "immediate", "stop")
	os.RemoveAll(s.dir)
}

// command runs a program of PostgreSQL, which refuses to run as root.
func (s *postgres) command(name string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...)
	cmd.Dir = "/"
	if os.Geteuid() == 0 {
		uid, gid, err := postgresUser()
		if err != nil {
			return err
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
	}
	var out strings.Builder
	if name != "pg_ctl" { // the server would inherit a pipe, and Run would wait for it
		cmd.Stdout, cmd.Stderr = &out, &out
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out.String())
	}
	return nil
}

func postgresUser() (uid, gid uint32, err error) {
	u, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, err
	}
	id, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return 0, 0, err
	}
	group, err := strconv.ParseUint(u.Gid, 10, 32)
	return uint32(id), uint32(group), err
}
