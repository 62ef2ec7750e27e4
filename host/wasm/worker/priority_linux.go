package worker

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// Priorities of processes, as nice values.
const (
	niceGuest = 10 // gives way to the daemon
	niceSlow  = 19 // gives way to other modules as well
)

// setNice sets the priority of all threads of a process. Later ones inherit it. A priority
// that cannot be set changes only how the processors are divided.
func setNice(pid string, nice int) {
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%s/task", pid))
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, nice)
		}
	}
}

// giveWay gives the process the lowest priority.
func (p *Process) giveWay() { setNice(strconv.Itoa(p.cmd.Process.Pid), niceSlow) }
