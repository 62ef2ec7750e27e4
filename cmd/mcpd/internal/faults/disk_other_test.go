//go:build !linux

package faults

import "testing"

func smallDisk(t *testing.T, _ int) string {
	t.Helper()
	t.Skip("needs a file system in memory")
	return ""
}
