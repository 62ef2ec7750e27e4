package homedir

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/filelock"
)

// Lock is the lock of a home. Its daemon holds it.
type Lock struct{ f *os.File }

// Lock locks the home for this process. The operating system releases the lock when the
// process ends, however it ends.
//
// Errors: abi.ErrConflict if another process holds the lock, with the text that it gave
// to Describe.
func (h Dir) Lock() (*Lock, error) {
	if err := h.Create(); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(h.lock(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	locked, err := tryLock(f)
	if err == nil && !locked {
		text, _ := os.ReadFile(h.lock()) // best effort: the conflict is reported without it
		f.Close()
		return nil, fmt.Errorf("%w: home %s is in use by another daemon (%s)", abi.ErrConflict, h, cmp.Or(strings.TrimSpace(string(text)), "which is starting"))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	if err := f.Truncate(0); err != nil { // the text of the previous holder
		f.Close()
		return nil, err
	}
	return &Lock{f}, nil
}

// tryLock locks f. It tries again for a moment, since Holder locks the file for an instant.
func tryLock(f *os.File) (locked bool, err error) {
	for range 3 {
		if locked, err = filelock.TryLock(f); locked || err != nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return locked, err
}

// Holder returns the pid of the daemon that locks the home, 0 if it is starting; held is
// false if no daemon does.
func (h Dir) Holder() (pid int, held bool, err error) {
	f, err := os.Open(h.lock())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	defer f.Close()
	held, err = filelock.IsLocked(f)
	if err != nil || !held {
		return 0, false, err
	}
	text, err := io.ReadAll(f)
	if _, scanErr := fmt.Sscanf(string(text), "pid %d", &pid); scanErr != nil { // Describe was not called yet
		pid = 0
	}
	return pid, true, err
}

// IsCurrent reports whether the file of the lock is still that of the home. If the home
// was removed or replaced it is not, and another daemon can hold the home.
func (l *Lock) IsCurrent() bool {
	own, err := l.f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(l.f.Name())
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) // a home that cannot be read is still there
	}
	return os.SameFile(own, now)
}

// Describe writes the text that a second daemon reports: pid and socket.
func (l *Lock) Describe(text string) error {
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err := l.f.WriteAt([]byte(text+"\n"), 0)
	return err
}

// Close releases the lock. Closing the file alone would not be enough: a child process
// that is being started inherits the open file until it executes its own program.
func (l *Lock) Close() error {
	return errors.Join(filelock.Unlock(l.f), l.f.Close())
}
