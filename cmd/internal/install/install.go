// Package install puts modules into the stages/ of a home and keeps beside each
// which plugin folder it was built in.
//
// A module is a copy, never a link, so the manifest, the sources and the tests it
// was made of are somewhere else: the Record leads there, and the module's hash
// in it says whether it still speaks of the module that lies there now. The
// registry does not read records; a module without one is as good as any.
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
	"github.com/mcpctl/mcpctl/cmd/internal/atomicfile"
)

// Record is what is kept beside a module.
type Record struct {
	Folder string    `json:"folder"` // the plugin folder, absolute
	Time   time.Time `json:"time"`   // of the installation, UTC
	Hash   string    `json:"hash"`   // SHA-256 of the module, hexadecimal
}

const (
	moduleSuffix = ".wasm"
	recordSuffix = ".source.json" // x.source.json beside x.wasm
	maxRecord    = 16 << 10
)

// Module installs a module under the name of file ("shout.wasm") and records the
// plugin folder it was built in. A daemon that watches stages sees the old module
// or the new one; the record is there before the module it is about.
func Module(stages, file string, wasm []byte, folder string, now time.Time) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(Record{folder, now.UTC().Truncate(time.Second), hashOf(wasm)}, "", "  ")
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

// Bare installs a module file without a record: it was not built in a plugin directory. A
// record of an earlier module of that name is removed. A file that is itself the one in
// stages is not written.
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

// Of reads the record of an installed module; ok is false for a module that
// somebody copied in by hand.
//
// Errors: abi.ErrConfig for a record that cannot be read as one.
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
	if err := json.Unmarshal(text, &r); err != nil || !filepath.IsAbs(r.Folder) {
		return Record{}, false, fmt.Errorf("%w: %s is no record of a module", abi.ErrConfig, path)
	}
	return r, true, nil
}

// Fault says what keeps a record from leading to the sources of the module that
// has the given hash, or "" if nothing does. The hash is empty for a module that
// could not be loaded: then the folder alone is looked at.
func (r Record) Fault(hash string) string {
	if hash != "" && hash != r.Hash {
		return "the module is another one than was installed from there"
	}
	if _, err := os.Stat(r.Folder); errors.Is(err, fs.ErrNotExist) {
		return "the folder is gone, moved or deleted"
	} else if err != nil {
		return "the folder cannot be read"
	}
	if _, err := os.Stat(filepath.Join(r.Folder, "plugin.yaml")); err != nil {
		return "the folder has no plugin.yaml any more"
	}
	return ""
}

// Prune removes the records whose module is gone.
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

// RemoveOthers removes the modules that were installed from a folder under any name
// but that of file: what they hold was called so once, and is installed under its new
// name. A module that is not the one that was installed stays. The names of those that
// are gone are returned.
func RemoveOthers(stages, file, folder string) (removed []string, err error) {
	folder, err = filepath.Abs(folder)
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
		if err != nil || !ok || r.Folder != folder {
			continue // a record that cannot be read is nothing that we have put there
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
