// Package process detaches child processes, and checks and terminates processes by pid.
package process

import "os/exec"

// Detach configures cmd to outlive this process and its terminal. Call it before
// cmd.Start.
func Detach(cmd *exec.Cmd) { detach(cmd) }

// Terminate sends SIGTERM to a process. On Windows it kills the process. It succeeds if the
// process has already ended.
func Terminate(pid int) error { return terminate(pid) }

// IsAlive reports whether a process of any user runs.
func IsAlive(pid int) bool { return pid > 0 && isAlive(pid) }
