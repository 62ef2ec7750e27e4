// Package atomicfile writes files that other processes watch or read.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write atomically replaces the content of file with b and sets its mode to perm. A reader
// sees the old or the new content, also after a crash: Write writes and syncs a temporary
// file in the same directory, and renames it. The name of the temporary file starts with a
// dot, so that the watchers of the home ignore it. The directory must exist.
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
	defer os.Remove(tmp.Name()) // fails after the rename
	_, err = tmp.Write(b)
	if err = errors.Join(err, tmp.Chmod(perm), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}

// Resolve returns the target of file if it is a symbolic link, because Write would replace
// the link itself. It returns file unchanged if it does not exist.
//
// It returns an error for a link whose target does not exist.
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
