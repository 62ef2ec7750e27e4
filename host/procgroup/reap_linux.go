package procgroup

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// reap kills the group while the process is a zombie, because its id cannot be reused
// until then.
func reap(cmd *exec.Cmd) error {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
		continue
	}
	kill(cmd.Process)
	return cmd.Wait()
}
