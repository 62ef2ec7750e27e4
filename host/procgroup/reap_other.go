//go:build !linux

package procgroup

import "os/exec"

// Nothing here waits without reaping, so the group is killed at once afterwards.
func reap(cmd *exec.Cmd) error {
	err := cmd.Wait()
	kill(cmd.Process)
	return err
}
