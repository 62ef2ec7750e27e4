//go:build unix

package section_test

import (
	"syscall"
	"time"
)

func init() {
	cpuTime = func() time.Duration {
		var u syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
			return time.Since(started)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
}
