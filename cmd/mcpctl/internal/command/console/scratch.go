package console

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/host/filelock"
)

const (
	scratchPrefix = "mcpctl-console-"
	scratchLock   = ".console"
)

// unlocked is how long a folder may have no lock: its owner makes one at once.
const unlocked = time.Minute

// scratch is a folder for the copy of a home. A lock in it goes with the process,
// however that ends, so one that was left behind can be told.
type scratch struct {
	dir  string
	lock *os.File
}

// newScratch makes a folder for this process alone, and removes those that others
// of ours have left.
func newScratch() (*scratch, error) {
	sweep(os.TempDir(), time.Now())
	dir, err := os.MkdirTemp("", scratchPrefix)
	if err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, scratchLock), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = filelock.Lock(lock) // waits for one who looks at it
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s := &scratch{dir, lock}
	if now, err := os.Stat(lock.Name()); err != nil || !sameFile(now, lock) { // who looked took it for one left behind
		return nil, errors.Join(errors.New("the folder "+dir+" was removed by another console, try again"), s.remove())
	}
	return s, nil
}

func sameFile(info fs.FileInfo, f *os.File) bool {
	own, err := f.Stat()
	return err == nil && os.SameFile(info, own)
}

// remove takes the folder away; what its links lead to stays.
func (s *scratch) remove() error {
	return errors.Join(os.RemoveAll(s.dir), s.lock.Close())
}

// sweep removes the folders whose process was killed. What is not ours, in use or
// not a scratch beyond doubt stays; what cannot be removed is left to the next.
func sweep(in string, now time.Time) {
	entries, err := os.ReadDir(in)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), scratchPrefix) || !private(info) {
			continue
		}
		dir := filepath.Join(in, e.Name())
		lock, err := os.OpenFile(filepath.Join(dir, scratchLock), os.O_RDWR|noFollow, 0)
		switch {
		case errors.Is(err, fs.ErrNotExist) && now.Sub(info.ModTime()) > unlocked:
			_ = os.Remove(dir) // it holds nothing, or it is none
		case err == nil:
			if locked, err := filelock.TryLock(lock); err == nil && locked {
				_ = os.RemoveAll(dir)
			}
			_ = lock.Close()
		}
	}
}
