package host

import (
	"errors"
	"syscall"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// A child between fork and exec has the files of its parent: it must not keep a
// home that was given back.
func TestLockIsGivenBackWhileAChildStarts(t *testing.T) {
	home := Home(t.TempDir())
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
