package worker

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// LimitMemory limits the address space of this process to bytes beyond what it has reserved
// already.
func LimitMemory(bytes uint64) {
	var pages uint64 // the runtime of Go has reserved more than it uses
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		_, _ = fmt.Sscan(string(text), &pages)
	}
	setLimit(syscall.RLIMIT_AS, pages*uint64(os.Getpagesize())+bytes)
	setLimit(syscall.RLIMIT_CORE, 0) // a core has the content of calls
}

// maxFiles limits the open files of a process. It needs some for its pipes, its page table, the
// runtime of Go and the images of guests.
const maxFiles = 24

// LimitFiles limits the open files of this process and the bytes of each. Files in memory do not
// count as address space.
func LimitFiles(bytes uint64) {
	setLimit(syscall.RLIMIT_FSIZE, bytes)
	setLimit(syscall.RLIMIT_NOFILE, maxFiles)
}

// LimitProcessor limits the processor time of this process, which is killed then.
func LimitProcessor(d time.Duration) { setLimit(syscall.RLIMIT_CPU, uint64(d.Seconds())) }

// GiveWayToAll lets all other processes compute first.
func GiveWayToAll() { setNice("self", niceSlow) }

// GiveWay lets the daemon compute first.
func GiveWay() { setNice("self", niceGuest) }

// setLimit sets a limit of this process. One that cannot be set is one of several.
func setLimit(resource int, limit uint64) {
	_ = syscall.Setrlimit(resource, &syscall.Rlimit{Cur: limit, Max: limit})
}
