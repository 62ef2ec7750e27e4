//go:build unix

package clientconfig

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// Reading a FIFO without a writer would block forever.
func TestReadRejectsIrregularFiles(t *testing.T) {
	dir := t.TempDir()
	fifo, link, good, goodLink := filepath.Join(dir, "fifo"), filepath.Join(dir, "link"), filepath.Join(dir, "good"), filepath.Join(dir, "goodlink")
	if err := errors.Join(syscall.Mkfifo(fifo, 0o600), os.Symlink(fifo, link), os.WriteFile(good, []byte("{}"), 0o600), os.Symlink(good, goodLink)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{fifo, link, "/dev/zero", dir} {
		_, err := Read(name, JSON)
		if !errors.Is(err, abi.ErrConfig) || !strings.Contains(err.Error(), name+" is not a regular file") {
			t.Errorf("%s: %v, want that it is not a regular file", name, err)
		}
	}
	if f, err := Read(goodLink, JSON); err != nil || string(f.Before) != "{}" {
		t.Errorf("link to a file: %q, %v", f.Before, err)
	}
}
