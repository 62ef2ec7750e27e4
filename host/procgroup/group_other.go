//go:build !unix

package procgroup

import (
	"os"
	"os/exec"
)

func own(*exec.Cmd) {}

func terminate(p *os.Process) { _ = p.Kill() }

func kill(p *os.Process) { _ = p.Kill() }
