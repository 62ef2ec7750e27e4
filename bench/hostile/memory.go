package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/bench/internal/rig"
)

// residentMemory returns the memory of this process, or 0 where /proc does not exist.
func residentMemory() int64 { return residentOf("self") }

// residentChildren returns the memory of the processes that this one has started.
func residentChildren() (sum int64) {
	for _, pid := range rig.Children() {
		sum += residentOf(strconv.Itoa(pid))
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
