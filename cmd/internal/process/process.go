// Package process starts a process that outlives this one, and looks at and ends
// processes by their pid.
package process

import "os/exec"

// Detach makes cmd outlive this process and its terminal. Call it before the start.
func Detach(cmd *exec.Cmd) { detach(cmd) }

// Terminate asks a process to end, and succeeds if it has ended already. On
// Windows, which has no such request, the process is killed.
func Terminate(pid int) error { return terminate(pid) }

// IsAlive reports whether a process runs, also one of another user.
func IsAlive(pid int) bool { return pid > 0 && isAlive(pid) }
