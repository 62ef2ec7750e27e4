package store

import (
	"cmp"
	"encoding/hex"
	"io/fs"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/host/object"
)

// Snapshot is a view of all Objects at one moment. It is immutable and safe for
// concurrent use. The zero Snapshot contains only built-in Objects.
type Snapshot struct {
	revision string
	objects  map[object.Key]object.Object
	team     map[object.Key]bool    // Objects that are in no file; see WithTeam
	hashes   map[string][32]byte    // by file, of the content that the active Object was decoded from
	read     map[string][32]byte    // by file, of the content that was read last, broken or not
	stats    map[string]fs.FileInfo // by file, without files that changed just before they were read
}

// Revision identifies the content of all files: equal content has an equal Revision.
func (s *Snapshot) Revision() string { return s.revision }

// FileRevision identifies the content of a file as it was read last, even if it was
// invalid. It is "" if the file does not exist.
func (s *Snapshot) FileRevision(file string) string {
	sum, ok := s.read[file]
	if !ok {
		return ""
	}
	return hex.EncodeToString(sum[:])
}

// Get returns an Object. A local one hides the built-in of its key.
func (s *Snapshot) Get(key object.Key) (object.Object, bool) {
	if o, ok := s.objects[key]; ok {
		return o, true
	}
	o, ok := object.BuiltIns()[key]
	return o, ok
}

// List returns all Objects of a Kind, sorted by project and name.
func (s *Snapshot) List(kind object.Kind) []object.Object {
	var out []object.Object
	for key, o := range s.objects {
		if key.Kind == kind {
			out = append(out, o)
		}
	}
	for key, o := range object.BuiltIns() {
		if _, hidden := s.objects[key]; key.Kind == kind && !hidden {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b object.Object) int { return compareKeys(a.Key(), b.Key()) })
	return out
}

func compareKeys(a, b object.Key) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Project, b.Project), cmp.Compare(a.Name, b.Name))
}

// Server returns a Server by name.
func (s *Snapshot) Server(name object.Name) (*object.Server, bool) {
	o, ok := s.objects[object.Key{Kind: object.KindServer, Name: name}].(*object.Server)
	return o, ok
}

// Project returns a Project by name.
func (s *Snapshot) Project(name object.Name) (*object.Project, bool) {
	o, ok := s.objects[object.Key{Kind: object.KindProject, Name: name}].(*object.Project)
	return o, ok
}

// ProxyModel returns a ProxyModel by name: a local one, else a built-in one, else the
// one that has the alias.
func (s *Snapshot) ProxyModel(name object.Name) (*object.ProxyModel, bool) {
	o, ok := s.Get(object.Key{Kind: object.KindProxyModel, Name: name})
	if to, isAlias := object.ModelOfAlias(name); !ok && isAlias {
		o, ok = s.Get(object.Key{Kind: object.KindProxyModel, Name: to})
	}
	if !ok {
		return nil, false
	}
	return o.(*object.ProxyModel), true
}

// Prompts returns the Prompts of a project, sorted by name.
func (s *Snapshot) Prompts(project object.Name) []*object.Prompt {
	var out []*object.Prompt
	for _, o := range s.List(object.KindPrompt) {
		if o.Key().Project == project {
			out = append(out, o.(*object.Prompt))
		}
	}
	return out
}

// Prompt returns a Prompt of a project by name.
func (s *Snapshot) Prompt(project, name object.Name) (*object.Prompt, bool) {
	o, ok := s.Get(object.Key{Kind: object.KindPrompt, Project: project, Name: name})
	if !ok {
		return nil, false
	}
	return o.(*object.Prompt), true
}

// PromptRequests returns the PromptRequests of a project, sorted by name.
func (s *Snapshot) PromptRequests(project object.Name) []*object.PromptRequest {
	var out []*object.PromptRequest
	for _, o := range s.List(object.KindPromptRequest) {
		if o.Key().Project == project {
			out = append(out, o.(*object.PromptRequest))
		}
	}
	return out
}

// Names returns the names of all Objects of a Kind, sorted, without duplicates.
func (s *Snapshot) Names(kind object.Kind) []string {
	set := make(map[string]bool)
	for _, o := range s.List(kind) {
		set[string(o.Key().Name)] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// UsedBy returns the Projects that refer to a Server or a ProxyModel by its name or an alias.
func (s *Snapshot) UsedBy(key object.Key) []*object.Project {
	var out []*object.Project
	for _, o := range s.List(object.KindProject) {
		p := o.(*object.Project)
		refs := p.ModelRefs()
		if key.Kind == object.KindServer {
			refs = p.ServerRefs()
		}
		if slices.ContainsFunc(refs, func(r object.FieldRef) bool { return r.Name == key.Name || s.isAlias(r.Name, key) }) {
			out = append(out, p)
		}
	}
	return out
}

// isAlias reports whether a name is an alias of a ProxyModel.
func (s *Snapshot) isAlias(name object.Name, key object.Key) bool {
	m, ok := s.ProxyModel(name)
	return ok && key.Kind == object.KindProxyModel && m.Key() == key
}

// WithTeam returns a Snapshot in which objects of the team server are added to those of
// files. It must not be called with the key of a file. revision identifies them.
func (s *Snapshot) WithTeam(objects []object.Object, revision string) *Snapshot {
	out := *s
	out.revision = s.revision + "+" + revision
	out.objects, out.team = maps.Clone(s.objects), make(map[object.Key]bool, len(objects))
	if out.objects == nil {
		out.objects = make(map[object.Key]object.Object)
	}
	for _, o := range objects {
		out.objects[o.Key()], out.team[o.Key()] = o, true
	}
	return &out
}

// IsTeam reports whether an Object is of the team server, so that it has no file.
func (s *Snapshot) IsTeam(key object.Key) bool { return s.team[key] }

// IsLocal reports whether an Object is in a file.
func (s *Snapshot) IsLocal(key object.Key) bool {
	_, ok := s.objects[key]
	return ok && !s.team[key]
}

// With returns a Snapshot in which objects replace those with their keys. It has no
// revision, because its content is not in files.
func (s *Snapshot) With(objects []object.Object) *Snapshot {
	out := &Snapshot{objects: maps.Clone(s.objects), team: maps.Clone(s.team), hashes: s.hashes}
	if out.objects == nil {
		out.objects = make(map[object.Key]object.Object)
	}
	for _, o := range objects {
		out.objects[o.Key()] = o
		delete(out.team, o.Key())
	}
	return out
}
