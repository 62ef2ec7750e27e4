// Package install copies modules into the directory stages of a home and records the
// plugin directory that each was built in.
//
// A module is a copy, so its manifest, sources and tests are in another directory. The
// Record of a module contains that directory, and the hash of the module to detect a
// module that was replaced. Records are optional; the registry does not read them.
package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// Record describes the origin of an installed module.
type Record struct {
	Dir  string    `json:"folder"` // absolute path of the plugin directory
	Time time.Time `json:"time"`   // of the installation, UTC
	Hash string    `json:"hash"`   // SHA-256 of the module, hexadecimal
}

const (
	moduleSuffix = ".wasm"
	recordSuffix = ".source.json" // x.source.json is the record of x.wasm
	maxRecord    = 16 << 10
)

// Module installs a module under the name of file ("shout.wasm") and records its plugin
// directory. Both files are replaced atomically, the record before the module.
func Module(stages, file string, wasm []byte, dir string, now time.Time) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(Record{dir, now.UTC().Truncate(time.Second), hashOf(wasm)}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(stages, 0o700); err != nil {
		return err
	}
	if err := atomicfile.Write(recordOf(stages, file), append(text, '\n'), 0o600); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(stages, filepath.Base(file)), wasm, 0o600)
}

// Bare installs a module that was not built in a plugin directory. It removes the record of
// an earlier module of that name. If file is already the one in stages, it is not written.
func Bare(stages, file string, wasm []byte) error {
	if err := os.MkdirAll(stages, 0o700); err != nil {
		return err
	}
	if err := os.Remove(recordOf(stages, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	target := filepath.Join(stages, filepath.Base(file))
	from, err := os.Stat(file)
	if to, missing := os.Stat(target); err == nil && missing == nil && os.SameFile(from, to) {
		return nil
	}
	return atomicfile.Write(target, wasm, 0o600)
}

// Of reads the record of an installed module. ok is false if there is no record, for
// example because the module was copied manually.
//
// It returns abi.ErrConfig for an invalid record.
func Of(stages, file string) (r Record, ok bool, err error) {
	path := recordOf(stages, file)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxRecord) {
		err = fmt.Errorf("%w: %s is no record of a module", abi.ErrConfig, path)
	}
	if err != nil {
		return r, false, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return r, false, err
	}
	if err := json.Unmarshal(text, &r); err != nil || !filepath.IsAbs(r.Dir) {
		return Record{}, false, fmt.Errorf("%w: %s is no record of a module", abi.ErrConfig, path)
	}
	return r, true, nil
}

// Fault describes why the record does not lead to the sources of the module with the given
// hash, or returns "". If the hash is empty, as for a module that could not be loaded, only
// the directory is checked.
func (r Record) Fault(hash string) string {
	if hash != "" && hash != r.Hash {
		return "the module is not the one that was installed from there"
	}
	if _, err := os.Stat(r.Dir); errors.Is(err, fs.ErrNotExist) {
		return "the directory was moved or deleted"
	} else if err != nil {
		return "the directory cannot be read"
	}
	if _, err := os.Stat(filepath.Join(r.Dir, "plugin.yaml")); err != nil {
		return "the directory no longer has a plugin.yaml"
	}
	return ""
}

// Prune removes the records without a module.
func Prune(stages string) error {
	entries, err := os.ReadDir(stages)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), recordSuffix)
		if !ok {
			continue
		}
		if _, err := os.Lstat(filepath.Join(stages, name+moduleSuffix)); errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, os.Remove(filepath.Join(stages, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// RemoveOthers removes the modules that were installed from a plugin directory under another
// name than file: their role was renamed and is installed under its new name. Modules that
// have changed since the installation are kept. It returns the names of the removed
// modules.
func RemoveOthers(stages, file, dir string) (removed []string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(stages)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), recordSuffix)
		if !ok || name+moduleSuffix == filepath.Base(file) {
			continue
		}
		module := filepath.Join(stages, name+moduleSuffix)
		r, ok, err := Of(stages, module)
		if err != nil || !ok || r.Dir != dir {
			continue // an invalid record was not written by this package
		}
		wasm, err := os.ReadFile(module)
		if err != nil || hashOf(wasm) != r.Hash {
			continue
		}
		if err := os.Remove(module); err != nil {
			return removed, err
		}
		removed = append(removed, name)
		if err := os.Remove(recordOf(stages, module)); err != nil {
			return removed, err
		}
	}
	return removed, nil
}

func hashOf(wasm []byte) string {
	sum := sha256.Sum256(wasm)
	return hex.EncodeToString(sum[:])
}

func recordOf(stages, file string) string {
	return filepath.Join(stages, strings.TrimSuffix(filepath.Base(file), moduleSuffix)+recordSuffix)
}
