//go:build unix

package serve

import "syscall"

// restrictNewFiles sets the umask so that only this user can access new files, and lets the
// system write no memory of this process to disk: it has credentials. Servers may raise the
// limit again.
func restrictNewFiles() {
	syscall.Umask(0o077)
	var core syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CORE, &core) == nil {
		core.Cur = 0
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &core) // a lower limit is always allowed
	}
}
