package object

import (
	"cmp"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
)

// Deletion is what Delete did.
type Deletion struct {
	Files   []string
	UsedBy  []Name // projects that still name it
	BuiltIn bool   // the built-in of the name serves again
}

// Delete removes the file of an Object, broken or not, and reloads.
//
// Errors: abi.ErrDenied for a built-in, abi.ErrNotFound.
func (s *Store) Delete(key Key) (Deletion, error) {
	if why := cmp.Or(nameFault(string(key.Name)), projectFault(key)); why != "" {
		return Deletion{}, fmt.Errorf("%w: name %.80q %s", abi.ErrConfig, key.Name, why)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	snap, _, _ := s.load()
	_, builtIn := builtins()[key]
	d := Deletion{BuiltIn: builtIn}
	for _, ext := range fileExtensions {
		file := fileName(key, ext)
		if _, err := s.root.Lstat(file); err != nil || ext == ".md" && !key.Kind.Scoped() {
			continue
		}
		if err := s.root.Remove(file); err != nil {
			return d, diskError(file, err)
		}
		d.Files = append(d.Files, file)
	}
	if len(d.Files) == 0 {
		return d, notDeleted(snap, key, builtIn)
	}
	for _, p := range snap.UsedBy(key) {
		if !builtIn {
			d.UsedBy = append(d.UsedBy, p.Name())
		}
	}
	s.load()
	return d, nil
}

// projectFault says what is wrong with the project of a Key, or "".
func projectFault(key Key) string {
	switch {
	case key.Kind.Folder() == "":
		return "is of an unknown kind"
	case key.Kind.Scoped():
		if nameFault(string(key.Project)) != "" {
			return "needs its project"
		}
	case key.Project != "":
		return "belongs to no project"
	}
	return ""
}

func notDeleted(snap *Snapshot, key Key, builtIn bool) error {
	if builtIn {
		return fmt.Errorf("%w: %s is built in: it is part of the program, a local file of the same name can only hide it", abi.ErrDenied, key)
	}
	return fmt.Errorf("%w: %s%s", abi.ErrNotFound, key, didYouMean(string(key.Name), snap.Names(key.Kind)))
}
