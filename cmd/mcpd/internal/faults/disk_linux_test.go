package faults

import (
	"fmt"
	"syscall"
	"testing"
)

// smallDisk returns a directory on a file system of a few bytes. It skips the test if it may
// not mount one.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skip("needs the right to mount a file system:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}
