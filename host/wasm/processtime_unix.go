//go:build unix

package wasm

import (
	"syscall"
	"time"
)

// processTime is the processor time this process has had, all threads together.
func processTime() (time.Duration, bool) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
