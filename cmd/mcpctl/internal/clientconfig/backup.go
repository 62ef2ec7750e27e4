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
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// Backups stores copies of client files, made before mcpctl writes them, in the home directory.
type Backups struct {
	Dir string
	Now func() time.Time
}

// Record describes the changes of one command to client files. It is enough to undo them, and to
// detect whether a file has changed since.
type Record struct {
	Time    time.Time  `json:"time"`
	Project string     `json:"project,omitempty"` // project whose entries were written or removed
	Files   []fileCopy `json:"files"`

	path string // of the record
}

// fileCopy is one file of a Record.
type fileCopy struct {
	File    string   `json:"file"` // with symbolic links resolved
	Syntax  string   `json:"syntax"`
	Existed bool     `json:"existed"`
	After   string   `json:"after"`  // SHA-256 of the text that was written
	Before  string   `json:"before"` // name of the copy, in the directory of the record
	Changes []Change `json:"changes"`
}

// syntaxes maps the names used in records to syntaxes.
var syntaxes = map[string]Syntax{"json": JSON, "toml": TOML}

func syntaxName(s Syntax) string {
	for name, known := range syntaxes {
		if known == s {
			return name
		}
	}
	return ""
}

// Write replaces client files after copying them. It writes to a temporary file and renames it, so
// that the client never reads a partial file. File modes and the symbolic links of dotfile managers
// are kept. Only the newest copies of each file are kept.
//
// Errors: abi.ErrConflict if a file has changed since it was read; errors of Target.
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

// Target returns the path of the file to write: f.Name with symbolic links resolved.
//
// Errors: abi.ErrConfig for a dangling link, because a new file in its place would lose the content
// of the target.
func (f *File) Target() (string, error) {
	target, err := atomicfile.Resolve(f.Name)
	if err != nil {
		p := problem.New(abi.ErrConfig, "%v", err)
		p.Cause = "nothing is written, since the target may only be missing for now"
		return "", p.WithHint("ls -l %s", problem.Arg(f.Name))
	}
	return target, nil
}

// resolve returns the target after checking that its content has not changed since it was read.
//
// Errors: abi.ErrConflict if it has changed; errors of Target.
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

// write replaces the file, or removes it if it must no longer exist. An existing file keeps its
// mode;
// a new file is readable only by its owner, because credentials may be added to it.
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

// Last returns the newest record.
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

// list returns the files of the directory whose names end in suffix, oldest first. It returns an
// empty list if the directory does not exist.
func (b Backups) list(suffix string) ([]string, error) {
	entries, err := os.ReadDir(b.Dir) // sorted by name; names begin with the time
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

// readOld parses a record of an earlier version, which described one file and had no changes.
func (r *Record) readOld(text []byte) error {
	var c fileCopy
	if err := json.Unmarshal(text, &c); err != nil || c.File == "" {
		return fmt.Errorf("%w: %s is no record of a change", abi.ErrConfig, r.path)
	}
	c.Syntax, c.Before = "json", filepath.Base(r.path[:len(r.path)-len(".json")])+".before"
	r.Files = []fileCopy{c}
	return nil
}

// Revert returns the files with the entries of the record restored. If a file has not changed since
// and its copy still exists, the result is byte-identical to the copy. Otherwise only the entries
// of
// the record change. The notes name the entries that Revert did not change.
//
// Errors: for a record without entries, abi.ErrConflict if a file has changed and abi.ErrNotFound
// if
// the copy is missing; abi.ErrConfig if the present text of a file is invalid.
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

// revertFile reverts the changes of one file.
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

// Restore returns the files with the content of the copies. It ignores changes since then.
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

// copyBack sets the text of f to the content of the copy.
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

// copyOf returns the path of a file's copy, which is in the directory of the record.
func (r *Record) copyOf(c fileCopy) string {
	return filepath.Join(filepath.Dir(r.path), filepath.Base(c.Before))
}

// Keep copies the present text of files that are about to be overwritten and returns the paths of
// the
// copies.
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

// Apply writes the files of a reverted record and deletes the record.
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
