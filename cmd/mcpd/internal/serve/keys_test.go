package serve

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Commands on a database whose file of keys was lost print one error, until the file is there
// again.
func TestLostKeys(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	file := filepath.Join(home, "keys")
	errorOf := func() string {
		t.Helper()
		t.Setenv("MCPD_HOME", home)
		t.Setenv("MCPD_DB", "")
		root := NewRoot()
		var errOut bytes.Buffer
		root.SetErr(&errOut)
		root.SetArgs([]string{"migrate"})
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		return errOut.String()
	}
	if got := errorOf(); got != "" {
		t.Errorf("a new home: %s", got)
	}
	o := openHome(t, home)
	applyTo(t, o, "kind: Prompt\nmetadata: {name: a, project: p}\nspec: {content: x}\n")
	o.Close()
	keys, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lose := func() {
		t.Helper()
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	lose()
	if got := errorOf(); !strings.Contains(got, "error: "+file) || strings.Contains(got, "credentials") || !strings.Contains(got, "seals of the audit log cannot be decrypted") {
		t.Errorf("without credentials: %s", got)
	}
	if err := os.WriteFile(file, keys, 0o600); err != nil {
		t.Fatal(err)
	}
	o = openHome(t, home)
	applyTo(t, o, secretServer)
	o.Close()
	lose()
	for range 2 { // the first one creates the file
		if got := errorOf(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "the credentials of 1 servers") {
			t.Errorf("with credentials: %s", got)
		}
	}
	if err := os.WriteFile(file, keys, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := errorOf(); got != "" {
		t.Errorf("with the file: %s", got)
	}
}
