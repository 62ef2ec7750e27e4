package twin

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
	scratchPrefix = "mcpctl-copy-"
	scratchLock   = ".copy"
)

// unlocked is the time for which a directory may have no lock, because its owner creates the lock at once.
const unlocked = time.Minute

// scratch is a directory for the copy of a home. The lock in it is released when the
// process ends in any way, so directories of dead processes can be recognised.
type scratch struct {
	dir  string
	lock *os.File
}

// newScratch creates a directory for this process, and removes those of dead mcpctl
// processes.
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
	if now, err := os.Stat(lock.Name()); err != nil || !sameFile(now, lock) { // another process swept it before it was locked
		return nil, errors.Join(errors.New("the directory "+dir+" was removed by another mcpctl, try again"), s.remove())
	}
	return s, nil
}

func sameFile(info fs.FileInfo, f *os.File) bool {
	own, err := f.Stat()
	return err == nil && os.SameFile(info, own)
}

// remove deletes the directory; the targets of its links stay.
func (s *scratch) remove() error {
	return errors.Join(os.RemoveAll(s.dir), s.lock.Close())
}

// sweep removes the directories of killed processes. It skips everything that is in use or
// may not be a scratch; an error is ignored, and the next process tries again.
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
