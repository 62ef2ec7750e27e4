package wasm

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// limitCompiler limits the memory and the processor time of this process, and gives way to
// all other processes.
func limitCompiler() {
	var pages uint64 // of address space: the runtime of Go has reserved more than it uses
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		_, _ = fmt.Sscan(string(text), &pages)
	}
	for resource, limit := range map[int]uint64{
		syscall.RLIMIT_AS:   pages*uint64(os.Getpagesize()) + compilerMemory,
		syscall.RLIMIT_CPU:  uint64(compilerProcessor.Seconds()),
		syscall.RLIMIT_CORE: 0,
	} {
		_ = syscall.Setrlimit(resource, &syscall.Rlimit{Cur: limit, Max: limit}) // limits.compile remains
	}
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads { // later ones inherit it
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, 19)
		}
	}
}
