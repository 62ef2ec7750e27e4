//go:build unix

package registry

import "syscall"

// nonblock prevents open from blocking on a FIFO.
const nonblock = syscall.O_NONBLOCK
