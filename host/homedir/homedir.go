// Package homedir defines the files of the home directory: their paths, owner, mode
// and size, its keys, and the lock of its daemon. The home contains credentials, so
// other users must not be able to write to it or to read its secrets.
package homedir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/abi"
)

// SettingsFile is the name of the settings file in the home.
const SettingsFile = "config.yaml"

// DirMode and FileMode are the modes of all directories and files in the home.
const (
	DirMode  fs.FileMode = 0o700
	FileMode fs.FileMode = 0o600
)

// Check returns an error if other users could have changed the home: it must be a
// directory that belongs to the user and is not writable by group or others.
//
// It returns abi.ErrNotFound, abi.ErrConfig or abi.ErrDenied. If a command can repair
// the home, the text ends with it.
func Check(home string) error {
	info, err := os.Stat(home)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: home %s does not exist", abi.ErrNotFound, home)
	}
	if err != nil {
		return DiskError("home", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%w: home %s is not a directory", abi.ErrConfig, home)
	}
	if uid, own := owner(info); !own {
		return fmt.Errorf("%w: home %s belongs to uid %d, want %d", abi.ErrDenied, home, uid, os.Geteuid())
	}
	if perm := info.Mode().Perm(); IsWritableByOthers(perm) {
		return fmt.Errorf("%w: home %s has mode %04o: group or others could write it, want 0700\nhint: chmod 700 %s",
			abi.ErrDenied, home, perm, home)
	}
	return nil
}

// Prepare creates a home that does not exist, checks it, removes all access for group
// and others, and creates subdirectories.
func Prepare(home string, subdirs ...string) error {
	if err := os.MkdirAll(home, DirMode); err != nil {
		return DiskError("home", err)
	}
	if err := Check(home); err != nil {
		return err
	}
	if info, err := os.Stat(home); err == nil && info.Mode().Perm() != DirMode {
		if err := os.Chmod(home, DirMode); err != nil {
			return DiskError("home", err)
		}
	}
	for _, dir := range subdirs {
		if err := os.MkdirAll(filepath.Join(home, dir), DirMode); err != nil {
			return DiskError("home", err)
		}
	}
	return nil
}

// DiskError returns the error of a file or directory with its name. Missing
// permissions become abi.ErrDenied. Other errors have no kind; in particular they are
// not abi.ErrUnavailable, which is for servers.
func DiskError(name string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: %s: %w", abi.ErrDenied, name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// CheckPrivateFile returns abi.ErrDenied if a file is not a regular file of the user, or
// if other users can read it.
func CheckPrivateFile(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is not a regular file", abi.ErrDenied, path)
	}
	if uid, own := owner(info); !own {
		return fmt.Errorf("%w: %s belongs to uid %d, want %d", abi.ErrDenied, path, uid, os.Geteuid())
	}
	if perm := info.Mode().Perm(); IsReadableByOthers(perm) {
		return fmt.Errorf("%w: %s has mode %04o, want 0600\nhint: chmod 600 %s", abi.ErrDenied, path, perm, path)
	}
	return nil
}

// CheckWriters returns abi.ErrDenied if a file or directory belongs to another user, or if
// group or others can write it.
func CheckWriters(path string, info fs.FileInfo) error {
	if uid, own := owner(info); !own {
		return fmt.Errorf("%w: %s belongs to uid %d, want %d", abi.ErrDenied, path, uid, os.Geteuid())
	}
	if perm := info.Mode().Perm(); IsWritableByOthers(perm) {
		return fmt.Errorf("%w: %s has mode %04o: group or others could write it", abi.ErrDenied, path, perm)
	}
	return nil
}

// ReadAtMost reads a file up to limit bytes, and one byte more if it is larger.
func ReadAtMost(f io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, DiskError("file", err)
	}
	return data, nil
}
