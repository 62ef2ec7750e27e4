package vault

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

func TestOneNameIsNeverTwoCredentials(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "secrets.yaml"), []byte("A_KEY: kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ server, name, value, want string }{
		{"a", "key", "kept", "A_KEY"},
		{"a", "key", "new", "A_KEY_2"},
		{"a", "key", "new", "A_KEY_2"},
		{"x-y", "key", "one", "X_Y_KEY"},
		{"x.y", "key", "two", "X_Y_KEY_2"},
		{"9", "b", "line\nbreak: \"x\"", "_9_B"},
		{"left", "out", "unused", "LEFT_OUT"},
	} {
		if got := v.Put(step.server, step.name, step.value); got != step.want {
			t.Errorf("%s %s: %s, want %s", step.server, step.name, got, step.want)
		}
	}
	if err := v.Save(home, func(ref string) bool { return ref != "LEFT_OUT" }); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, "secrets.yaml")
	got, _ := os.ReadFile(file)
	want := "A_KEY: kept\nA_KEY_2: \"new\"\nX_Y_KEY: \"one\"\nX_Y_KEY_2: \"two\"\n_9_B: \"line\\nbreak: \\\"x\\\"\"\n"
	if string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestSecretsThatOthersCanReadAreNotAddedTo(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "secrets.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(home); !errors.Is(err, abi.ErrDenied) {
		t.Errorf("err = %v, want denied", err)
	}
}
