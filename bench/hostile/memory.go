package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

// residentMemory returns the memory of this process, or 0 where /proc does not exist.
func residentMemory() int64 { return residentOf("self") }

// residentChildren returns the memory of the processes that this one has started.
func residentChildren() (sum int64) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, path := range lists {
		text, _ := os.ReadFile(path)
		for _, pid := range strings.Fields(string(text)) {
			sum += residentOf(pid)
		}
	}
	return sum
}

func residentOf(pid string) int64 {
	text, err := os.ReadFile(filepath.Join("/proc", pid, "statm"))
	if err != nil {
		return 0
	}
	var total, resident int64
	if _, err := fmt.Sscan(string(text), &total, &resident); err != nil {
		return 0
	}
	return resident * int64(os.Getpagesize())
}

// settledMemory returns the memory after unused memory was returned to the system.
func settledMemory() int64 {
	for range 3 {
		debug.FreeOSMemory()
		time.Sleep(100 * time.Millisecond)
	}
	return max(residentMemory(), 1)
}
