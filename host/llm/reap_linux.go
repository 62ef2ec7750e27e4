package llm

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// reap waits for a process and kills the rest of its group. The group goes first,
// while the process is a zombie: its number is nobody else's by then.
func reap(cmd *exec.Cmd) error {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
		continue
	}
	killGroup(cmd.Process)
	return cmd.Wait()
}
