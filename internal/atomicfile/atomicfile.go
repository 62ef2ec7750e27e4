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
	f, err := Create(file, perm)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Commit()
}

// File is a content that replaces a file when it is complete. It is written like that of
// Write.
type File struct {
	tmp  *os.File
	file string
	perm fs.FileMode
}

// Create begins a new content of file. The caller closes it; without Commit the file keeps its
// old content.
//
// Errors, also of the methods: *fs.PathError with the path file.
func Create(file string, perm fs.FileMode) (*File, error) {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".new-*")
	if err != nil {
		return nil, writeError(file, err)
	}
	return &File{tmp, file, perm}, nil
}

// Write implements io.Writer.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.tmp.Write(b)
	return n, writeError(f.file, err)
}

// Commit ends the content and replaces the file by it.
func (f *File) Commit() error {
	err := errors.Join(f.tmp.Chmod(f.perm), f.tmp.Sync(), f.tmp.Close())
	if err == nil {
		err = os.Rename(f.tmp.Name(), f.file)
	}
	return writeError(f.file, err)
}

// Close removes the content if it was not committed.
func (f *File) Close() {
	_ = f.tmp.Close()           // fails after Commit
	_ = os.Remove(f.tmp.Name()) // fails after the rename
}

// writeError returns err with the path of the target. It returns nil for nil.
func writeError(file string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "write", Path: file, Err: withoutPath(err)}
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
