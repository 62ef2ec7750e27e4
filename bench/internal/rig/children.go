package rig

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Children returns the processes that this one has started and that have not ended, none
// where /proc does not exist.
func Children() (pids []int) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, path := range lists {
		text, _ := os.ReadFile(path) // the thread may have ended
		for _, pid := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(pid); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}
