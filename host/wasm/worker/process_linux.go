package worker

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ProcessorTime returns the processor time that a process has used, 0 if it has ended or the
// system does not tell.
func ProcessorTime(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	var user, system int64 // in ticks, the 14th and 15th field; the second one may contain blanks
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) > 12 {
		_, _ = fmt.Sscan(string(fields[11]), &user)
		_, _ = fmt.Sscan(string(fields[12]), &system)
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 on every system that Go supports
	return time.Duration(user+system) * tick
}

// growPipe makes the buffer of a pipe large enough for most frames, so that the processes
// alternate less often.
func growPipe(pipe any) {
	c, ok := pipe.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := c.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) // the system may allow less
		})
	}
}
