package filelock

import (
	"os"
	"path/filepath"
	"testing"
)

func TestALockExcludesOthersUntilItIsReleased(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	first, second := open(t, file), open(t, file)
	if err := Lock(first); err != nil {
		t.Fatal(err)
	}
	if ok, err := TryLock(second); ok || err != nil {
		t.Errorf("a lock that is held: %v, %v", ok, err)
	}
	if locked, err := IsLocked(second); !locked || err != nil {
		t.Errorf("a lock that is held is reported as free: %v, %v", locked, err)
	}
	if err := Unlock(first); err != nil {
		t.Fatal(err)
	}
	if locked, err := IsLocked(second); locked || err != nil {
		t.Errorf("a lock that was released is reported as held: %v, %v", locked, err)
	}
	if ok, err := TryLock(second); !ok || err != nil {
		t.Errorf("a lock that was released: %v, %v", ok, err)
	}
}

func open(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
