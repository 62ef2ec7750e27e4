package vault

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/secret"
)

// Remove removes secrets from secrets.yaml and returns the names that it found there. Other lines
// and
// comments are unchanged.
//
// Errors: those of Edit; abi.ErrConfig if the file cannot be edited line by line.
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
