package homedir

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// TestCheckHome verifies that a home that others could have written is rejected.
func TestCheckHome(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	home := t.TempDir()
	for mode, want := range map[os.FileMode]error{
		0o700: nil, 0o755: nil, 0o750: nil, 0o777: abi.ErrDenied, 0o770: abi.ErrDenied, 0o702: abi.ErrDenied, 0o720: abi.ErrDenied,
	} {
		if err := os.Chmod(home, mode); err != nil {
			t.Fatal(err)
		}
		err := Check(home)
		if !errors.Is(err, want) {
			t.Errorf("mode %o: %v, want %v", mode, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), "chmod 700 ") {
			t.Errorf("mode %o: %v does not contain the command that repairs it", mode, err)
		}
	}
	if err := os.Chmod(home, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Prepare(home, "sub"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(home); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %o after Prepare", info.Mode().Perm())
	}
	if err := Check(filepath.Join(home, "gone")); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("missing home: %v", err)
	}
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]error{0o600: nil, 0o644: nil, 0o660: abi.ErrDenied, 0o602: abi.ErrDenied} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckWriters(file, info); !errors.Is(err, want) {
			t.Errorf("file of mode %o: %v, want %v", mode, err, want)
		}
	}
	if err := Check(file); !errors.Is(err, abi.ErrConfig) {
		t.Errorf("home is a file: %v", err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(home, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if err := Check(home); !errors.Is(err, abi.ErrDenied) || !strings.Contains(err.Error(), "belongs to uid 12345") {
			t.Errorf("foreign home: %v", err)
		}
	}
}
