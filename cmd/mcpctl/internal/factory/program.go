package factory

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// DaemonProgram returns the path of mcplocal. It looks for it in the directory of this program, then in PATH.
func DaemonProgram() (string, error) {
	self, err := os.Executable()
	if err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			beside := filepath.Join(filepath.Dir(self), "mcplocal"+filepath.Ext(self)) // .exe on Windows
			if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
				return beside, nil
			}
		}
	}
	exe, err := exec.LookPath("mcplocal")
	if err != nil {
		return "", problem.New(abi.ErrNotFound, "mcplocal not found next to mcpctl or in PATH").WithHint("make install")
	}
	return exe, nil
}

// programs returns the command lines that compile and run modules in processes of their own;
// none if mcplocal is not found, so that they run in this process.
func programs() (compiler, worker []string) {
	exe, err := DaemonProgram()
	if err != nil {
		return nil, nil
	}
	return []string{exe, "compile"}, []string{exe, "worker"}
}
