package clientconfig

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/atomicfile"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// Backups keeps client files as they were before mcpctl wrote them, below the home.
type Backups struct {
	Dir string
	Now func() time.Time
}

// Record describes one command's change of client files: enough to take it back, and
// to see whether a file has changed since.
type Record struct {
	Time    time.Time  `json:"time"`
	Project string     `json:"project,omitempty"` // whose entries were written or removed
	Files   []fileCopy `json:"files"`

	path string // of the record
}

// fileCopy is one file of a Record.
type fileCopy struct {
	File    string   `json:"file"` // with symbolic links resolved
	Syntax  string   `json:"syntax"`
	Existed bool     `json:"existed"`
	After   string   `json:"after"`  // SHA-256 of the text that was written
	Before  string   `json:"before"` // name of the copy, beside the record
	Changes []Change `json:"changes"`
}

// syntaxes by the names that records hold.
var syntaxes = map[string]Syntax{"json": JSON, "toml": TOML}

func syntaxName(s Syntax) string {
	for name, known := range syntaxes {
		if known == s {
			return name
		}
	}
	return ""
}

// Write replaces client files, after keeping copies of them. It writes to a temporary
// file and renames it, so that the client never reads half a file; modes and symbolic
// links of dotfile managers stay. Copies beyond the newest ones of a file are removed.
//
// Errors: abi.ErrConflict if a file has changed since it was read; those of Target.
func (b Backups) Write(project string, files ...*File) error {
	r := Record{Time: b.Now().UTC(), Project: project}
	base := r.Time.Format("20060102T150405.000000000")
	if err := os.MkdirAll(b.Dir, 0o700); err != nil {
		return err
	}
	for i, f := range files {
		target, err := f.resolve()
		if err != nil {
			return err
		}
		r.Files = append(r.Files, fileCopy{File: target, Syntax: syntaxName(f.Syntax), Existed: f.Existed,
			After: sum(f.After), Before: fmt.Sprintf("%s.%d.before", base, i), Changes: f.Changes})
	}
	for i, c := range r.Files {
		if err := os.WriteFile(filepath.Join(b.Dir, c.Before), files[i].Before, 0o600); err != nil {
			return err
		}
	}
	meta, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.Dir, base+".json"), meta, 0o600); err != nil {
		return err
	}
	if err := writeAll(files); err != nil {
		return err
	}
	b.removeOldCopies()
	return nil
}

// Target returns the file that is written: f with symbolic links resolved.
//
// Errors: abi.ErrConfig for a link without a target. A new file in its place would hold
// nothing of what the target holds.
func (f *File) Target() (string, error) {
	target, err := atomicfile.Resolve(f.Name)
	if err != nil {
		p := problem.New(abi.ErrConfig, "%v", err)
		p.Cause = "nothing is written, since the target may only be missing for now"
		return "", p.WithHint("ls -l %s", problem.Arg(f.Name))
	}
	return target, nil
}

// resolve returns the target, after a check that its content has not changed since it
// was read.
//
// Errors: abi.ErrConflict if it has; those of Target.
func (f *File) resolve() (string, error) {
	target, err := f.Target()
	if err != nil {
		return "", err
	}
	now, err := Read(target, f.Syntax)
	if err != nil {
		return "", err
	}
	if now.Existed != f.Existed || string(now.Before) != string(f.Before) {
		return "", fmt.Errorf("%w: %s has changed since it was read, nothing was written", abi.ErrConflict, f.Name)
	}
	return target, nil
}

func writeAll(files []*File) error {
	for _, f := range files {
		if err := f.write(); err != nil {
			return err
		}
	}
	return nil
}

// write replaces a file, or removes one that is to be gone. A file that exists keeps
// its mode; a new one belongs to its owner alone, since it may come to hold credentials.
func (f *File) write() error {
	target, err := f.resolve()
	if err != nil {
		return err
	}
	if !f.Exists {
		return os.Remove(target)
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(target); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(target, f.After, mode)
}

// Last reads the newest record.
//
// Errors: abi.ErrNotFound if there is none.
func (b Backups) Last() (*Record, error) {
	metas, err := b.list(".json")
	if err != nil {
		return nil, err
	}
	if len(metas) == 0 {
		return nil, fmt.Errorf("%w: no change of a client's file to undo", abi.ErrNotFound)
	}
	return readRecord(metas[len(metas)-1])
}

// list lists the files of the directory whose name ends in suffix, the oldest first. A
// directory that is not there yet has none.
func (b Backups) list(suffix string) ([]string, error) {
	entries, err := os.ReadDir(b.Dir) // by name, and names begin with the time
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			paths = append(paths, filepath.Join(b.Dir, e.Name()))
		}
	}
	return paths, nil
}

func readRecord(path string) (*Record, error) {
	r := &Record{path: path}
	text, err := os.ReadFile(r.path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", abi.ErrConfig, r.path, err)
	}
	if len(r.Files) == 0 {
		return r, r.readOld(text)
	}
	return r, nil
}

// readOld reads the record of an earlier version, which held one file and no changes.
func (r *Record) readOld(text []byte) error {
	var c fileCopy
	if err := json.Unmarshal(text, &c); err != nil || c.File == "" {
		return fmt.Errorf("%w: %s is no record of a change", abi.ErrConfig, r.path)
	}
	c.Syntax, c.Before = "json", filepath.Base(r.path[:len(r.path)-len(".json")])+".before"
	r.Files = []fileCopy{c}
	return nil
}

// Revert returns the files with the entries of the record as they were before. A file
// that has not changed since becomes the copy byte for byte, as long as there is one; in
// another file everything else stays. The notes name the entries that are left alone.
//
// Errors: of a record without entries abi.ErrConflict if a file has changed, and
// abi.ErrNotFound without the copy; abi.ErrConfig if a file is invalid now.
func (r *Record) Revert() (files []*File, notes []Note, err error) {
	for _, c := range slices.Backward(r.Files) {
		f, err := c.read()
		if err != nil {
			return nil, nil, err
		}
		more, err := r.revertFile(f, c)
		if err != nil {
			return nil, nil, InFile(c.File, err)
		}
		notes = append(notes, more...)
		files = append(files, f)
	}
	return files, notes, nil
}

// revertFile takes back the changes of one file.
func (r *Record) revertFile(f *File, c fileCopy) (notes []Note, err error) {
	if sum(f.Before) == c.After {
		err := r.copyBack(f, c)
		if c.Changes == nil || !errors.Is(err, abi.ErrNotFound) {
			return nil, err
		}
	}
	if c.Changes == nil {
		return nil, fmt.Errorf("%w: %s has changed since mcpctl wrote it", abi.ErrConflict, c.File)
	}
	notes, err = f.revert(c.Changes)
	f.Exists = f.Exists && (c.Existed || !f.isEmpty())
	return notes, err
}

// Restore returns the files as the copies are, whatever was written since.
//
// Errors: abi.ErrNotFound if a copy was removed.
func (r *Record) Restore() (files []*File, err error) {
	for _, c := range slices.Backward(r.Files) {
		f, err := c.read()
		if err != nil {
			return nil, err
		}
		if err := r.copyBack(f, c); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func (c fileCopy) read() (*File, error) {
	syntax, ok := syntaxes[c.Syntax]
	if !ok {
		return nil, fmt.Errorf("%w: the record of %s has the unknown syntax %q", abi.ErrConfig, c.File, c.Syntax)
	}
	return Read(c.File, syntax)
}

// copyBack makes the text of f that of the copy.
//
// Errors: abi.ErrNotFound if the copy was removed.
func (r *Record) copyBack(f *File, c fileCopy) error {
	if !c.Existed {
		f.After, f.Exists = nil, false
		return nil
	}
	text, err := os.ReadFile(r.copyOf(c))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: there is no copy of %s from %s any more, the newest %d are kept",
			abi.ErrNotFound, c.File, r.Time.Format(time.DateTime), maxCopies)
	}
	if err != nil {
		return err
	}
	f.After, f.Exists = text, true
	return nil
}

// copyOf returns the path of a file's copy, which is beside the record.
func (r *Record) copyOf(c fileCopy) string {
	return filepath.Join(filepath.Dir(r.path), filepath.Base(c.Before))
}

// Keep copies the present text of files that are about to be overwritten, and returns
// the copies' names.
func (b Backups) Keep(files []*File) (names []string, err error) {
	base := b.Now().UTC().Format("20060102T150405.000000000")
	for i, f := range files {
		if !f.Existed {
			continue
		}
		name := filepath.Join(b.Dir, fmt.Sprintf("%s.%d.overwritten", base, i))
		if err := os.WriteFile(name, f.Before, 0o600); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	b.removeOldCopies()
	return names, nil
}

// Apply writes the files of a record that was taken back, and forgets the record.
//
// Errors: abi.ErrConflict if a file has changed since it was read.
func (r *Record) Apply(files []*File) error {
	var changed []*File
	for _, f := range files {
		if f.Changed() {
			changed = append(changed, f)
		}
	}
	if err := writeAll(changed); err != nil {
		return err
	}
	errs := []error{os.Remove(r.path)}
	for _, c := range r.Files {
		if err := os.Remove(r.copyOf(c)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}
