//go:build unix

package clientconfig

import "syscall"

// nonblock prevents open from blocking on a FIFO.
const nonblock = syscall.O_NONBLOCK
