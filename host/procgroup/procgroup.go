// Package procgroup runs a program in a process group of its own, so that it ends
// together with everything that it has started.
//
// Own before the start, Terminate and Kill while the process has not been waited
// for, Reap instead of (*exec.Cmd).Wait. Where there are no process groups only the
// process itself can be ended.
package procgroup

import "os/exec"

// Own puts the command into a group that can be signalled as one, and that no
// Ctrl-C of ours reaches. To be called before the command is started.
func Own(cmd *exec.Cmd) { own(cmd) }

// Terminate asks the group to end. Not to be called after Reap has returned: the
// number of the group may be another's by then.
func Terminate(cmd *exec.Cmd) { terminate(cmd.Process) }

// Kill ends the group. Not to be called after Reap has returned.
func Kill(cmd *exec.Cmd) { kill(cmd.Process) }

// Reap waits for the process and kills what it left behind in its group.
//
// Errors: those of (*exec.Cmd).Wait.
func Reap(cmd *exec.Cmd) error { return reap(cmd) }
