//go:build unix

package homedir

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// A child between fork and exec has the files of its parent: it must not keep a
// home that was given back.
func TestLockIsGivenBackWhileAChildStarts(t *testing.T) {
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
		t.Fatalf("after it was given back: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// TestLockNamesNoDaemonThatIsGone: between taking the home and saying who has it, a
// daemon is starting; what the one before left there is not said of it.
func TestLockNamesNoDaemonThatIsGone(t *testing.T) {
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
		t.Errorf("a second daemon is told: %v", err)
	}
}
