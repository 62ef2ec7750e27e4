package clientconfig

import (
	"path/filepath"
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
	metas, err := filepath.Glob(filepath.Join(b.Dir, "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(metas)
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
// or replaced and has not restored.
func (h History) Removed(f *File, path ...string) []Change {
	var list []Change
	seen := map[string]bool{}
	for _, p := range h {
		name := p.change.Name
		if seen[name] || !p.concerns(f, path) {
			continue
		}
		seen[name] = true
		if c, ok := lastForeign(h.of(f, path, name)); ok {
			list = append(list, c)
		}
	}
	slices.Reverse(list) // each after the one that it followed
	return list
}

// lastForeign finds the newest change of an entry that took away what mcpctl had not
// written.
func lastForeign(changes []Change) (Change, bool) {
	for _, c := range changes {
		if c.Restored {
			return Change{}, false
		}
		isOurs := slices.ContainsFunc(changes, func(o Change) bool {
			return o.New != nil && !o.Restored && c.Old != nil && *o.New == *c.Old
		})
		if c.Old != nil && !isOurs {
			return c, true
		}
	}
	return Change{}, false
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
	target, err := filepath.EvalSymlinks(f.Name)
	if err != nil {
		target = f.Name
	}
	return p.file == target && slices.Equal(p.change.Path, path)
}
