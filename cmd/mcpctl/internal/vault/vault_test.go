package vault

import (
	"errors"
	"fmt"
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

func TestOpenRejectsSecretsReadableByOthers(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "secrets.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(home); !errors.Is(err, abi.ErrDenied) {
		t.Errorf("err = %v, want denied", err)
	}
}

// Credentials with the same preferred name get numbers, and equal credentials share a name, even if
// the file already contains secrets.
func TestManyCredentialsWithOneName(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "secrets.yaml"), []byte("A_KEY: v0\nA_KEY_2: other\nA_KEY_4: v1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	const n = 50_000
	for range 2 {
		for i := range n {
			want := "A_KEY"
			if i > 0 {
				want = fmt.Sprintf("A_KEY_%d", i+3)
			}
			switch i {
			case 1:
				want = "A_KEY_3" // the first free one
			case 2:
				want = "A_KEY_5" // 4 has another value
			}
			if got := v.Put("a", "key", fmt.Sprintf("v%d", i)); got != want {
				t.Fatalf("credential %d is %s, want %s", i, got, want)
			}
		}
	}
	if len(v.order) != n-1 {
		t.Errorf("%d new secrets, want %d", len(v.order), n-1)
	}
}

// Credentials that would make secrets.yaml invalid are rejected, and the file is unchanged.
func TestSaveKeepsSecretsReadable(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "secrets.yaml")
	for _, before := range []string{"A: kept\n", ""} {
		if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := Open(home)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 9_000 { // the limit of secrets.yaml is 8,000 values and keys
			v.Put("s", "key", fmt.Sprint(i))
		}
		if err := v.Save(home, func(string) bool { return true }); !errors.Is(err, abi.ErrConfig) {
			t.Errorf("Save: %v, want an invalid configuration", err)
		}
		if got, _ := os.ReadFile(file); string(got) != before {
			t.Errorf("the file holds %d bytes, want %q", len(got), before)
		}
	}
}
