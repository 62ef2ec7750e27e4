//go:build unix

package llm

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts a process into a group that can be signalled as one, and that no
// Ctrl-C of ours reaches.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminateGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
