package vault

import (
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/host/credential"
)

// Hider replaces the credentials of one server by references to its Vault.
type Hider struct {
	Vault  *Vault
	Server string
	Names  []string // distinct names of the references, in the order of their first use
}

// Values replaces credentials in variables or headers, detected by name and by form. Values that
// contain references are unchanged.
func (h *Hider) Values(values map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		values[key] = h.replace([]string{values[key]}, credential.FindNamed(key, values[key]))[0]
	}
}

// Arguments replaces values that look like credentials in args, in place.
func (h *Hider) Arguments(args []string) []string {
	return h.replace(args, credential.Find(args...))
}

func (h *Hider) replace(args []string, found []credential.Match) []string {
	refs := make([]string, len(found))
	for i, c := range found { // names are assigned in the order of the arguments
		name := c.Name
		if name == "" {
			name = "secret"
		}
		refs[i] = h.Hide(name, args[c.Arg][c.Start:c.End])
	}
	for i, c := range slices.Backward(found) {
		args[c.Arg] = args[c.Arg][:c.Start] + refs[i] + args[c.Arg][c.End:]
	}
	return args
}

// Hide stores one value in the vault and returns a reference to it, ${NAME}.
func (h *Hider) Hide(name, value string) string {
	ref := h.Vault.Put(h.Server, name, value)
	if !slices.Contains(h.Names, ref) {
		h.Names = append(h.Names, ref)
	}
	return "${" + ref + "}"
}
