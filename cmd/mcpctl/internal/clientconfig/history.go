package clientconfig

import (
	"path/filepath"
	"reflect"
	"slices"
)

// History is the list of changes of mcpctl to client files for one project, newest first.
type History []pastChange

type pastChange struct {
	file   string
	change Change
}

// History reads the records of a project. It skips unreadable records: losing one costs a restored
// entry, but must not fail the command.
func (b Backups) History(project string) (History, error) {
	metas, err := b.list(".json")
	if err != nil {
		return nil, err
	}
	var h History
	for _, meta := range slices.Backward(metas) {
		r, err := readRecord(meta)
		if err != nil || r.Project != project {
			continue
		}
		for _, c := range slices.Backward(r.Files) {
			for _, change := range slices.Backward(c.Changes) {
				h = append(h, pastChange{c.File, change})
			}
		}
	}
	return h, nil
}

// Location is the place of entries: a file with symbolic links resolved, and the path of the
// enclosing objects.
type Location struct {
	File string
	Path []string
}

// Removals returns the distinct locations from which mcpctl removed or replaced entries.
func (h History) Removals() []Location {
	return h.locations(func(c Change) bool { return c.Old != nil })
}

// locations returns the distinct locations of the changes that satisfy isMeant.
func (h History) locations(isMeant func(Change) bool) []Location {
	var list []Location
	for _, p := range h {
		isListed := slices.ContainsFunc(list, func(l Location) bool { return l.File == p.file && slices.Equal(l.Path, p.change.Path) })
		if isMeant(p.change) && !isListed {
			list = append(list, Location{p.file, p.change.Path})
		}
	}
	return list
}

// Writings returns the distinct locations into which mcpctl wrote entries, latest first. Restored
// entries do not count.
func (h History) Writings() []Location {
	return h.locations(func(c Change) bool { return c.New != nil && !c.Restored })
}

// WrittenFiles returns the distinct files into which mcpctl wrote entries, with symbolic links
// resolved.
func (h History) WrittenFiles() []string {
	var files []string
	for _, p := range h {
		if p.change.New != nil && !p.change.Restored && !slices.Contains(files, p.file) {
			files = append(files, p.file)
		}
	}
	return files
}

// Written returns the names of the entries below path that mcpctl wrote and that still run the same
// server.
func (h History) Written(f *File, path ...string) ([]string, error) {
	list, err := f.Entries(path...)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range list {
		if slices.ContainsFunc(h.of(f, path, e.Name), func(c Change) bool {
			return c.New != nil && !c.Restored && f.sameServer(e, *c.New, c)
		}) {
			names = append(names, e.Name)
		}
	}
	return names, nil
}

// Removed returns the entries below path that existed before mcpctl, and that it removed or
// replaced
// and has not restored, newest removal first. Restoring them in this order restores their original
// order.
func (h History) Removed(f *File, path ...string) []Change {
	var list []Change
	seen := map[string]bool{}
	for _, p := range h {
		name := p.change.Name
		if seen[name] || !p.concerns(f, path) {
			continue
		}
		seen[name] = true
		if c, ok := f.lastForeign(h.of(f, path, name)); ok {
			list = append(list, c)
		}
	}
	return list
}

// lastForeign returns the newest change that removed an entry not written by mcpctl. An entry that
// a
// client reformatted or extended still counts as written by mcpctl.
func (f *File) lastForeign(changes []Change) (Change, bool) {
	for i, c := range changes {
		if c.Restored {
			return Change{}, false
		}
		isOurs := i+1 < len(changes) && f.isWritten(c, changes[i+1])
		if c.Old != nil && !isOurs {
			return c, true
		}
	}
	return Change{}, false
}

// isWritten reports whether the entry that c removed is the one written by the change before it: it
// contains all fields of that entry with the same values.
func (f *File) isWritten(c, before Change) bool {
	if c.Old == nil || before.New == nil || before.Restored {
		return false
	}
	if *c.Old == *before.New {
		return true
	}
	is, isObject := f.fields(*c.Old, c)
	was, wasObject := f.fields(*before.New, before)
	if !isObject || !wasObject {
		return false
	}
	for key, value := range was {
		if !reflect.DeepEqual(is[key], value) {
			return false
		}
	}
	return true
}

// of returns the changes of one entry, newest first.
func (h History) of(f *File, path []string, name string) []Change {
	var list []Change
	for _, p := range h {
		if p.change.Name == name && p.concerns(f, path) {
			list = append(list, p.change)
		}
	}
	return list
}

func (p pastChange) concerns(f *File, path []string) bool {
	return p.file == Resolve(f.Name) && slices.Equal(p.change.Path, path)
}

// Resolve returns name with symbolic links resolved, or name itself if the file does not exist.
func Resolve(name string) string {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return name
	}
	return target
}
