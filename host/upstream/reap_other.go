//go:build !linux

package upstream

import "os/exec"

// reap waits for the process and kills the rest of its group.
func reap(cmd *exec.Cmd) error {
	err := cmd.Wait()
	killGroup(cmd.Process)
	return err
}
