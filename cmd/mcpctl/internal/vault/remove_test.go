package vault

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestRemove(t *testing.T) {
	for _, tt := range []struct {
		name, before, after string
		remove, removed     []string
		fails               bool
	}{
		{"one of three", "# mine\nA: x\nB: \"y\"\nC: z\n", "# mine\nA: x\nC: z\n", []string{"B"}, []string{"B"}, false},
		{"multi-line value", "A: |\n  one\n\n  two\nB: y\n", "B: y\n", []string{"A"}, []string{"A"}, false},
		{"quoted key", "\"A\": x\nB: y\n", "B: y\n", []string{"A"}, []string{"A"}, false},
		{"key inside another value", "ENVFILE: |\n  A: x\n  B: y\nA: z\n", "ENVFILE: |\n  A: x\n  B: y\n", []string{"A"}, []string{"A"}, false},
		{"missing name", "A: x\n", "A: x\n", []string{"B"}, nil, false},
		{"last secret", "A: x\n", "", []string{"A"}, []string{"A"}, false},
		{"flow mapping is unchanged", "{A: x, B: y}\n", "{A: x, B: y}\n", []string{"A"}, nil, true},
	} {
		home := t.TempDir()
		file := filepath.Join(home, "secrets.yaml")
		if err := os.WriteFile(file, []byte(tt.before), 0o600); err != nil {
			t.Fatal(err)
		}
		removed, err := Remove(home, tt.remove)
		after, _ := os.ReadFile(file)
		if !slices.Equal(removed, tt.removed) || (err != nil) != tt.fails || string(after) != tt.after {
			t.Errorf("%s: %q, %v, file %q", tt.name, removed, err, after)
		}
	}
}
