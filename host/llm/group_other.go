//go:build !unix

package llm

import (
	"os"
	"os/exec"
)

// Without process groups only the process itself can be ended.

func ownGroup(*exec.Cmd) {}

func terminateGroup(p *os.Process) { _ = p.Kill() }

func killGroup(p *os.Process) { _ = p.Kill() }
