package schemafile

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The comment of a file refers to its schema.
func TestCommentLeadsToTheSchema(t *testing.T) {
	home := filepath.Join(t.TempDir(), "a home") // with a blank
	if err := Write(home); err != nil {
		t.Fatal(err)
	}
	for _, s := range All() {
		inHome := filepath.Join(home, "proxymodels", target(t, InHome(s.Name)))
		u, err := url.Parse(target(t, FromAnywhere(home, s.Name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{inHome, u.Path} {
			if got, err := os.ReadFile(file); err != nil || string(got) != string(s.Text) {
				t.Errorf("%s: %v, %d bytes", file, err, len(got))
			}
		}
	}
}

func target(t *testing.T, comment string) string {
	t.Helper()
	ref, ok := strings.CutPrefix(comment, "# yaml-language-server: $schema=")
	if !ok || !strings.HasSuffix(ref, "\n") || strings.Contains(ref, " ") {
		t.Fatalf("comment is %q", comment)
	}
	return strings.TrimSuffix(ref, "\n")
}

func TestWriteReplacesOldSchemas(t *testing.T) {
	home := t.TempDir()
	if err := Write(home); err != nil {
		t.Fatal(err)
	}
	stale, same := filepath.Join(home, schemaDir, "server.json"), filepath.Join(home, schemaDir, "plugin.json")
	if err := os.WriteFile(stale, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(same)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(home); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(stale); string(got) == "{}" {
		t.Error("the old schema was not replaced")
	}
	if after, err := os.Stat(same); err != nil || !os.SameFile(before, after) {
		t.Errorf("an unchanged schema was written: %v", err)
	}
}
