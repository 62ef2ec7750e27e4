package cmdline

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

func TestCheckNewFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		path  string
		force bool
		want  error
	}{
		{filepath.Join(dir, "new"), false, nil},
		{file, false, abi.ErrConflict},
		{file, true, nil},
		{dir, false, abi.ErrConflict},
		{dir, true, abi.ErrConflict},
	} {
		if err := CheckNewFile(tc.path, tc.force); !errors.Is(err, tc.want) {
			t.Errorf("%s, force %v: %v, want %v", tc.path, tc.force, err, tc.want)
		}
	}
}
