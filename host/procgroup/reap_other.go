//go:build !linux

package procgroup

import "os/exec"

// reap kills the group after Wait, because there is no call that waits without reaping.
func reap(cmd *exec.Cmd) error {
	err := cmd.Wait()
	kill(cmd.Process)
	return err
}
