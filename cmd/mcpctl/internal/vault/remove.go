package vault

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/atomicfile"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/object"
)

// Remove takes secrets out of secrets.yaml and returns the names that were in it.
// Other lines and comments stay.
//
// Errors: abi.ErrDenied if others may read the file; abi.ErrConfig, with the file
// unchanged, if it is written in a way that line by line cannot be edited.
func Remove(home string, names []string) ([]string, error) {
	secrets, err := object.LoadSecrets(home)
	if err != nil {
		return nil, err
	}
	known := secrets.Lookup(nil)
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { _, ok := known(n); return !ok })
	if len(names) == 0 {
		return nil, nil
	}
	file := filepath.Join(home, object.SecretsFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Write(file, []byte(withoutKeys(string(text), names)), 0o600); err != nil {
		return nil, err
	}
	if isWithout(home, names) {
		return names, nil
	}
	if err := atomicfile.Write(file, text, 0o600); err != nil {
		return nil, err
	}
	p := problem.New(abi.ErrConfig, "secrets %s cannot be removed: secrets.yaml is not written one secret a line", strings.Join(names, ", "))
	return nil, p.WithHint("edit %s", problem.Arg(file))
}

// isWithout reports whether the file can be read and holds none of the names.
func isWithout(home string, names []string) bool {
	secrets, err := object.LoadSecrets(home)
	if err != nil {
		return false
	}
	known := secrets.Lookup(nil)
	return !slices.ContainsFunc(names, func(n string) bool { _, ok := known(n); return ok })
}

// withoutKeys leaves out the lines of keys, and the indented lines below them.
func withoutKeys(text string, names []string) string {
	var b strings.Builder
	dropping := false
	for line := range strings.Lines(text) {
		if blank := strings.TrimSpace(line) == ""; dropping && (blank || line[0] == ' ' || line[0] == '\t') {
			continue
		}
		key, _, ok := strings.Cut(line, ":")
		dropping = ok && slices.Contains(names, strings.Trim(strings.TrimSpace(key), `"'`))
		if !dropping {
			b.WriteString(line)
		}
	}
	return b.String()
}
