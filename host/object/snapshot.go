package object

import (
	"cmp"
	"encoding/hex"
	"io/fs"
	"maps"
	"slices"
)

// Snapshot is all Objects at one moment. It is immutable and safe for
// concurrent use; the zero Snapshot has what is built in only.
type Snapshot struct {
	revision string
	objects  map[Key]Object
	hashes   map[string][32]byte    // by file, to see which changed
	read     map[string][32]byte    // by file, broken ones included
	stats    map[string]fs.FileInfo // by file, of those that did not change just before they were read
}

// Revision names the content of all files: equal content, equal Revision.
func (s *Snapshot) Revision() string { return s.revision }

// FileRevision names the content of an Object's file as it was read last, which
// may be invalid; "" if there is none.
func (s *Snapshot) FileRevision(file string) string {
	sum, ok := s.read[file]
	if !ok {
		return ""
	}
	return hex.EncodeToString(sum[:])
}

// Get returns an Object. A local one hides the built-in of its name.
func (s *Snapshot) Get(key Key) (Object, bool) {
	if o, ok := s.objects[key]; ok {
		return o, true
	}
	o, ok := builtins()[key]
	return o, ok
}

// List returns all Objects of a Kind, by project and name.
func (s *Snapshot) List(kind Kind) []Object {
	var out []Object
	for key, o := range s.objects {
		if key.Kind == kind {
			out = append(out, o)
		}
	}
	out = append(out, s.builtinsOf(kind)...)
	slices.SortFunc(out, func(a, b Object) int { return compareKeys(a.Key(), b.Key()) })
	return out
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Project, b.Project), cmp.Compare(a.Name, b.Name))
}

// Server returns a Server by name.
func (s *Snapshot) Server(name Name) (*Server, bool) {
	o, ok := s.objects[Key{KindServer, "", name}].(*Server)
	return o, ok
}

// Project returns a Project by name.
func (s *Snapshot) Project(name Name) (*Project, bool) {
	o, ok := s.objects[Key{KindProject, "", name}].(*Project)
	return o, ok
}

// ProxyModel returns a ProxyModel by name: a local one, else a built-in one,
// else the one that the name is an alias of (gated, index).
func (s *Snapshot) ProxyModel(name Name) (*ProxyModel, bool) {
	o, ok := s.Get(Key{KindProxyModel, "", name})
	if alias, isAlias := modelAliases[name]; !ok && isAlias {
		o, ok = s.Get(Key{KindProxyModel, "", alias})
	}
	if !ok {
		return nil, false
	}
	return o.(*ProxyModel), true
}

// Prompts returns the Prompts of a project by name.
func (s *Snapshot) Prompts(project Name) []*Prompt {
	var out []*Prompt
	for key, o := range s.objects {
		if key.Kind == KindPrompt && key.Project == project {
			out = append(out, o.(*Prompt))
		}
	}
	if project == SystemProject {
		for _, o := range s.builtinsOf(KindPrompt) {
			out = append(out, o.(*Prompt))
		}
	}
	slices.SortFunc(out, func(a, b *Prompt) int { return cmp.Compare(a.key.Name, b.key.Name) })
	return out
}

// Prompt returns a Prompt of a project by name.
func (s *Snapshot) Prompt(project, name Name) (*Prompt, bool) {
	o, ok := s.Get(Key{KindPrompt, project, name})
	if !ok {
		return nil, false
	}
	return o.(*Prompt), true
}

// PromptRequests returns what is proposed to a project, by name.
func (s *Snapshot) PromptRequests(project Name) []*PromptRequest {
	var out []*PromptRequest
	for key, o := range s.objects {
		if key.Kind == KindPromptRequest && key.Project == project {
			out = append(out, o.(*PromptRequest))
		}
	}
	slices.SortFunc(out, func(a, b *PromptRequest) int { return cmp.Compare(a.key.Name, b.key.Name) })
	return out
}

// Names returns the names of all Objects of a Kind, sorted, each once.
func (s *Snapshot) Names(kind Kind) []string {
	set := make(map[string]bool)
	for _, o := range s.List(kind) {
		set[string(o.Key().Name)] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// UsedBy returns the Projects that name a Server or a ProxyModel; an alias counts as
// its ProxyModel.
func (s *Snapshot) UsedBy(key Key) []*Project {
	var out []*Project
	for _, o := range s.List(KindProject) {
		p := o.(*Project)
		refs := p.modelRefs()
		if key.Kind == KindServer {
			refs = p.serverRefs()
		}
		if slices.ContainsFunc(refs, func(r fieldRef) bool { return r.Name == key.Name || s.isAlias(r.Name, key) }) {
			out = append(out, p)
		}
	}
	return out
}

// isAlias reports whether a name is an alias of a ProxyModel.
func (s *Snapshot) isAlias(name Name, key Key) bool {
	m, ok := s.ProxyModel(name)
	return ok && key.Kind == KindProxyModel && m.Key() == key
}

// With returns a Snapshot that holds objects in the place of those of their
// names. It has no revision: it was never on disk.
func (s *Snapshot) With(objects []Object) *Snapshot {
	out := &Snapshot{objects: maps.Clone(s.objects), hashes: s.hashes}
	if out.objects == nil {
		out.objects = make(map[Key]Object)
	}
	for _, o := range objects {
		out.objects[o.Key()] = o
	}
	return out
}
