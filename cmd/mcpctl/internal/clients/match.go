package clients

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/store"
)

// Servers are the servers of a home, which the entries of clients are compared with.
type Servers struct {
	snapshot *store.Snapshot
	lookup   secret.Lookup
}

// LoadServers reads the servers of a home. References are filled in from its secrets and
// from variable, which returns "" for one that is not set.
func LoadServers(home string, variable func(name string) string) (*Servers, error) {
	secrets, err := secret.Load(home)
	if err != nil {
		return nil, err
	}
	store, err := store.Open(home)
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
func orReference(lookup secret.Lookup) secret.Lookup {
	return func(name string) (secret.Value, bool) {
		if v, ok := lookup(name); ok {
			return v, true
		}
		return secret.New("${" + name + "}"), true
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
	entry, ok := spec.object()
	if !ok {
		return "", false
	}
	i := slices.IndexFunc(names, func(name string) bool {
		s, ok := all.Find(name)
		return ok && len(all.differences(entry, s, spec.Fixed)) == 0
	})
	if i < 0 {
		return "", false
	}
	return names[i], true
}

// Differences lists the fields in which an entry of a client differs from the server of
// a name, by the rules of Match: "command", "args", "env NAME". It lists no values.
func (all *Servers) Differences(spec Server, name string) []string {
	s, found := all.Find(name)
	entry, ok := spec.object()
	if !found || !ok {
		return nil
	}
	return all.differences(entry, s, spec.Fixed)
}

// Differences is Servers.Differences for two entries.
func Differences(a, b Server) []string {
	x, okA := a.object()
	y, okB := b.object()
	if !okA || !okB {
		return nil
	}
	literal := Servers{lookup: orReference(func(string) (secret.Value, bool) { return secret.Value{}, false })}
	return literal.differences(x, y, a.Fixed || b.Fixed)
}

// SharedServers names the servers that two projects have: "server a is", "servers a, b
// are"; "" if there are none.
func SharedServers(a, b api.ProjectDetails) string {
	var shared []string
	for _, name := range a.Servers {
		if slices.Contains(b.Servers, name) {
			shared = append(shared, name)
		}
	}
	switch len(shared) {
	case 0:
		return ""
	case 1:
		return "server " + shared[0] + " is"
	}
	return "servers " + strings.Join(shared, ", ") + " are"
}

// object returns the entry as an object of mcpctl; ok is false if it is invalid.
func (s Server) object() (*object.Server, bool) {
	doc, err := s.Manifest("entry")
	if err != nil {
		return nil, false
	}
	objects, _, err := object.Decode("", doc)
	if err != nil || len(objects) != 1 {
		return nil, false
	}
	server, ok := objects[0].(*object.Server)
	return server, ok
}

// differences lists the fields in which two servers differ. inDir is whether the
// directory counts.
func (all *Servers) differences(a, b *object.Server, inDir bool) (fields []string) {
	commandA, argsA := all.splitCommand(a)
	commandB, argsB := all.splitCommand(b)
	if commandA != commandB {
		fields = append(fields, "command")
	}
	if !slices.Equal(argsA, argsB) {
		fields = append(fields, "args")
	}
	fields = append(fields, all.differingKeys("env", a.Spec.Env, b.Spec.Env)...)
	if inDir && all.text(a.Spec.Cwd) != all.text(b.Spec.Cwd) {
		fields = append(fields, "cwd")
	}
	if all.text(a.Spec.URL) != all.text(b.Spec.URL) {
		fields = append(fields, "url")
	}
	return append(fields, all.differingKeys("headers", a.Spec.Headers, b.Spec.Headers)...)
}

// differingKeys lists the keys that one of two maps lacks or that have two values.
func (all *Servers) differingKeys(field string, a, b map[string]secret.Template) (list []string) {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		valueA, inA := a[key]
		valueB, inB := b[key]
		if inA != inB || all.text(valueA) != all.text(valueB) {
			list = append(list, field+" "+key)
		}
	}
	return list
}

// splitCommand returns the program and the arguments of a server; a server with a URL
// has none.
func (all *Servers) splitCommand(s *object.Server) (program string, args []string) {
	for i, t := range s.Spec.Command {
		if i == 0 {
			program = all.text(t)
		} else {
			args = append(args, all.text(t))
		}
	}
	return program, args
}

// text is a value with its references filled in.
func (all *Servers) text(t secret.Template) string {
	v, err := t.Expand(all.lookup)
	if err != nil {
		return ""
	}
	return v.Reveal()
}
