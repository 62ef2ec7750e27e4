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

// Servers is the set of servers of a home, for comparison with the entries of clients.
type Servers struct {
	snapshot *store.Snapshot
	lookup   secret.Lookup
}

// LoadServers reads the servers of a home. References are expanded using its secrets and variable,
// which returns "" for a variable that is not set.
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
	snapshot, _ := store.Load() // invalid files are skipped
	lookup := secrets.Lookup(func(name string) (string, bool) {
		value := variable(name)
		return value, value != ""
	})
	return &Servers{snapshot, orReference(lookup)}, nil
}

// orReference returns a lookup that keeps references to unset variables unexpanded.
func orReference(lookup secret.Lookup) secret.Lookup {
	return func(name string) (secret.Value, bool) {
		if v, ok := lookup(name); ok {
			return v, true
		}
		return secret.New("${" + name + "}"), true
	}
}

// Find returns the server called name.
func (all *Servers) Find(name string) (*object.Server, bool) {
	return all.snapshot.Server(object.Name(name))
}

// Match returns the name of the server in names that runs the same command with the same variables
// as
// the entry, or has the same address and headers. It ignores the entry's name. It compares the
// directory only if the entry depends on it.
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

// Differences returns the fields in which an entry differs from the server called name, by the
// rules
// of Match: "command", "args", "env NAME". It never returns values.
func (all *Servers) Differences(spec Server, name string) []string {
	s, found := all.Find(name)
	entry, ok := spec.object()
	if !found || !ok {
		return nil
	}
	return all.differences(entry, s, spec.Fixed)
}

// Differences is like Servers.Differences for two entries.
func Differences(a, b Server) []string {
	x, okA := a.object()
	y, okB := b.object()
	if !okA || !okB {
		return nil
	}
	literal := Servers{lookup: orReference(func(string) (secret.Value, bool) { return secret.Value{}, false })}
	return literal.differences(x, y, a.Fixed || b.Fixed)
}

// SharedServers describes the servers that two projects have in common: "server a is", "servers a,
// b
// are", or "" if there are none.
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

// object converts the entry to an object of mcpctl; ok is false if the entry is invalid.
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

// differences returns the fields in which two servers differ. inDir includes the directory in the
// comparison.
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

// differingKeys returns the keys that are missing in one of the maps or have different values.
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

// splitCommand returns the program and the arguments of a server. Both are empty for a server with
// a
// URL.
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

// text returns a value with its references expanded.
func (all *Servers) text(t secret.Template) string {
	v, err := t.Expand(all.lookup)
	if err != nil {
		return ""
	}
	return v.Reveal()
}
