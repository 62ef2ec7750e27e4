//go:build !linux

package llm

import "os/exec"

// reap waits for a process. What it left behind in its group stays: once it is
// waited for, its number may be that of another group.
func reap(cmd *exec.Cmd) error { return cmd.Wait() }
