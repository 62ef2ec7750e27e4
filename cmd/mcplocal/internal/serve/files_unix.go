//go:build unix

package serve

import "syscall"

// maxConnections returns the number of TCP connections, a quarter of the files that this
// process may open: the socket of the owner, servers and originals need the others.
func maxConnections() int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return defaultConnections
	}
	return int(min(max(files.Cur/4, 16), defaultConnections))
}

// defaultConnections is the number of TCP connections if files are not scarce.
const defaultConnections = 4096
