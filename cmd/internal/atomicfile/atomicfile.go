// Package atomicfile writes files that others watch or may be reading.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write gives file the content b and the mode perm, so that a reader sees the old
// file or the new one and never half of it, also after a crash: it is written
// beside, synced and renamed. The folder must exist. What is written beside
// starts with a dot, which every watcher of ours leaves alone.
func Write(file string, b []byte, perm fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone if it was renamed
	_, err = tmp.Write(b)
	if err = errors.Join(err, tmp.Chmod(perm), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
