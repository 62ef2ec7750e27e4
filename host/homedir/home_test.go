//go:build unix

package homedir

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// A child process has the files of its parent between fork and exec. It must not
// keep the lock of a home that its parent released.
func TestLockIsReleasedWhileChildStarts(t *testing.T) {
	home := Dir(t.TempDir())
	lock, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	inherited, err := syscall.Dup(int(lock.f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(inherited)
	if _, err := home.Lock(); !errors.Is(err, abi.ErrConflict) {
		t.Errorf("a second lock: %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := home.Lock()
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// TestLockIgnoresTextOfPreviousDaemon verifies that a starting daemon, which has
// not described itself yet, is not reported with the description of the previous
// daemon.
func TestLockIgnoresTextOfPreviousDaemon(t *testing.T) {
	home := Dir(t.TempDir())
	before, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(before.Describe("pid 4711"), before.Close()); err != nil {
		t.Fatal(err)
	}
	now, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close()
	_, err = home.Lock()
	if !errors.Is(err, abi.ErrConflict) || strings.Contains(err.Error(), "4711") || !strings.Contains(err.Error(), "which is starting") {
		t.Errorf("a second daemon gets: %v", err)
	}
}
