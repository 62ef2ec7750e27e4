package homedir

import (
	"os"
	"testing"
)

func TestHolder(t *testing.T) {
	home := Dir(t.TempDir())
	check := func(state string, wantPID int, wantHeld bool) {
		t.Helper()
		if pid, held, err := home.Holder(); pid != wantPID || held != wantHeld || err != nil {
			t.Errorf("%s: pid %d, held %v, %v; want pid %d, held %v", state, pid, held, err, wantPID, wantHeld)
		}
	}
	check("a home without a daemon", 0, false)
	lock, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	check("a daemon that is starting", 0, true)
	if err := lock.Describe("pid 4711, socket s, http://127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	check("a daemon that serves", 4711, true)
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	check("a daemon that ended and left its pid", 0, false)
}

func TestLockOfReplacedHomeIsNotCurrent(t *testing.T) {
	home := Dir(t.TempDir())
	old, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if !old.IsCurrent() {
		t.Error("the lock of the home is not current")
	}
	if err := os.Remove(home.lock()); err != nil {
		t.Fatal(err)
	}
	if old.IsCurrent() {
		t.Error("the lock of a removed home is current")
	}
	replaced, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if old.IsCurrent() || !replaced.IsCurrent() {
		t.Errorf("after the home was replaced: the old lock %v, the new one %v; want false, true", old.IsCurrent(), replaced.IsCurrent())
	}
	if err := replaced.Close(); err != nil {
		t.Error(err)
	}
}
