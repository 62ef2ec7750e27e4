package lab

import (
	"os"
	"path/filepath"
	"testing"
)

// A module without a plugin.yaml of its own is named after its directory, also if
// the path is ".".
func TestMergedModuleIsNamedAfterDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "Both")
	for _, name := range []string{"a", "b"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		text := "name: " + name + "\nkind: stage\nabi: 1\nversion: 0.1.0\nsummary: x\ntransforms: true\n"
		if err := os.WriteFile(filepath.Join(dir, name, "plugin.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	m, err := readManifest(".", PackOptions{})
	if err != nil || m.Name != "both" || len(m.Roles) != 2 {
		t.Errorf("got %q with %d roles, %v", m.Name, len(m.Roles), err)
	}
	if m, _ := readManifest(".", PackOptions{Name: "other"}); m.Name != "other" {
		t.Errorf("with --name the name is %q", m.Name)
	}
}
