// Package atomicfile writes files that others watch or may be reading.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write gives file the content b and the mode perm, so that a reader sees the old
// file or the new one and never half of it, also after a crash: it is written
// beside, synced and renamed. The folder must exist. What is written beside
// starts with a dot, which every watcher of ours leaves alone.
//
// Errors: *fs.PathError with the path file.
func Write(file string, b []byte, perm fs.FileMode) error {
	if err := write(file, b, perm); err != nil {
		return &fs.PathError{Op: "write", Path: file, Err: withoutPath(err)}
	}
	return nil
}

// withoutPath returns the error inside err that does not name the temporary file.
func withoutPath(err error) error {
	var at *fs.PathError
	var rename *os.LinkError
	switch {
	case errors.As(err, &at):
		return at.Err
	case errors.As(err, &rename):
		return rename.Err
	}
	return err
}

func write(file string, b []byte, perm fs.FileMode) error {
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

// Resolve returns the file that a path leads to, with symbolic links resolved: Write
// replaces a link itself. A file that does not exist is its own path.
//
// Errors: one for a link whose target does not exist.
func Resolve(file string) (string, error) {
	target, err := filepath.EvalSymlinks(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return target, err
	}
	if to, err := os.Readlink(file); err == nil {
		return "", fmt.Errorf("%s is a link to %s, which does not exist", file, to)
	}
	return file, nil
}
