package serve

import (
	"math"

	"golang.org/x/sys/unix"
)

// keepInherited keeps files that this process has inherited from the programs that it starts:
// a module in a process of its own could read and write them.
func keepInherited() {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // Linux before 5.11 has no such call
}
