package store

import (
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Deletion is the result of Delete.
type Deletion struct {
	Files   []string
	UsedBy  []object.Name // projects that still refer to the Object
	BuiltIn bool          // the built-in Object of that key is active again
}

// Delete removes the file of an Object, even if it is broken, and loads all files.
//
// It returns abi.ErrConfig for an invalid key or a Kind without files, abi.ErrDenied for a built-in Object, and
// abi.ErrNotFound.
func (s *Store) Delete(key object.Key) (Deletion, error) {
	if err := key.Check(); err != nil {
		return Deletion{}, fmt.Errorf("%w: name %.80q %w", abi.ErrConfig, key.Name, err)
	}
	if key.Kind.Dir() == "" {
		return Deletion{}, fmt.Errorf("%w: %s belongs to a team server, the home stores no object of that kind", abi.ErrConfig, key)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	snap, _, _ := s.load()
	d := Deletion{BuiltIn: object.HasBuiltIn(key)}
	for _, ext := range fileExtensions {
		file := key.FileName(ext)
		if _, err := s.root.Lstat(file); err != nil || ext == ".md" && !key.Kind.IsScoped() {
			continue
		}
		if err := s.root.Remove(file); err != nil {
			return d, homedir.DiskError(file, err)
		}
		d.Files = append(d.Files, file)
	}
	if len(d.Files) == 0 {
		return d, notDeletedError(snap, key, d.BuiltIn)
	}
	for _, p := range snap.UsedBy(key) {
		if !d.BuiltIn {
			d.UsedBy = append(d.UsedBy, p.Name())
		}
	}
	s.load()
	return d, nil
}

func notDeletedError(snap *Snapshot, key object.Key, builtIn bool) error {
	if builtIn {
		return fmt.Errorf("%w: %s is built in: it is part of the program, a local file of the same name can only hide it", abi.ErrDenied, key)
	}
	return fmt.Errorf("%w: %s%s", abi.ErrNotFound, key, suggest.DidYouMean(string(key.Name), snap.Names(key.Kind)))
}
