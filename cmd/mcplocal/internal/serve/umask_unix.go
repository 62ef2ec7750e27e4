//go:build unix

package serve

import "syscall"

// restrictNewFiles makes files that this process creates accessible to its user alone.
func restrictNewFiles() { syscall.Umask(0o077) }
