package vault

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/secret"
)

// Remove takes secrets out of secrets.yaml and returns the names that were in it.
// Other lines and comments stay.
//
// Errors: those of Edit; abi.ErrConfig also if the file cannot be edited line by line.
func Remove(home string, names []string) (removed []string, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	err = Edit(home, func(text []byte, known secret.Lookup) ([]byte, error) {
		removed = slices.DeleteFunc(slices.Clone(names), func(n string) bool { _, ok := known(n); return !ok })
		return secret.Remove(text, removed...)
	})
	if err != nil {
		return nil, err
	}
	return removed, nil
}
