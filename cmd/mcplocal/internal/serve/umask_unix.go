//go:build unix

package serve

import "syscall"

// restrictNewFiles sets the umask so that only this user can access new files.
func restrictNewFiles() { syscall.Umask(0o077) }
