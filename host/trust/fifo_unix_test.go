//go:build unix

package trust

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// A FIFO in place of a file is an error. To open it would wait for another process.
func TestFIFOIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, use := range map[string]func() error{
		"lock":            func() error { _, _, err := Read(path); return err },
		"record, read":    func() error { _, err := ReadAccepted(path); return err },
		"record, written": func() error { return Record(path, Decision{Action: "trust"}) },
	} {
		if err := use(); !errors.Is(err, abi.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
