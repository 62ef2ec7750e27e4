//go:build unix

package worker

import (
	"errors"
	"os/exec"
	"syscall"
)

// isKilled reports whether err is the end of a process by SIGKILL.
func isKilled(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
