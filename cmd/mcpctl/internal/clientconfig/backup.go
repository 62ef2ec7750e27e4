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
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/atomicfile"
)

// Backups keeps what client files were before we wrote them, below the home.
type Backups struct {
	Dir string
	Now func() time.Time
}

// record describes one write: enough to take it back, and to see whether
// somebody has changed the file since.
type record struct {
	File    string    `json:"file"`
	Existed bool      `json:"existed"`
	After   string    `json:"after"` // SHA-256 of what we wrote
	Time    time.Time `json:"time"`
}

// Write replaces a client's file, keeping what it was. It writes beside and
// renames, so that the client never reads half a file; mode and owner-written
// symlinks of dotfile managers stay.
func (b Backups) Write(file string, text []byte) error {
	target, err := filepath.EvalSymlinks(file)
	if errors.Is(err, fs.ErrNotExist) {
		target, err = file, nil
	}
	if err != nil {
		return err
	}
	old, err := os.ReadFile(target)
	existed := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := b.keep(record{File: target, Existed: existed, After: sum(text), Time: b.Now().UTC()}, old); err != nil {
		return err
	}
	return replace(target, text)
}

func (b Backups) keep(r record, old []byte) error {
	if err := os.MkdirAll(b.Dir, 0o700); err != nil {
		return err
	}
	meta, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	base := filepath.Join(b.Dir, r.Time.Format("20060102T150405.000000000"))
	if err := os.WriteFile(base+".before", old, 0o600); err != nil {
		return err
	}
	return os.WriteFile(base+".json", meta, 0o600)
}

// Undo takes the newest write back and returns the file. Unless force is set, a
// file that has changed since is left alone.
//
// Errors: abi.ErrNotFound if there is nothing to take back, abi.ErrConflict if
// the file has changed since.
func (b Backups) Undo(force bool) (string, error) {
	metas, err := filepath.Glob(filepath.Join(b.Dir, "*.json"))
	if err != nil {
		return "", err
	}
	if len(metas) == 0 {
		return "", fmt.Errorf("%w: no change of a client's file to undo", abi.ErrNotFound)
	}
	slices.Sort(metas)
	meta := metas[len(metas)-1]
	base := meta[:len(meta)-len(".json")]
	var r record
	text, err := os.ReadFile(meta)
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return "", err
	}
	now, err := os.ReadFile(r.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r.File, err
	}
	if sum(now) != r.After && !force {
		return r.File, fmt.Errorf("%w: %s has changed since mcpctl wrote it", abi.ErrConflict, r.File)
	}
	if err := r.restore(base + ".before"); err != nil {
		return r.File, err
	}
	return r.File, errors.Join(os.Remove(meta), os.Remove(base+".before"))
}

func (r record) restore(before string) error {
	if !r.Existed {
		return os.Remove(r.File)
	}
	old, err := os.ReadFile(before)
	if err != nil {
		return err
	}
	return replace(r.File, old)
}

// replace writes a file whole; one that is there keeps its mode, a new
// one is the owner's alone, since it may come to hold credentials.
func replace(file string, text []byte) error {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	return atomicfile.Write(file, text, mode)
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}
