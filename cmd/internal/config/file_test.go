package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

func TestScalarsOfTheFile(t *testing.T) {
	for _, tc := range []struct {
		name, text, want string
		invalid          bool
	}{
		{"plain", "http://127.0.0.1:1", "http://127.0.0.1:1", false},
		{"plain with a comment", "a # b", "a", false},
		{"a hash in a word", "a#b", "a#b", false},
		{"double quotes", `"a"`, "a", false},
		{"a hash in double quotes", `"a # b" # c`, "a # b", false},
		{"an escaped quote", `"a \" # b"`, `a " # b`, false},
		{"a hash in single quotes", "'a # b' # c", "a # b", false},
		{"an unclosed double quote", `"a`, "", true},
		{"an unclosed single quote", "'a", "", true},
		{"text after a quote", `"a" b`, "", true},
	} {
		if got, err := scalar(tc.text); got != tc.want || (err != nil) != tc.invalid {
			t.Errorf("%s: %q, %v", tc.name, got, err)
		}
	}
}

// A config.yaml that is a link into another directory stays a link.
func TestSetFollowsLinks(t *testing.T) {
	home, other := t.TempDir(), t.TempDir()
	target, link := filepath.Join(other, "mcpctl.yaml"), filepath.Join(home, File)
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	k, err := Find("path")
	if err != nil {
		t.Fatal(err)
	}
	if err := Set(home, k, "/bin"); !errors.Is(err, abi.ErrConfig) {
		t.Errorf("a dangling link: %v", err)
	}
	if err := os.WriteFile(target, []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Set(home, k, "/bin"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "# mine\npath: \"/bin\"\n" {
		t.Errorf("the target contains %q, %v", text, err)
	}
	if _, err := os.Readlink(link); err != nil {
		t.Errorf("the link was replaced: %v", err)
	}
}
