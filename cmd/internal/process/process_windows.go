package process

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}

func terminate(pid int) error {
	p, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) { // no such process
		return nil
	}
	if err != nil {
		return err
	}
	defer windows.CloseHandle(p)
	return windows.TerminateProcess(p, 1)
}

// isAlive returns true for a process that this user may not open.
func isAlive(pid int) bool {
	p, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return !errors.Is(err, windows.ERROR_INVALID_PARAMETER)
	}
	defer windows.CloseHandle(p)
	const stillActive = 259
	var code uint32
	return windows.GetExitCodeProcess(p, &code) != nil || code == stillActive
}
