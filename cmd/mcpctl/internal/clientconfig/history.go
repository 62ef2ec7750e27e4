package clientconfig

import (
	"path/filepath"
	"reflect"
	"slices"
)

// History is what mcpctl has changed in client files for one project, the newest first.
type History []pastChange

type pastChange struct {
	file   string
	change Change
}

// History reads the records of a project. Records that cannot be read are skipped: they
// cost a restored entry, not the command.
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

// Location is where entries are: a file, with symbolic links resolved, and the objects
// that lead to them.
type Location struct {
	File string
	Path []string
}

// Removals lists the locations from which mcpctl has removed or replaced entries, each
// once.
func (h History) Removals() []Location {
	return h.locations(func(c Change) bool { return c.Old != nil })
}

// locations lists the locations of the changes that meet a condition, each once.
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

// Writings lists the locations into which mcpctl wrote entries, the last one first, each
// once. Restored entries do not count.
func (h History) Writings() []Location {
	return h.locations(func(c Change) bool { return c.New != nil && !c.Restored })
}

// WrittenFiles lists the files into which mcpctl wrote entries, each once, with symbolic
// links resolved.
func (h History) WrittenFiles() []string {
	var files []string
	for _, p := range h {
		if p.change.New != nil && !p.change.Restored && !slices.Contains(files, p.file) {
			files = append(files, p.file)
		}
	}
	return files
}

// Written lists the entries below path that mcpctl wrote, and that still run what it
// wrote.
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

// Removed lists the entries below path that were there before mcpctl, and that it removed
// or replaced and has not restored, the newest removal first. Restored in this order,
// entries come back in the order that they had.
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

// lastForeign finds the newest change of an entry that took away what mcpctl had not
// written. An entry that a client has formatted again or extended is still the one that
// mcpctl wrote.
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

// isWritten reports whether the entry that a change took away is the one that the change
// before it wrote: it holds all fields of that one with the same values.
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

// of lists the changes of one entry, the newest first.
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

// Resolve returns the name of a file with symbolic links resolved, or the name itself if
// the file does not exist.
func Resolve(name string) string {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return name
	}
	return target
}
