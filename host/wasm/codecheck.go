package wasm

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
)

// codeCheck removes files that other users could have written from the cache of compiled code.
// The files are executed, and their format has only a checksum. Removed code is compiled
// again.
type codeCheck struct {
	log *slog.Logger
	// check returns an error for a file or directory that another user could have written.
	check func(path string, info fs.FileInfo) error
}

func newCodeCheck(log *slog.Logger) codeCheck { return codeCheck{log, homedir.CheckWriters} }

// secure creates the directory if there is none, and checks it and everything in it.
//
// Errors: abi.ErrDenied for a directory of another user that cannot be removed.
func (c codeCheck) secure(dir string) error {
	info, err := os.Stat(dir) // of the target of a link: a copy of a home links to the cache of the home
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return err
	}
	why := c.check(dir, info)
	if why == nil {
		removed, err := c.secureEntries(dir)
		if removed { // modules described there are run without a check of their code
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, preparedDir)))
		}
		return err
	}
	c.log.Warn("compiled code is removed, because another user could have changed it", "why", why)
	if err := removeEntries(dir); err != nil {
		return fmt.Errorf("%w; it cannot be emptied: %v; remove it", why, err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("%w; its mode cannot be changed: %v; remove it", why, err)
	}
	info, err = os.Stat(dir)
	if err == nil {
		err = c.check(dir, info)
	}
	return err
}

// secureEntries checks the entries of a directory that only this user can write. It reports
// whether it has removed some.
func (c codeCheck) secureEntries(dir string) (removed bool, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed by another process
		}
		if err == nil {
			err = c.checkEntry(path, info)
		}
		switch {
		case errors.Is(err, abi.ErrDenied):
			c.log.Warn("compiled code is removed, because another user could have changed it", "why", err)
			removed = true
			err = os.RemoveAll(path)
		case err == nil && info.IsDir():
			var below bool
			below, err = c.secureEntries(path)
			removed = removed || below
		}
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// checkEntry returns abi.ErrDenied for an entry that another user could have written, and
// for links and other special files, which this program does not create.
func (c codeCheck) checkEntry(path string, info fs.FileInfo) error {
	if !info.IsDir() && !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is not a regular file", abi.ErrDenied, path)
	}
	return c.check(path, info)
}

func removeEntries(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}
