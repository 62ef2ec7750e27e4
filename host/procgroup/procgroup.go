// Package procgroup runs a program in its own process group, so that the program ends
// together with the processes that it has started.
//
// Call Own before the start, Terminate and Kill before Reap returns, and Reap instead of
// (*exec.Cmd).Wait. On systems without process groups, only the process itself is ended.
package procgroup

import "os/exec"

// Own configures the command to run in its own process group, which does not receive the
// Ctrl-C of this process. Call it before the command is started.
func Own(cmd *exec.Cmd) { own(cmd) }

// Terminate sends SIGTERM to the group. It must not be called after Reap has returned,
// because the id of the group may be reused.
func Terminate(cmd *exec.Cmd) { terminate(cmd.Process) }

// Kill kills the group. It must not be called after Reap has returned.
func Kill(cmd *exec.Cmd) { kill(cmd.Process) }

// Reap waits for the process and kills the other processes of its group.
//
// Errors: those of (*exec.Cmd).Wait.
func Reap(cmd *exec.Cmd) error { return reap(cmd) }
