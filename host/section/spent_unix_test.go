//go:build unix

package section_test

import (
	"syscall"
	"time"
)

func init() {
	spent = func() time.Duration {
		var u syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
			return time.Since(begun)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
}
