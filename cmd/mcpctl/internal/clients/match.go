package clients

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/object"
)

// Servers are the servers of a home, which the entries of clients are compared with.
type Servers struct {
	snapshot *object.Snapshot
	lookup   object.Lookup
}

// LoadServers reads the servers of a home. References are filled in from its secrets and
// from variable, which returns "" for one that is not set.
func LoadServers(home string, variable func(name string) string) (*Servers, error) {
	secrets, err := object.LoadSecrets(home)
	if err != nil {
		return nil, err
	}
	store, err := object.OpenStore(home)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	snapshot, _ := store.Load() // invalid files are left out
	lookup := secrets.Lookup(func(name string) (string, bool) {
		value := variable(name)
		return value, value != ""
	})
	return &Servers{snapshot, orReference(lookup)}, nil
}

// orReference leaves a reference to a variable that is not set.
func orReference(lookup object.Lookup) object.Lookup {
	return func(name string) (object.Secret, bool) {
		if v, ok := lookup(name); ok {
			return v, true
		}
		return object.NewSecret("${" + name + "}"), true
	}
}

// Find returns the server of a name.
func (all *Servers) Find(name string) (*object.Server, bool) {
	return all.snapshot.Server(object.Name(name))
}

// Match returns which of the named servers an entry of a client runs: the same command
// with the same variables, or the same address with the same headers. Its name does not
// count, and the directory only where the entry depends on it.
func (all *Servers) Match(spec Server, names []string) (name string, ok bool) {
	doc, err := spec.Manifest("entry")
	if err != nil {
		return "", false
	}
	objects, _, err := object.Decode("", doc)
	if err != nil || len(objects) != 1 {
		return "", false
	}
	entry, ok := objects[0].(*object.Server)
	if !ok {
		return "", false
	}
	i := slices.IndexFunc(names, func(name string) bool {
		s, ok := all.Find(name)
		return ok && all.sameCall(entry, s) && (!spec.Fixed || all.text(entry.Spec.Cwd) == all.text(s.Spec.Cwd))
	})
	if i < 0 {
		return "", false
	}
	return names[i], true
}

func (all *Servers) sameCall(a, b *object.Server) bool {
	return slices.EqualFunc(a.Spec.Command, b.Spec.Command, func(x, y object.Template) bool { return all.text(x) == all.text(y) }) &&
		all.text(a.Spec.URL) == all.text(b.Spec.URL) && all.sameValues(a.Spec.Env, b.Spec.Env) && all.sameValues(a.Spec.Headers, b.Spec.Headers)
}

func (all *Servers) sameValues(a, b map[string]object.Template) bool {
	if len(a) != len(b) {
		return false
	}
	for name, value := range a {
		if other, ok := b[name]; !ok || all.text(value) != all.text(other) {
			return false
		}
	}
	return true
}

// text is a value with its references filled in.
func (all *Servers) text(t object.Template) string {
	v, err := t.Expand(all.lookup)
	if err != nil {
		return ""
	}
	return v.Reveal()
}
