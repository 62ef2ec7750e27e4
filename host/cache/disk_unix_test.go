//go:build unix

package cache

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// helper runs a job that changes limits of the process.
func helper(job string) {
	if err := fullDisk(os.Args[1]); err != nil {
		fmt.Println(job, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// fullDisk fills the cache up to a limit of the file size, then removes the limit. A
// write over the limit fails with EFBIG, like ENOSPC on a full disk.
func fullDisk(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	const room = 256 << 10
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	lower := limit
	lower.Cur = room
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &lower); err != nil {
		return err
	}
	log := newRecorder()
	c, err := Open(path, Options{Log: slog.New(log)})
	if err != nil {
		return err
	}
	for n := range 100 {
		fill(c, n, n+1)
		c.Flush()
		if v, ok := c.Get(keyOf(n), home); !ok || string(v) != string(valueOf(n)) {
			return fmt.Errorf("value %d cannot be read back", n)
		}
	}
	if got := <-log.messages; !strings.Contains(got, "cache is off") || len(log.messages) > 0 {
		return fmt.Errorf("got %d warnings, the first %q, want one", len(log.messages)+1, got)
	}
	if c.Stats().Off == "" {
		return fmt.Errorf("Stats.Off is empty on a full disk")
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if got := <-log.messages; !strings.Contains(got, "on again") { // after a retry
		return fmt.Errorf("after the limit was lifted: %q", got)
	}
	fill(c, 200, 250)
	_ = c.Close()
	if c, err = Open(path, Options{}); err != nil {
		return err
	}
	for n := range 250 {
		v, ok := c.Get(keyOf(n), home)
		if ok && string(v) != string(valueOf(n)) || !ok && n >= 200 {
			return fmt.Errorf("value %d without the limit: served %v, %d bytes", n, ok, len(v))
		}
	}
	if f := c.Stats().Faults; f.SetAside+f.Damaged > 0 {
		return fmt.Errorf("a full disk damaged the file: %+v", f)
	}
	return c.Close()
}

func TestFullDisk(t *testing.T) {
	cmd := exec.Command(os.Args[0], filepath.Join(t.TempDir(), "cache.db"))
	cmd.Env = append(os.Environ(), helperEnv+"=fullDisk")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// If the file cannot be created, the cache works from memory and creates the file
// later.
func TestFileIsCreatedLater(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file in place of the directory
		t.Fatal(err)
	}
	path := filepath.Join(dir, "cache.db")
	log := newRecorder()
	c := open(t, path, Options{Log: slog.New(log)})
	log.next(t, "cache is off")
	fill(c, 0, 10)
	if n := countServed(t, c, 0, 10); n != 10 {
		t.Errorf("%d of 10 values served from memory", n)
	}
	if _, err := c.Clear("home"); err == nil {
		t.Error("Clear without a file: no error")
	}
	fill(c, 0, 10)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	log.next(t, "on again")
	_ = c.Close()
	c = open(t, path, Options{})
	if n := countServed(t, c, 0, 10); n != 10 {
		t.Errorf("%d of 10 values reached the file", n)
	}
}
