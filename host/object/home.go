package object

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/abi"
)

// privateDir and privateFile are the modes of everything in the home.
const (
	privateDir  fs.FileMode = 0o700
	privateFile fs.FileMode = 0o600
)

// checkHome refuses a home that somebody else could have written: one that is
// no folder, belongs to another user, or is writable by group or others.
//
// Errors: abi.ErrNotFound, abi.ErrDenied; the text ends in the command that
// mends it.
func checkHome(home string) error {
	info, err := os.Stat(home)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: home %s does not exist", abi.ErrNotFound, home)
	}
	if err != nil {
		return diskError("home", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%w: home %s is not a folder", abi.ErrConfig, home)
	}
	if uid, mine := owner(info); !mine {
		return fmt.Errorf("%w: home %s belongs to uid %d, want %d", abi.ErrDenied, home, uid, os.Geteuid())
	}
	if perm := info.Mode().Perm(); writableByOthers(perm) {
		return fmt.Errorf("%w: home %s has mode %04o: group or others could write it, want 0700\nhint: chmod 700 %s",
			abi.ErrDenied, home, perm, home)
	}
	return nil
}

// PrepareHome makes a home ready: it is made if it does not exist, refused if
// others could have written it, closed to readers of group and others, and gets its folders.
func PrepareHome(home string) error {
	if err := os.MkdirAll(home, privateDir); err != nil {
		return diskError("home", err)
	}
	if err := checkHome(home); err != nil {
		return err
	}
	if info, err := os.Stat(home); err == nil && info.Mode().Perm() != privateDir {
		if err := os.Chmod(home, privateDir); err != nil {
			return diskError("home", err)
		}
	}
	for _, k := range kinds {
		if err := os.MkdirAll(filepath.Join(home, k.folder), privateDir); err != nil {
			return diskError("home", err)
		}
	}
	return nil
}

// diskError is the error of a file or folder that the system refuses: denied if
// it is a matter of rights, of no kind of ours if the disk is full or broken. It
// is never abi.ErrUnavailable: nobody has to be reached.
func diskError(what string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: %s: %w", abi.ErrDenied, what, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// checkPrivateFile refuses a file that others can read or that is not ours.
func checkPrivateFile(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is not a regular file", abi.ErrDenied, path)
	}
	if uid, mine := owner(info); !mine {
		return fmt.Errorf("%w: %s belongs to uid %d, want %d", abi.ErrDenied, path, uid, os.Geteuid())
	}
	if perm := info.Mode().Perm(); IsReadableByOthers(perm) {
		return fmt.Errorf("%w: %s has mode %04o, want 0600\nhint: chmod 600 %s", abi.ErrDenied, path, perm, path)
	}
	return nil
}

// readBounded reads a file up to the limit of YAML files.
func readBounded(f io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, diskError("file", err)
	}
	return data, nil
}
