//go:build unix

package process

import (
	"os"
	"os/exec"
	"testing"
)

func TestTerminateEndsAProcess(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	Detach(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if !IsAlive(pid) || !IsAlive(os.Getpid()) {
		t.Error("a running process is reported as ended")
	}
	if err := Terminate(pid); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was ended by a signal
	if IsAlive(pid) || IsAlive(0) || IsAlive(-1) {
		t.Error("a process that ended is reported as running")
	}
	if err := Terminate(pid); err != nil {
		t.Errorf("ending a process that has ended: %v", err)
	}
}
